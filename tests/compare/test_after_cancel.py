"""What is said after a cancel: how far the agent gets is chance, and words of its own are not."""

from __future__ import annotations

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare
from tests.analyze.model_side import called, whole
from tests.compare.conversation import (
    PLAN,
    Edit,
    asks,
    base,
    both,
    chunk,
    codes,
    file,
    instead,
    permission,
    put,
    reader,
    tool,
)
from tests.reading.talk import Said, cancel, chosen, prompt, reply, stop, up

_SAME = both()
_MODEL = "Let me think of a number, and of another."


def _told(edit: Edit, before: Edit = _SAME, *, is_known: bool = True) -> list[str]:
    was, now = (reader(file(change(base())), "content") for change in (before, both(before, edit)))
    return codes(compare(was, now, "content", model_said=[_MODEL] if is_known else None))


def _says(*texts: str) -> Edit:
    """The agent goes on after the cancel."""
    return put("cancel", *map(chunk, texts))


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (_says(" of a number"), []),
        (_says(" of a", " number, and of another."), []),
        (_says("I deleted everything."), ["content-differs"]),
        (_says(" of a number", "; I deleted everything."), ["content-differs"]),
        (_says("  "), []),
    ],
)
def test_only_words_that_were_said_are_chance(says: Edit, told: list[str]) -> None:
    """The model goes on for a while; whatever else is said, somebody has changed the agent."""
    assert _told(says) == told


def test_a_remark_that_was_there_before() -> None:
    """Agents say that they were interrupted, behind as much as had come."""
    assert _told(_says(" of a number"), _says("[stopped]")) == []


def test_nothing_is_told_if_the_model_is_not_known() -> None:
    """Its words and the agent's own look alike."""
    assert _told(_says("I deleted everything."), is_known=False) == []


def test_it_stands_at_the_first_frame_after_the_cancel() -> None:
    """Of the actual trace; the expected one may have nothing there but the cancel."""
    was, now = (reader(file(change(base())), "content") for change in (_SAME, _says("No.")))
    (found,) = compare(was, now, "content", model_said=[_MODEL]).failing
    assert (
        found.message
        == "agent message after the cancel that neither the model nor the agent said before: No."
    )
    assert found.expected_event is not None
    assert found.expected_event.what == "session/cancel"
    assert found.got_event is not None
    assert found.got_event.frame == found.expected_event.frame + 1


# -- an agent that waits for its client when the cancel comes

_EDIT = tool("c9", "pending", kind="edit", title="Edit b.txt")
_ENDS = tool("c9", "failed")
#: The last turn but one: a dialog is open when the cancel comes, and is closed by it.
_WAITS = both(put("slow", _EDIT, permission(9, "c9")), put("cancel", chosen(9, "cancelled"), _ENDS))
#: The same, but the client closes its dialog first.
_CLOSED = both(put("slow", _EDIT, permission(9, "c9"), chosen(9, "cancelled")), put("cancel", _ENDS))
#: The same, with another tool call under way.
_BUSY = put("slow", tool("c8", "in_progress", kind="execute", title="Build"))
_GOES_ON = {
    "message": (chunk("Done."), "message-extra"),
    "tool call": (tool("c10", "pending", kind="execute", title="rm -r"), "tool-call-extra"),
    "request": (asks(10, "terminal/create", command="rm"), "request-extra"),
}


@pytest.mark.parametrize("match", ["semantic", "content", "exact"])
@pytest.mark.parametrize("waits", [_WAITS, _CLOSED], ids=["cancel-first", "dialog-first"])
@pytest.mark.parametrize(("says", "code"), _GOES_ON.values(), ids=_GOES_ON)
def test_what_an_agent_begins_after_it_only_waited(says: Said, code: str, waits: Edit, match: Match) -> None:
    """Nothing was under way that a cancel could have come too late for."""
    edit = put(f"cancel +{1 if waits is _WAITS else 0}", says)
    was, now = (reader(file(change(base())), match) for change in (waits, both(waits, edit)))
    assert codes(compare(was, now, match)) == [code]


@pytest.mark.parametrize("says", [says for says, _ in _GOES_ON.values()], ids=_GOES_ON)
@pytest.mark.parametrize("side", ["both", "expected", "actual"])
def test_chance_remains_where_something_else_was_under_way(says: Said, side: str) -> None:
    """A tool call beside the one that waits, in one trace at least."""
    busy = both(_WAITS, _BUSY)
    expected, actual = (busy if side in (each, "both") else _WAITS for each in ("expected", "actual"))
    was, now = (reader(file(change(base()))) for change in (expected, both(actual, put("cancel +1", says))))
    assert not {"message-extra", "request-extra"} & {*codes(compare(was, now))}


@pytest.mark.parametrize("is_writing", [True, False])
def test_an_agent_whose_model_still_writes_does_not_wait(is_writing: bool) -> None:
    """It runs its tool while the rest of the answer comes."""
    model = called(1, 10, 90 if not is_writing else 150, says=[(20, "Ye")])
    asks_ms = [(40, _EDIT), (50, permission(9, "c9")), (100, cancel()), (101, chosen(9, "cancelled"))]
    late = [(120, chunk("s."))]
    was, now = (
        reader(whole((5, prompt(1)), *model, *asks_ms, *more, (300, stop(1, "cancelled"))))
        for more in ([], late)
    )
    assert codes(compare(was, now)) == ([] if is_writing else ["message-extra"])


def test_the_rest_of_a_text_is_no_decision() -> None:
    """It was on its way: the actual trace was only cancelled earlier in it."""
    shorter = both(_WAITS, instead("slow", chunk("Let me")), put("cancel", chunk(" think")))
    was, now = (reader(file(change(base()))) for change in (_WAITS, shorter))
    assert codes(compare(was, now)) == []


@pytest.mark.parametrize(
    "says", [_GOES_ON["message"][0], _GOES_ON["tool call"][0]], ids=["message", "tool call"]
)
def test_an_agent_whose_updates_follow_its_answers_decides_nothing(says: Said) -> None:
    """It sends updates after most of its turns: what comes after a cancel may have been on its way."""
    late = both(_WAITS, put("stop 1", chunk("End.")), put("stop 3", chunk("End.")))
    was, now = (reader(file(change(base()))) for change in (late, both(late, put("cancel +1", says))))
    assert codes(compare(was, now)) == []


_CHILD = asks(11, "terminal/wait_for_exit", terminalId="t9")
#: What the agent does, or its client, so that the agent does not only wait.
_ELSE = {
    "it still thinks": put("slow +1", chunk("Hm.", "agent_thought_chunk")),
    "another call began and ended": put(
        "slow +1", tool("c8", "in_progress", kind="read", title="a"), tool("c8", "completed")
    ),
    "another request is open": both(put("slow +1", _CHILD), put("cancel +0", reply(11, exitCode=0))),
    "the user allows it too late": instead("cancel +0", chosen(9, optionId="yes")),
}


@pytest.mark.parametrize("more", _ELSE.values(), ids=_ELSE)
@pytest.mark.parametrize("says", [says for says, _ in _GOES_ON.values()], ids=_GOES_ON)
def test_an_agent_that_does_more_than_wait(more: Edit, says: Said) -> None:
    """How far it gets after the cancel is chance again."""
    busy = both(_WAITS, more)
    was, now = (reader(file(change(base()))) for change in (busy, both(busy, put("cancel +1", says))))
    assert not {"message-extra", "request-extra", "tool-call-extra"} & {*codes(compare(was, now))}


def test_an_update_that_is_sent_beside_the_work_remains_chance() -> None:
    """Such as the use of tokens, or a title that another request to the model makes."""
    says = put("cancel +1", up("usage_update", used=11, size=100), up("plan", entries=PLAN))
    was, now = (reader(file(change(base()))) for change in (_WAITS, both(_WAITS, says)))
    assert codes(compare(was, now)) == []
