"""Programs in the background, beside and after the recording, so that neither client nor recorder waits.

A loader; a program that takes a snapshot of the workspace, started with the agent. After `--out`, a note of
the trace's path.

If the loader cannot be started, or finds the store busy, the next command that looks at the store loads the
trace: nothing depends on these programs.
"""

from __future__ import annotations

import os
import sys
import time

from acp_trace.trace import own_python
from acp_trace.trace.document import document
from acp_trace.trace.names import LAST_OUT, home_directory, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: How long a recorder waits for the list of files at the end, in s, and how often it looks. On an idle
#: machine it takes 0.1 s. The trace is already whole: a client that does not wait only loses this list.
_END_S, _LOOK_S = 5.0, 0.01


def start_loader() -> None:
    """Start `acp-trace load --background` in a separate session, and return at once."""
    _start("acp_trace", "load", "--background")


def start_snapshot(trace: str, trace_id: str, limit: int, *, secrets: bool, in_spool: bool) -> int | None:
    """Start the program that keeps the files of the sessions' directories; return its process id at once.

    It reads the trace at `trace` to learn the directories. `limit`: most bytes of files. `secrets`: include
    files that are likely to hold secrets. None if there is no such process to wait for.
    """
    from acp_trace.trace.names import snapshot_at_home, snapshot_beside

    if not os.path.isfile(trace):  # a device, which cannot be read
        return None
    target = snapshot_at_home(home_directory(), trace_id) if in_spool else snapshot_beside(trace)
    if target is None:
        return None
    asked = ["secrets"] if secrets else []
    return _start("acp_trace.replay.drive.early_names", trace, target, trace_id, str(limit), *asked)


def await_snapshot(pid: int, is_hurried: Callable[[], bool]) -> None:
    """Wait a moment for that program, which lists the files of the directories after the agent has ended.

    A client usually leaves the directories alone until the recorder ends. `is_hurried`: whether this process
    was asked to end.
    """
    until = time.monotonic() + _END_S
    try:
        while (
            os.waitpid(pid, getattr(os, "WNOHANG", 0))[0] == 0
            and time.monotonic() < until
            and not is_hurried()
        ):
            time.sleep(_LOOK_S)
    except OSError:  # it has ended
        pass


def _start(*module: str) -> int | None:
    """Start a module of this package, with its arguments, in a separate session; nothing depends on it.

    Returns its process id; None on Windows, and if it cannot be started.
    """
    argv = own_python.module(*module)
    try:
        if sys.platform == "win32":  # pragma: no cover
            import subprocess

            subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP,
            )
            return None
        else:  # noqa: RET505  (or mypy calls it unreachable)
            quiet: list[Any] = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
            quiet += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inherited()]
            own: dict[str, Any] = {"file_actions": quiet, "setsigmask": ()}
            try:
                return os.posix_spawn(argv[0], argv, os.environ, setsid=True, **own)
            except NotImplementedError:  # a system without POSIX_SPAWN_SETSID
                return os.posix_spawn(argv[0], argv, os.environ, setpgroup=0, **own)
    except OSError:
        return None


def _inherited() -> list[int]:
    """Return descriptors that the client left open: a loader that kept one would keep the client waiting."""
    try:
        open_ones = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        return []
    inheritable = []
    for fd in open_ones:
        try:
            if fd > 2 and os.get_inheritable(fd):
                inheritable.append(fd)
        except OSError:  # the listing's own
            continue
    return inheritable


def note_out(path: str, started: int) -> None:
    """Write down where `--out` went, for commands on the last trace: this trace is not in the store.

    `started`: when the recording began, by the monotonic clock, ns. Nothing depends on this note.
    """
    try:
        if not os.path.isfile(path):  # a device; or deleted meanwhile
            return
        began = time.time() - (time.monotonic_ns() - started) / 1e9
        home = home_directory()
        os.makedirs(home, 0o700, exist_ok=True)
        hidden = os.path.join(home, f".{os.urandom(6).hex()}.new")
        fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(fd, document({"file": path, "started": stamp(began)}) + b"\n")
        finally:
            os.close(fd)
        os.replace(hidden, os.path.join(home, LAST_OUT))
    except OSError:
        pass
