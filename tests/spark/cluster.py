"""A standalone Spark cluster on this machine: a master and workers, each a process of its own, on loopback.

    with Cluster(directory) as cluster:          # a master and two workers with one core each
        run([..., "--master", cluster.url], env=cluster.environment)
        cluster.kill_executor()                   # -9, as all kills here
        cluster.kill_worker(0)
        cluster.start_worker()

Everything that the processes write is below `directory`. They come from the package pyspark of this Python.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Self, TypeVar

from acp_trace.system.processes import KILL, signal_all

T = TypeVar("T")
#: A JVM on a busy machine takes its time.
DEADLINE_S = 180.0
_LOOK_S = 0.05
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = "Successfully registered with master"
_EXECUTOR = b"CoarseGrainedExecutorBackend"


class Cluster:
    """A master and workers. `url`: what `--master` takes. `environment`: that of a driver here.

    `environment` of the constructor is what the workers have besides, and so their executors: credentials, a
    `PYSPARK_PYTHON` of their own. `cores` and `memory` are those of a worker.
    """

    def __init__(
        self,
        directory: Path,
        workers: int = 2,
        cores: int = 1,
        memory: str = "2g",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.directory = directory
        self.url = ""
        self.workers: list[subprocess.Popen[bytes]] = []
        self.master: subprocess.Popen[bytes] | None = None
        self.environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        self._count, self._cores, self._memory = workers, cores, memory
        self._environment = {
            **self.environment,
            "SPARK_HOME": str(home()),
            "SPARK_LOCAL_DIRS": str(directory / "local"),
            "SPARK_WORKER_DIR": str(directory / "work"),
            "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
            **(environment or {}),
        }

    def __enter__(self) -> Self:
        self.directory.mkdir(parents=True, exist_ok=True)
        try:
            self.master, log = self._started("master", "org.apache.spark.deploy.master.Master")
            found = wait_for(
                lambda: _MASTER.search(log.read_text("utf-8", "replace")), "the master", self.master
            )
            self.url = found[1]
            for _ in range(self._count):
                self.start_worker(wait=False)
            for number in range(self._count):
                self._wait_for_worker(number)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def start_worker(self, *, wait: bool = True, environment: Mapping[str, str] | None = None) -> int:
        """Starts one more worker; its number. `environment`: what this one has besides."""
        number = len(self.workers)
        words = ("--cores", str(self._cores), "--memory", self._memory, self.url)
        process, _ = self._started(
            f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *words, environment=environment
        )
        self.workers.append(process)
        if wait:
            self._wait_for_worker(number)
        return number

    def executors(self, worker: int | None = None) -> list[int]:
        """The executors that run now, of all workers or of one, by their process ids."""
        parents = [one.pid for one in (self.workers if worker is None else [self.workers[worker]])]
        return [pid for parent in parents for pid in children(parent) if _EXECUTOR in command_line(pid)]

    def kill_executor(self, worker: int | None = None, choose: random.Random | None = None) -> int | None:
        """Kills an executor, -9: its process id; None if none runs."""
        if not (running := self.executors(worker)):
            return None
        pid = (choose or random.Random()).choice(running)
        kill(pid)
        return pid

    def kill_worker(self, number: int) -> None:
        """Kills a worker, -9. Its executor notices that, and ends."""
        self.workers[number].kill()
        self.workers[number].wait()

    def _wait_for_worker(self, number: int) -> None:
        log = self._log(f"worker-{number}")
        wait_for(
            lambda: _REGISTERED in log.read_text("utf-8", "replace"), f"worker {number}", self.workers[number]
        )

    def _started(
        self, name: str, main: str, *words: str, environment: Mapping[str, str] | None = None
    ) -> tuple[subprocess.Popen[bytes], Path]:
        log = self._log(name)
        port = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        with log.open("wb") as file:
            process = subprocess.Popen(
                [home() / "bin" / "spark-class", main, *port, *words],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env={**self._environment, **(environment or {})},
                start_new_session=True,
            )
        return process, log

    def _log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def _end(self) -> None:
        """Ends every process: executors are in the group of their worker."""
        for process in [*self.workers, *([self.master] if self.master else [])]:
            with contextlib.suppress(ProcessLookupError):
                signal_all(process.pid, KILL)
            process.wait()


def home() -> Path:
    """Where pyspark has its scripts and jars."""
    found = importlib.util.find_spec("pyspark")
    assert found is not None, "pyspark is not installed: pip install '.[spark]'"
    assert found.origin is not None
    return Path(found.origin).parent


def kill(pid: int) -> None:
    """Kills a process, -9, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, KILL)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [child for child, parent in _parents() if parent == pid]


def below(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have started, and so on."""
    return [each for child in children(pid) for each in (child, *below(child))]


def command_line(pid: int) -> bytes:
    """How a process was started; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                yield int(entry.name), int((entry / "stat").read_text().rpartition(")")[2].split()[1])


def wait_for(
    condition: Callable[[], T | None], what: str, process: subprocess.Popen[bytes] | None = None
) -> T:
    """Waits for what nothing announces. Fails at the deadline, and when the process that it is about has ended."""
    deadline = time.monotonic() + DEADLINE_S
    while not (found := condition()):
        assert process is None or process.poll() is None, f"{what} has ended"
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(_LOOK_S)
    return found
