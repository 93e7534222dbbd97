"""Processes and folders of a scenario: a client, a recorder and an agent with pipes between them.

Whatever happens, nothing that was started here is left behind: processes are ended one by one, by their
ids, and the folder goes.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from acp_trace.system.processes import KILL
from tests.posix import descriptor_of
from tests.support import ACP_TRACE, Home, until

#: Longer than anything takes: reached only by what hangs.
DEADLINE_S = 60.0
PEER = [sys.executable, "-I", "-S", str(Path(__file__).with_name("peer.py"))]


class Lie(Exception):
    """Something that the program promises is not so."""


def must(holds: Any, what: str) -> None:
    """Raises a Lie unless it holds."""
    if not holds:
        raise Lie(what)


def over(pid: int, longest_s: float = DEADLINE_S) -> bool:
    """Waits for the end of any process, a child or not; whether it came."""
    try:
        fd = descriptor_of(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], longest_s)[0])
    finally:
        os.close(fd)


def kill(pid: int) -> None:
    """Kills (-9) one process, which may be gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, KILL)


def belonging(mark: bytes) -> set[int]:
    """The living processes that have this in their environment."""
    found = set()
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (one / "environ").read_bytes().split(b"\0"):
                found.add(int(one.name))
    return found


@dataclass
class Notes:
    """What one peer saw, and how much it said."""

    saw_file: Path
    said_file: Path

    def saw(self) -> bytes:
        """All that it heard."""
        return self.saw_file.read_bytes() if self.saw_file.exists() else b""

    def heard(self) -> int:
        """How many bytes it heard so far."""
        return self.saw_file.stat().st_size if self.saw_file.exists() else 0

    def said(self) -> int:
        """How many of its bytes were taken."""
        return self._number(20)

    def pid(self) -> int:
        """Its process id; 0 as long as it has none."""
        return self._number(0)

    def is_of(self, pid: int) -> bool:
        """Whether a process is the peer that writes these: numbers of processes are given again."""
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return os.fsencode(self.said_file) in words

    def _number(self, at: int) -> int:
        found = self.said_file.read_bytes()[at : at + 20] if self.said_file.exists() else b""
        return int(found or 0)


@dataclass
class Talk:
    """A client, a recorder and an agent at work."""

    client: subprocess.Popen[bytes]
    recorder: subprocess.Popen[bytes]
    by_client: Notes
    by_agent: Notes
    stderr: Path

    def flows(self) -> None:
        """Waits until both sides heard something."""
        until(lambda: self.by_client.heard() and self.by_agent.heard(), "traffic in both directions")

    def ends(self, within_s: float = DEADLINE_S) -> int:
        """Waits for the end of all three; the recorder's exit code. Raises Lie for who stays."""
        for name, process in (("recorder", self.recorder), ("client", self.client)):
            try:
                process.wait(within_s)
            except subprocess.TimeoutExpired:
                raise Lie(f"the {name} does not end within {within_s:.0f} s") from None
        pid = self.by_agent.pid()
        must(not pid or over(pid), "the agent is left behind")
        return self.recorder.returncode


@dataclass
class Stage:
    """A folder with an `ACP_TRACE_HOME`, and the processes started for it."""

    folder: Path
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _agents: list[Notes] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.home = Home(self.folder / "home")
        (self.folder / "tmp").mkdir(exist_ok=True)
        self.environment = self.home.environment | {"TMPDIR": str(self.folder / "tmp")}

    @property
    def mark(self) -> bytes:
        """What all processes of this stage have in their environment."""
        return f"ACP_TRACE_HOME={self.home.path}".encode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        for notes in self._agents:  # the client is gone: an agent that can hear has ended
            if (pid := notes.pid()) and notes.is_of(pid) and not over(pid, 1) and notes.is_of(pid):
                kill(pid)

    def trace(self) -> Path:
        """The one trace in the spool. Raises Lie where there is none, or another one, too."""
        found = self.home.spooled()
        must(len(found) == 1, f"{len(found)} traces in the spool")
        return found[0]

    def start(self, argv: Sequence[str], **more: Any) -> subprocess.Popen[bytes]:
        """Starts a process that is ended with the stage."""
        self._processes = [one for one in self._processes if one.poll() is None]
        options: dict[str, Any] = {"env": self.environment} | more
        process: subprocess.Popen[bytes] = subprocess.Popen(argv, **options)
        self._processes.append(process)
        return process

    def notes(self, side: str) -> Notes:
        """New files for what a peer notes."""
        self._count += 1
        stem = self.folder / f"{self._count:04d}-{side}"
        return Notes(stem.with_suffix(".saw"), stem.with_suffix(".said"))

    def talk(
        self,
        client: Sequence[str] = (),
        agent: Sequence[str] = (),
        *,
        options: Sequence[str] = ("--no-load",),
        wrapper: Sequence[str] = (),
        preexec: Callable[[], None] | None = None,
    ) -> Talk:
        """Starts all three; `client` and `agent`: the peers' options, `wrapper`: what starts the recorder."""
        by_client, by_agent = self.notes("client"), self.notes("agent")
        self._agents = [one for one in self._agents if one.said_file.exists()] + [by_agent]
        stderr = by_agent.said_file.with_suffix(".err")
        words = [*PEER, "agent", str(by_agent.saw_file), str(by_agent.said_file), *agent]
        to_recorder, from_client = os.pipe()
        to_client, from_recorder = os.pipe()
        with open(stderr, "wb") as errors:
            recorder = self.start(
                [*wrapper, *ACP_TRACE, "record", *options, "--", *words],
                stdin=to_recorder,
                stdout=from_recorder,
                stderr=errors,
                preexec_fn=preexec,
            )
        files = [str(by_client.saw_file), str(by_client.said_file)]
        process = self.start([*PEER, "client", *files, *client], stdin=to_client, stdout=from_client)
        for fd in (to_recorder, from_client, to_client, from_recorder):
            os.close(fd)
        return Talk(process, recorder, by_client, by_agent, stderr)


def wait_until(time_s: float) -> None:
    """Lets time pass up to a random kill point. Nothing is awaited: what happens by then is left to chance."""
    while (left := time_s - time.monotonic()) > 0:
        time.sleep(left)
