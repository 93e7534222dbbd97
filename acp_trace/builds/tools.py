"""npm, pip, uv and git as processes: each runs to its end, or is stopped early.

What a failure means is said by the caller. Whether it says something of the package, or only that the
registry or the disk cannot be used now, is known here, because all tools tell it alike.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from acp_trace.system.processes import KILL, apart, signal_all, startable
from acp_trace.trace.os_errors import reason

#: How much of the end of a tool's output is kept: the reason comes last.
_KEPT = 20_000
#: The most bytes of a list of a package's versions, all of which are wanted.
_LIST = 50_000_000
_LOOK_S = 0.1
_END_S = 5.0
#: Parts of tools' output which show that the package is not at fault: the registry is away, the disk is full.
_AWAY = re.compile(
    r"\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT"
    r"|E50[0-9]|E429|EPIPE)\b|NewConnectionError|Failed to establish a new connection|Connection refused"
    r"|Temporary failure in name resolution|Name or service not known|Network is unreachable|Read timed out"
    r"|ReadTimeoutError|Connection reset by peer|dns error|tcp connect error|ProxyError"
    r"|(?:HTTP error|HTTPError:|Client Error:|Server Error:) (?:5\d\d|429)"
)
_FULL = re.compile(r"\b(?:ENOSPC|EDQUOT|EFBIG)\b|No space left on device|Disk quota exceeded|File too large")

#: How npm warns of a file that it could not write whole.
_CUT = "TAR_ENTRY_ERROR"


class Unavailable(Exception):
    """Nothing can be had now, which says nothing of the build: no registry, no disk, no tool. Says why."""


class NotInstallable(Exception):
    """A build cannot be installed here. Says why in one line."""


class Cancelled(Exception):
    """The caller stopped the work."""


class Done(NamedTuple):
    """A tool that has ended. `said`: the end of its standard error, and of its output if it failed."""

    code: int
    out: str
    said: str

    @property
    def why(self) -> str:
        """Why it failed, in one line: the last one that says something."""
        lines, errors = with_errors(self.said.splitlines())
        useful = [line for line in errors if not re.search(r"complete log|\.log$", line)]
        return (useful or lines or [f"it ended with {self.code}"])[-1 if not _is_npm(useful) else 0][:300]

    def check_reach(self, what: str = "") -> None:
        """Raises Unavailable if it failed for a reason that says nothing of the package.

        npm ends well on a full disk, with a warning for each file that is cut short. `what`: was asked for.
        """
        before = f"{what}: " if what else ""
        if _FULL.search(self.said) or _CUT in self.said:
            raise Unavailable(f"{before}the disk is full, or cannot be written")
        if self.code and _AWAY.search(self.said):
            raise Unavailable(f"{before}the registry cannot be reached")


def with_errors(said: Iterable[str]) -> tuple[list[str], list[str]]:
    """The lines that say something, and those of them about an error: seldom the last one says why."""
    lines = [stripped for line in said if (stripped := line.strip())]
    return lines, [line for line in lines if "error" in line.lower()]


def _is_npm(lines: Sequence[str]) -> bool:
    return bool(lines) and lines[0].lower().startswith(("npm error", "npm err!"))


def program(name: str) -> str | None:
    """Where a program is, if it is installed."""
    return shutil.which(name)


def run(
    argv: Sequence[str],
    stop: threading.Event,
    *,
    cwd: str | os.PathLike[str] | None = None,
    more: Mapping[str, str] | None = None,
    is_list: bool = False,
) -> Done:
    """Runs a tool to its end, in a process group of its own. `more`: variables beside those of this process.

    `is_list`: all of its output is wanted. Raises Cancelled, and Unavailable if it cannot be started.
    """
    try:
        process = subprocess.Popen(
            startable(argv),
            cwd=cwd,
            env={**os.environ, **(more or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **apart(),
        )
    except OSError as error:
        raise Unavailable(f"{argv[0]} cannot be started: {reason(error)}") from None
    kept: dict[str, bytes] = {}
    limits = {"out": _LIST if is_list else _KEPT, "err": _KEPT}
    threads = [
        threading.Thread(target=_read, args=(pipe, name, kept, limits[name]), daemon=True)
        for name, pipe in (("out", process.stdout), ("err", process.stderr))
    ]
    for thread in threads:
        thread.start()
    try:
        while True:
            try:
                code = process.wait(_LOOK_S)
                break
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    raise Cancelled from None
    finally:
        _end(process)
        for thread in threads:
            thread.join(_END_S)
    out, err = (kept.get(name, b"").decode("utf-8", "replace") for name in ("out", "err"))
    return Done(code, out, f"{out[-_KEPT:]}\n{err}" if code else err)


def _read(pipe: object, name: str, kept: dict[str, bytes], limit: int) -> None:
    data = b""
    while piece := pipe.read1(65536):  # type: ignore[attr-defined]
        data = (data + piece)[-limit:]
        kept[name] = data
    pipe.close()  # type: ignore[attr-defined]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End its remaining processes: npm starts others, which would continue to write."""
    for number in (signal.SIGTERM, KILL):
        if process.poll() is not None and number is signal.SIGTERM:
            continue
        try:
            signal_all(process.pid, number)
        except (ProcessLookupError, PermissionError):
            break
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            continue
    process.wait(_END_S)
