"""A session of Spark that this process starts: Java, the master, the package for the executors.

Where a program has a session already (a notebook, a job of its own), nothing of this is needed.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from acp_trace.places import door
from acp_trace.places.place import LackingPackages, PlaceError
from acp_trace.team.lake.spark import problems, shipped
from acp_trace.trace.scratch import scratch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALL = "Spark needs more packages: pip install 'acp-trace[spark]'"
NO_JAVA = "Spark needs Java 17 or newer, and none was found: install it, or set JAVA_HOME"
#: What mapInArrow of pyspark asks for, too.
_NEEDED = ("pyspark", "pandas", "pyarrow")
_NAME = "acp-trace"
_PYTHON = "spark.pyspark.python"
#: A master of a standalone cluster answers at once, or not at all.
_CONNECT_S = 5
_TAIL = 64 << 10
_END_S = 10
#: What Spark writes for people on stderr, where our own lines are.
_QUIET = {"spark.ui.showConsoleProgress": "false"}


class NoMaster(Exception):
    """A master that cannot be one: one line."""


@contextmanager
def started(master: str | None, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session of the cluster at a master, with this package on its executors; stopped at the end.

    `master`: None is what Spark's own configuration says. `conf`: settings of Spark. Raises NoMaster,
    LackingPackages (of Spark or Java), and PlaceError if the cluster cannot be reached.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pyspark, about pandas and versions of Python
        if door.lacking(_NEEDED):
            raise LackingPackages(INSTALL)
        if not has_java():
            raise LackingPackages(NO_JAVA)
        _see(master)
        from pyspark.sql import SparkSession

        with _interruptible(), _no_log(), scratch() as directory:
            context = _context(master, conf, directory / "spark.log")
            try:
                context.addPyFile(str(shipped.zipped(directory)))
                yield SparkSession(context)
            finally:
                _end(context)


def _context(master: str | None, conf: Mapping[str, str], log: Path) -> Any:
    """A context, with what its JVM writes in a file. Raises PlaceError."""
    from pyspark import SparkConf, SparkContext

    settings = SparkConf().setAll([*_QUIET.items(), ("spark.app.name", _NAME), *conf.items()])
    if master is not None:
        settings.setMaster(master)
    if _PYTHON in conf:  # as spark-submit does it
        os.environ["PYSPARK_PYTHON"] = conf[_PYTHON]
    elif (master or "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    named = master or "Spark"
    with log.open("wb") as file:
        try:
            gateway = _gateway(settings, file)
            with _same_handler():
                return SparkContext(conf=settings, gateway=gateway)
        except Exception as error:
            text = f"{error}\n{_tail(log)}"
            if "A master URL must be set" in text:
                raise NoMaster(
                    "which cluster? give --master, such as spark://HOST:7077 or local[2]"
                ) from error
            why = problems.line_of(text)
            kind = NoMaster if why == problems.NO_MASTER else PlaceError
            raise kind(f"{named} {why}") from error


def _gateway(settings: Any, log: IO[bytes]) -> Any:
    """A JVM. pyspark leaves it behind, for ever, if it is interrupted before that answers: so it never is."""
    from pyspark.java_gateway import launch_gateway

    with ThreadPoolExecutor(1) as thread:
        launched = thread.submit(launch_gateway, settings, {"stdout": log, "stderr": log})
        try:
            return launched.result()
        except BaseException:
            launched.add_done_callback(_end_launched)
            raise


def _end_launched(launched: Future[Any]) -> None:
    if launched.exception() is None:
        _end_gateway(launched.result())


def _end(context: Any) -> None:
    """Stops a context, and its JVM."""
    gateway = context._gateway  # noqa: SLF001  # pyspark keeps it for this
    context.stop()
    _end_gateway(gateway)


def _end_gateway(gateway: Any) -> None:
    """End a JVM: it ends when its standard input is closed."""
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.stdin.close()
        process.wait(_END_S)


@contextmanager
def _same_handler() -> Iterator[None]:
    """Keeps the handler of Ctrl-C: pyspark's own asks Spark while another question is not answered."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Within, an interruption stays an interruption, even if pyspark raises another error for it."""
    try:
        yield
    except Exception as error:
        if (interruption := problems.interruption(error)) is not None:
            raise interruption from None
        raise


@contextmanager
def _no_log() -> Iterator[None]:
    """py4j logs a traceback when it is interrupted, on stderr if logging is not set up."""
    root, handler = logging.getLogger(), logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL))
        return file.read().decode(errors="replace")


def has_java() -> bool:
    """Whether JAVA_HOME, or else PATH, has a Java of any version."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=str(Path(home, "bin")) if home else None) is not None


def _see(master: str | None) -> None:
    """Raises NoMaster for what no master is called, and PlaceError if no master of a cluster listens."""
    if master is None or not master.startswith("spark://"):
        return
    whys = []
    for address in master.removeprefix("spark://").split(","):
        try:
            parts = urlsplit(f"//{address}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if host is None or port is None:
            raise NoMaster(f"{master} {problems.NO_MASTER}")
        try:
            socket.create_connection((host, port), _CONNECT_S).close()
        except OSError as error:
            whys.append(error.strerror or str(error))
        else:
            return
    raise PlaceError(f"{master} cannot be reached: {whys[0]}")
