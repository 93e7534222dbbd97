"""How many ways lead from one package into another while a call runs: where a reader would have to jump."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import acp_trace

_ROOT = Path(acp_trace.__file__).parent
#: What reads a member of a value, or goes on with a generator, is no step to another place.
_READING = frozenset({"<lambda>", "<genexpr>"})


def reentries(call: Callable[[], object]) -> int:
    """By how many more functions than packages it enters these from others: 0 if each has one door.

    Whoever reads what a call does looks at each of these functions once. Rooms of `compare`, `model` and
    `replay` count as packages.
    """
    rooms: dict[CodeType, str | None] = {}
    entered: dict[CodeType, str] = {}

    def room(frame: FrameType) -> str | None:
        code = frame.f_code
        if code not in rooms:
            path = Path(code.co_filename)
            parts = path.relative_to(_ROOT).parts if path.is_relative_to(_ROOT) else ()
            rooms[code] = (
                "/".join(parts[: 2 if parts[0] in ("compare", "model", "replay") else 1]) if parts else None
            )
        return rooms[code]

    def enter(frame: FrameType, event: str, _: object) -> None:
        here = room(frame)
        if event != "call" or here is None or frame.f_code.co_name in _READING:
            return
        caller = frame.f_back
        while caller is not None and room(caller) is None:
            caller = caller.f_back
        if caller is None or room(caller) != here:
            entered[frame.f_code] = here

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(before)
    return len(entered) - len(set(entered.values()))
