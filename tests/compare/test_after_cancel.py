"""What is said after a cancel: how far the agent gets is chance, and words of its own are not."""

from __future__ import annotations

import pytest

from acp_trace.compare.difference import compare
from tests.compare.conversation import Edit, base, both, chunk, codes, file, put, reader

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
