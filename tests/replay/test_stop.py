"""The wish to stop, asked for again while it is being asked for: signals come when they like."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

import pytest

from acp_trace.replay.drive.waits import Stop


def _interrupted(at: int) -> int:
    """Sets a `Stop`, and once more, as a signal handler would, before line `at` of that; the lines seen."""
    stop, seen = Stop(), 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal seen
        if frame.f_code is not Stop.set.__code__:
            return None
        if event == "line":
            seen += 1
            if seen == at:
                sys.settrace(None)
                stop.set()
                sys.settrace(trace)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        stop.set()
    finally:
        sys.settrace(before)
    assert stop.is_set()
    assert os.read(stop.fd, 1) == b""
    stop.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(stop.fd)
    return seen


def test_a_signal_while_it_is_set() -> None:
    """Closes nothing twice, and waits for no lock, wherever it comes."""
    lines = _interrupted(0)
    assert lines > 2
    for at in range(1, lines + 1):
        _interrupted(at)


def test_from_then_on() -> None:
    """It is not set before somebody sets it."""
    stop = Stop()
    assert not stop.is_set()
    stop.close()
    assert stop.is_set()
