"""Keeps the files of the sessions' directories with their recording: a program that the recorder starts.

`early_names TRACE TARGET ID LIMIT [secrets]` reads the trace while it is written. Whenever a client opens a
session in a new directory, it packs the files that are in there (`snapshot_file`). The recorder does nothing
of that, so that traffic waits for nothing; therefore the agent may be at work already. What was changed since
the session was opened is not what the agent found. So this program copies the files where it was started
itself, before any session is opened (`early_copies`): that is nearly always the session's directory. What was
changed and is not among these copies is left out. When the trace says that the agent has ended, it adds what
the directories hold then: the recorder waits for that a moment, and its client waits for the recorder.
Nothing depends on this program, and it says nothing: a replay says what is not there.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind, read
from acp_trace.replay.drive.early_copies import EarlyCopies
from acp_trace.replay.drive.snapshot_file import SnapshotFile
from acp_trace.trace import without_links
from acp_trace.trace.capture_layout import MAGIC
from acp_trace.trace.client_tail import ClientTail
from acp_trace.trace.names import CAPTURE, LINES, SNAPSHOT, home_directory

#: Seconds between checks for an opened session: often at first, because most clients open one at once.
_LOOK_S, _LOOK_LATER_S, _SOON_S = 0.02, 0.05, 10.0
_NICE = 10
#: How the lines of a trace begin, and bytes that distinguish a trace from other files.
_HEADER, _BEGIN = b'{"acp_trace":', 16


def main(
    trace: str,
    target: str,
    trace_id: str,
    limit: str,
    secrets: str = "",
    *,
    names: frozenset[str] | None = None,
) -> None:
    """Wait for sessions, and keep the files of their directories; then their state at the end.

    `names`: the files that existed when the recorder was started, in the directory of this process.
    """
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(_NICE)
    path, most, recorder = Path(target), int(limit), os.getppid()
    with (
        contextlib.closing(ClientTail(Path(trace))) as tail,
        contextlib.closing(SnapshotFile(path, trace_id, most, secrets=bool(secrets))) as snapshot,
        contextlib.closing(EarlyCopies(os.getcwd(), most, str(path.parent), secrets=bool(secrets))) as early,
    ):
        for directory, opened_ns in _sessions(tail, early.go_on, recorder):
            with contextlib.suppress(OSError, ValueError):
                is_here = early.is_of(directory)
                snapshot.add(directory, opened_ns, early if is_here else None, names if is_here else None)
                if is_here:
                    early.close()
        if tail.is_ended and sys.platform != "win32":  # the Windows recorder does not wait
            ours = RecorderFiles(trace, target)
            snapshot.end(_ns(tail.started_at), ours.has, lambda: os.getppid() == recorder)


def _sessions(
    tail: ClientTail, meanwhile: Callable[[float], bool], recorder: int
) -> Iterator[tuple[str, int]]:
    """Yield where sessions are opened, and the earliest time, until the agent or the recorder ends.

    The times are ns since 1970.

    A message is written down before it is passed on. So what the agent does because of it comes after
    the last look at which it was not there yet. That holds, too, if the machine slept meanwhile.
    `meanwhile`: works until a moment of the monotonic clock, and says whether there is more to do.
    """
    began, looked, is_busy = time.monotonic(), 0, True
    while True:
        is_over = tail.dead() or os.getppid() != recorder
        looks = time.time_ns()
        for directory, t_ns in opened_in(tail.new()):
            yield directory, max(_ns(tail.started_at) + t_ns, looked)
        if is_over or tail.is_ended:
            return
        looked = looks
        now = time.monotonic()
        if is_busy:
            is_busy = _does(meanwhile, now + _LOOK_S)
        else:
            time.sleep(_LOOK_S if now - began < _SOON_S else _LOOK_LATER_S)


def _does(meanwhile: Callable[[float], bool], until: float) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return meanwhile(until)
    return False


def _ns(started_at: str) -> int:
    """Return when a recording began, in ns since 1970; 0 if its header does not contain it."""
    try:
        return int(datetime.fromisoformat(started_at).timestamp() * 1e6) * 1000
    except ValueError:
        return 0


def opened_in(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[str, int]]:
    """Return the directories with which a client opens sessions in these lines, and their times."""
    for t, line in lines:
        if b"cwd" in line:
            message = read(line)
            if message.kind is MessageKind.REQUEST and message.method in methods.OPENERS:
                cwd = message.part("params").get("cwd")
                if isinstance(cwd, str):
                    yield cwd, t


class RecorderFiles:
    """Files that are not the agent's: traces, snapshots, and acp-trace's home directory."""

    def __init__(self, *paths: str) -> None:
        self._paths = {os.path.realpath(path) for path in paths}
        self._home = ""
        with contextlib.suppress(OSError):
            self._home = os.path.realpath(home_directory()).rstrip("/") + "/"

    def has(self, path: str) -> bool:
        """Whether a plain file or a link is one of them."""
        real = os.path.realpath(path)
        if real in self._paths or path.endswith(SNAPSHOT) or (self._home and real.startswith(self._home)):
            return True
        if not path.endswith((LINES, CAPTURE)) or os.path.islink(path):
            return False
        with (
            contextlib.suppress(OSError),
            open(without_links.plain_file(os.path.realpath(path), os.O_RDONLY), "rb") as stream,
        ):
            return stream.read(_BEGIN).startswith((MAGIC, _HEADER))
        return False
