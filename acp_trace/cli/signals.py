"""Signals that ask this process to end: first an exception in the main thread, then the end by that signal.

So every `finally` runs: agents are ended, directories and copies are removed. Code that must not be
interrupted half-way is inside `Deferred`; code in there that waits or takes long is inside `Interruptible`.
`record` does not use this, because it passes signals on, nor does the pytest plugin, whose process is
pytest's.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType

#: What ends a process, as far as the system has it. SIGINT stays what it is for Python: KeyboardInterrupt.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
_AGAIN_S = 0.01
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


class Terminated(BaseException):
    """A signal asked this process to end. Raised at most once; `run` alone takes it."""


@dataclass(slots=True)
class _State:
    requested: int | None = None  #: the signal to end by
    pending: bool = False  #: a signal came, and no exception was raised for it
    terminated: bool = False  #: `Terminated` was raised
    raised: bool = False  #: something was raised since the outermost `Deferred` began
    depth: int = 0  #: of nested `Deferred`
    deferring: bool = False
    lost: int = 0  #: how often the exception was raised where it is lost, or would have been

    def reset(self) -> None:
        """Forgets an earlier command of this process."""
        self.requested, self.depth, self.lost = None, 0, 0
        self.pending = self.terminated = self.raised = self.deferring = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """The handler. Ctrl-C gives way to a signal that ends the process, never the other way round."""
        if self.requested in (None, signal.SIGINT):
            self.requested = number
        self.pending = True
        if _loses(frame):
            _raise_again()
        else:
            self.raise_pending()

    def raise_pending(self) -> None:
        """Raises the exception that is pending, unless it has to wait, or one is on its way already."""
        if not self.pending or self.deferring or self.terminated or (self.raised and self.depth):
            return
        self.pending, self.raised = False, True
        if self.requested == signal.SIGINT:
            raise KeyboardInterrupt
        self.terminated = True
        raise Terminated


_state = _State()


def run(work: Callable[[], None]) -> None:
    """Runs `work`, the whole command, with signals as exceptions: KeyboardInterrupt or `Terminated`.

    After a signal, this process ends by that signal as soon as `work` is over, even if it failed. A signal
    that is ignored when this begins (`nohup`) stays ignored. Outside of the main thread there are no
    signals, and nothing but `work` happens.
    """
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    _state.reset()
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [number for number in _SIGNALS if handlers[number] in (signal.SIG_DFL, signal.default_int_handler)]
    hook = sys.unraisablehook
    try:
        try:
            sys.unraisablehook = partial(_on_lost, hook)
            for number in ours:
                signal.signal(number, _state.on_signal)
            work()
        finally:
            _state.deferring = True
    except Terminated:
        _state.deferring = True
    finally:
        if (number := _ending()) is not None:
            _end_by(number)
        for number in ours:
            signal.signal(number, handlers[number])
        sys.unraisablehook = hook


def requested() -> str | None:
    """The name of the signal that this process is about to end by. None: no signal came, or only Ctrl-C."""
    number = _ending()
    return None if number is None else signal.Signals(number).name


def is_unseen(number: int) -> bool:
    """Whether this signal would end this process, and its handler has not run: Python is somewhere else."""
    return number in _SIGNALS and _state.requested is None


def leave() -> None:
    """Ends this process now, with no more clean-up, by the signal that asked for it, if one did."""
    if _state.requested == signal.SIGINT:
        os._exit(130)
    if _state.requested is not None:
        _end_by(_state.requested)


class Deferred:
    """Nothing in here is interrupted: the exception is raised at its end, or inside of `Interruptible`.

    There at most one is raised, so that what is then cleaned up is cleaned up whole.
    """

    def __enter__(self) -> None:
        if not _state.depth:
            _state.raised = False
        _state.depth, _state.deferring = _state.depth + 1, True

    def __exit__(self, *_: object) -> None:
        _state.depth -= 1
        _state.deferring = _state.depth > 0
        _state.raise_pending()


class Interruptible:
    """A part of what is `Deferred` that may be interrupted: it waits, or takes long."""

    def __enter__(self) -> None:
        _state.deferring = False
        _state.raise_pending()

    def __exit__(self, *_: object) -> None:
        _state.deferring = _state.depth > 0


def _ending() -> int | None:
    return None if _state.requested == signal.SIGINT else _state.requested


def _on_lost(otherwise: Callable[[sys.UnraisableHookArgs], object], ignored: sys.UnraisableHookArgs) -> None:
    """Python's hook for a lost exception. An exception that is raised in here is lost silently."""
    if ignored.exc_type is Terminated:
        _raise_again()
    else:
        otherwise(ignored)


def _raise_again() -> None:
    """The signal came while an object was being destroyed, where exceptions are lost: it comes again.

    Each time it is given longer: on a busy machine it may come before this here is over.
    """
    _state.terminated = False
    if (number := _ending()) is not None:
        _state.lost += 1
        timer = threading.Timer(_AGAIN_S * 2 ** min(_state.lost - 1, 10), os.kill, [os.getpid(), number])
        timer.daemon = True
        timer.start()


def _loses(frame: FrameType | None) -> bool:
    """Whether the main thread is reporting a lost exception: one that is raised there is lost as well."""
    while frame is not None:
        if frame.f_code is _on_lost.__code__:
            return True
        frame = frame.f_back
    return False


def _end_by(number: int) -> None:
    from acp_trace.record import agents

    agents.leave(128 + number if sys.platform == "win32" else -number)
