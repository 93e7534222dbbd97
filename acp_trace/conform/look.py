"""What a check yields: a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from acp_trace.conform.evidence import Evidence


class Look(NamedTuple):
    """Something that was looked at. `why`: what is wrong with it; None if nothing is."""

    frame: int
    why: str | None = None


Looks = Iterator[Look]
Check = Callable[[Evidence], Looks]
