"""The order in which divergences are told: that of the recording, whoever found them."""

from __future__ import annotations

import pytest

from tests.compare.conversation import (
    Edit,
    asks,
    base,
    both,
    changed,
    codes,
    compared,
    drop,
    file,
    instead,
    put,
    tool,
)
from tests.reading.talk import answer, reply, stop

#: Changes to the conversation, in the order of the frames that they are about, and what is told of each.
_CHANGES: list[tuple[Edit, list[str]]] = [
    (drop("permission", "allowed"), ["permission-missing"]),
    (drop("title"), ["title-never-set", "metadata-never-set"]),
    (instead("stop 1", stop(3, "refusal")), ["stop-reason"]),
    (put("fetch", tool("c9", "completed", kind="edit", title="More")), ["tool-call-extra"]),
    (instead("closed", answer(7, more=1)), []),
]


@pytest.mark.parametrize("backwards", [False, True], ids=["as made", "made the other way round"])
def test_they_stand_in_the_order_of_the_recording(backwards: bool) -> None:
    """Requests, metadata, turns and tool calls are compared one after the other; nobody reads them so."""
    edits = [edit for edit, _ in _CHANGES]
    found = changed(both(*(reversed(edits) if backwards else edits)))
    assert codes(found) == [code for _, told in _CHANGES for code in told]


def test_what_only_the_other_trace_has_comes_behind_what_both_have() -> None:
    """Two more tool calls behind one frame, in their own order; then what is missing after it."""
    more = [tool(id, "completed", kind=kind, title="More") for id, kind in (("x", "edit"), ("y", "move"))]
    found = changed(both(put("fetch", *more), drop("shell", "terminal")))
    frames = [(one.expected_event and one.expected_event.frame, one.got_event and one.got_event.frame)
              for one in found.divergences]  # fmt: skip
    extra, missing = [pair for pair in frames if pair[0] is None], [pair for pair in frames if pair[0]]
    assert len(extra) == 2
    assert missing
    assert frames == [*extra, *missing]
    assert [got for _, got in extra] == sorted(got or 0 for _, got in extra)


def test_of_equal_reads_the_last_one_is_missing() -> None:
    """As a replay answers them: what it reports of the answer that is left is about the same frame."""
    again = put("fs text", asks(90, "fs/read_text_file", path="/w/a.txt"), reply(90, content="some text"))
    more = put("read on", asks(91, "terminal/create", command="make"), reply(91, terminalId="t9"))
    found = compared(file(again(base())), file(more(base())))
    (missing,) = [each for each in found.divergences if each.code == "request-missing"]
    assert missing.expected_event is not None
    assert missing.expected_event.frame == [name for name, _ in base()].index("fs text") + 2
