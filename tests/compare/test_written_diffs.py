"""A tool call without a permission shows what it writes: told where that no longer agrees."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import Match
from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, hello, opened, prompt, reply, stop
from tests.replay.lines import asks, may, now, picks, tool
from tests.support import trace

_FILE, _OTHER = "/w/a.txt", "/w/b.txt"


def _diff(path: str = _FILE, text: str = "new", old: Any = None) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": text}


def _writes(path: str = _FILE, text: str = "new", number: int = 8) -> tuple[Said, Said]:
    return asks(number, "fs/write_text_file", path=path, content=text), reply(number)


def _turn(*said: Said) -> bytes:
    return trace(*hello(), *opened(), prompt(1), *said, stop(1))


def _call(*diffs: dict[str, Any], wrote: tuple[Said, ...] = _writes(), id_: str = "c") -> bytes:
    return _turn(tool(id_), *wrote, now(id_, "completed", content=[*diffs]))


#: The run, where the recording shows what it writes, and how it is told.
_MISLEADING = {
    "another file": (_call(_diff(), wrote=_writes(_OTHER)), f'shows "{_FILE}", and writes "{_OTHER}"'),
    "another text": (_call(_diff(), wrote=_writes(text="bad")), 'shows "new", and writes "bad"'),
    "another diff": (_call(_diff(text="harmless")), 'shows "harmless", and writes "new"'),
    "a diff of another file": (_call(_diff(_OTHER)), f'shows "{_OTHER}", and writes "{_FILE}"'),
    "more than it shows": (
        _call(_diff(), wrote=_writes(text="new\nbad")),
        'shows "new", and writes "new\nbad"',
    ),
}
#: Runs in which nothing misleads: what another model may do.
_HONEST = {
    "another file, and its diff": _call(_diff(_OTHER), wrote=_writes(_OTHER)),
    "another text, and its diff": _call(_diff(text="newer"), wrote=_writes(text="newer")),
    "a part of the file": _call(_diff(old="old"), wrote=_writes(text="one\nnew\ntwo")),
    "no diff": _call(),
    "nothing is written by it": _turn(tool(), now("c", "completed", content=[_diff()]), *_writes(_OTHER)),
    "written behind the call": _turn(
        tool(), *_writes(_OTHER, number=9), now("c", "completed", content=[_diff()]), *_writes()
    ),
    "it never ends": _turn(tool(), *_writes(text="bad"), now("c", "in_progress", content=[_diff()])),
    "a permission": _turn(
        tool(), may(7), picks(7), *_writes(text="bad"), now("c", "completed", content=[_diff()])
    ),
}


@pytest.mark.parametrize("name", _MISLEADING)
@pytest.mark.parametrize("match", ["semantic", "content", "exact"])
def test_what_is_written_but_not_shown_is_told(name: str, match: Match) -> None:
    """Once; the same in both traces is not told."""
    actual, says = _MISLEADING[name]
    comparison = compared(_call(_diff()), actual, match)
    (cause, *others) = causes(comparison.failing)
    assert (cause.first.code, cause.first.got) == ("tool-call-misleads", says)
    assert [other.first.code for other in others if match != "exact"] == []
    assert compared(actual, actual, match).equal


@pytest.mark.parametrize("name", _HONEST)
def test_what_another_model_does_is_not_told(name: str) -> None:
    """Nor what a permission is asked for: that is told of the permission."""
    assert "tool-call-misleads" not in codes(compared(_call(_diff()), _HONEST[name]))


def test_a_call_that_is_announced_when_it_is_over() -> None:
    """What was written since the call before it belongs to it."""
    over = tool("d", status="completed", content=[_diff()])
    expected, actual = (
        _turn(*_writes(_OTHER, number=9), tool("c", status="completed"), *_writes(text=text), over)
        for text in ("new", "bad")
    )
    assert codes(compared(expected, actual)) == ["tool-call-misleads"]
    assert compared(actual, expected).equal


def test_odd_updates_and_texts_are_passed_by() -> None:
    """They are compared as far as it goes."""
    odd: list[Any] = [None, {"type": "diff"}, {"type": "diff", "path": 5, "newText": 5}]
    file = _turn(tool(), asks(8, "fs/write_text_file", path=5, content=5), now("c", "completed", content=odd))
    assert compared(file, file).equal
