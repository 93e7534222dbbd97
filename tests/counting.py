"""How much work something is, told in lines of Python: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def executed_lines(work: Callable[[], object]) -> int:
    """Lines of Python that `work` executes."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()  # the one that measures coverage
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
