"""One input after another: time and memory of each are bounded, what comes out of it is kept once.

Two findings are the same where the same error comes out of the same line of the package.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

#: Processor time for one input; all of them together take less than 2 ms as a rule.
LONGEST_S = 10.0
_MEMORY = 4 << 30
_PACKAGE = "/acp_trace/"


class TooLong(Exception):
    """One input took more than its time."""


def _bound_this_process() -> None:
    """Windows has no such limits: what an input takes there is not watched."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
        signal.signal(signal.SIGVTALRM, _too_long)


def _alarm(seconds: float) -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


class Watch:
    """Runs a target, and writes down inputs that bring something out of it."""

    def __init__(self, run: Callable[[bytes], None], findings: Path) -> None:
        self._run = run
        self._findings = findings
        self.count = 0
        self.found: dict[str, Path] = {}
        _bound_this_process()

    def __call__(self, data: bytes) -> None:
        """Runs it once. Never raises."""
        self.count += 1
        _alarm(LONGEST_S)
        try:
            self._run(bytes(data))
        except (Exception, SystemExit) as error:
            _alarm(0)
            self._keep(data, error)
        finally:
            _alarm(0)

    def _keep(self, data: bytes, error: BaseException) -> None:
        stack = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in stack if _PACKAGE in frame.filename] or list(stack)
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
        name = f"{type(error).__name__} at {place}"
        known = self.found.get(name)
        if known is not None and known.stat().st_size <= len(data):
            return
        path = self._findings / hashlib.sha256(name.encode()).hexdigest()[:12]
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(
            "".join(traceback.format_exception(error)), "utf-8", "backslashreplace"
        )
        if known is None:
            print(f"FINDING {name}: {str(error)[:200]!a}", flush=True)
        self.found[name] = path


def _too_long(_: int, __: FrameType | None) -> None:
    raise TooLong
