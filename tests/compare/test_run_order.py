"""Nothing is the consequence of what came later, whatever finds out what follows from what."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.compare.result import Divergence
from acp_trace.compare.run_order import RunOrder
from acp_trace.story.frame_event import FrameEvent
from tests.compare.conversation import base, compared, file, is_in_order
from tests.reading.talk import refuse

#: Expected and actual frames that belong together; the actual trace has three frames more behind the second.
_PAIRS = [(1, 1), (2, 2), (5, 6), (8, 9)]
_NAMES = [name for name, _ in base()]
_REQUESTS = ("session", "was set", "stop 1", "stop 2", "stop 3", "no mode", "closed")


def at(expected: int | None, actual: int | None, code: str = "content-differs") -> Divergence:
    """A divergence at these frames."""
    was, now = (None if frame is None else FrameEvent(frame, "agent", "…") for frame in (expected, actual))
    return Divergence(code, "error", "s", "…", None, None, was, now)


@pytest.mark.parametrize(
    ("divergence", "cause", "follows"),
    [
        (at(None, 4), at(None, 3), True),
        (at(None, 3), at(None, 4), False),
        (at(5, 6), at(8, 9), False),
        (at(4, None), at(None, 6), True),  # it was due until then
        (at(4, None), at(None, 7), False),
        (at(2, None), at(None, 3), False),  # something in an answer that both have
        (at(None, 3), at(4, None), True),
        (at(None, 3), at(6, None), False),
        (at(4, None), at(3, None), True),
        (at(3, None), at(4, None), True),
        (at(4, None), at(6, None), True),  # neither came at all
        (at(9, None), at(None, 100), True),  # nothing that both have came any more
        (at(None, None), at(8, 9), True),  # it is about the whole trace
        (at(4, None), at(None, None), False),
    ],
)
def test_what_came_later_brought_nothing_about(
    divergence: Divergence, cause: Divergence, follows: bool
) -> None:
    """By the frames of the actual trace; what it lacks was due until the next frame that both have."""
    assert RunOrder(_PAIRS).below(divergence, cause).follows is follows


def test_what_is_left_open_may_follow_from_what_comes_behind_its_beginning() -> None:
    """A tool call that does not end, and a text that breaks off, are told at the frame that begins them."""
    left = replace(at(5, 6, "tool-call-status"), got="pending")
    broken = replace(at(5, 6), pointer="/params/update/content/text", expected="I shall read", got="I sh")
    ended = replace(left, got="pending, failed")
    found = [RunOrder(_PAIRS).below(each, at(None, 8)).follows for each in (left, broken, ended)]
    assert found == [True, True, False]


def test_what_a_cause_follows_from_is_named() -> None:
    """Unless that came later."""
    cause = replace(at(None, 4), consequence_of=3)
    assert RunOrder(_PAIRS).below(at(5, 6), cause).consequence_of == 3
    assert not RunOrder(_PAIRS).below(at(2, 2), cause).follows


def test_more_stands_among_others_in_their_order() -> None:
    """At the frame of the expected trace, or behind that before it; what is at no frame comes first."""
    more = [at(None, 7, "extra"), at(6, None, "missing"), at(None, None, "about all")]
    found = RunOrder(_PAIRS).among(more, [at(2, 2, "second"), at(5, 6, "fifth"), at(8, 9, "eighth")])
    assert [each.code for each in found] == ["about all", "second", "fifth", "extra", "missing", "eighth"]


@settings(max_examples=30)
@given(st.sets(st.sampled_from(_NAMES), max_size=12), st.sets(st.sampled_from(_REQUESTS), max_size=2))
def test_any_changed_trace_tells_causes_before_what_follows(gone: set[str], refused: set[str]) -> None:
    """Frames are gone, and requests fail: much follows from much. `test_properties` holds it for any two."""
    left = [
        (name, refuse(said[1]["id"], -32603) if name in refused else said)
        for name, said in base()
        if name not in gone
    ]
    assert all(map(is_in_order, compared(file(base()), file(left), "content").divergences))
