"""Which divergences stand under which, and what comes first."""

from __future__ import annotations

from dataclasses import replace

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import CODES, WEIGHTS, rank
from acp_trace.compare.result import Divergence
from acp_trace.replay.incidents import RUN_CODES
from acp_trace.story.frame_event import FrameEvent
from tests.rows import each


def _at(code: str, frame: int, what: str = "session/update plan", **more: object) -> Divergence:
    event = FrameEvent(frame, "agent", what)
    made = Divergence(code, "error", "s", f"{code} {frame}", None, None, None, event)
    return replace(made, **more)  # type: ignore[arg-type]


def test_what_weighs_more_comes_first() -> None:
    """Whatever came first in time; of one weight, that does."""
    order = ["title-never-set", "update-extra", "message-extra", "stop-reason", "permission-missing", "end"]
    found = causes(_at(code, frame) for frame, code in enumerate(order))
    told = [cause.first.code for cause in found]
    assert told == [
        "end",
        "permission-missing",
        "stop-reason",
        "update-extra",
        "message-extra",
        "title-never-set",
    ]


def test_repeats_stand_under_the_first() -> None:
    """The same code at the same kind of place; another kind of frame, place or option is another cause."""
    plan, edit = "session/update plan", "session/update tool_call edit"
    alike = [_at("frame-differs", n, pointer=f"/params/update/entries/{n}/status", count=2) for n in (1, 2)]
    others = [
        _at("update-extra", 3, plan),
        _at("update-extra", 4, edit),
        _at("config-final", 5, about="option a"),
        _at("config-final", 6, about="option b"),
        _at("stop-reason", 7, "answer to session/prompt"),
        _at("stop-reason", 8, "answer to session/prompt"),
    ]
    found = {cause.first.message: (len(cause.repeats), cause.count) for cause in causes([*alike, *others])}
    assert found == {
        "config-final 5": (0, 1),
        "config-final 6": (0, 1),
        "stop-reason 7": (1, 2),
        "update-extra 3": (0, 1),
        "update-extra 4": (0, 1),
        "frame-differs 1": (1, 4),
    }


def test_one_change_in_many_frames_is_one_cause() -> None:
    """The same key with the same values in frames of several kinds; what differs within one object."""
    plan, title = "session/update plan", "session/update session_info_update"
    kinds = ((1, plan, "/params/update"), (2, "answer to session/new", "/result"))
    new = [
        _at("frame-differs", n, what, pointer=f"{root}/vendor", expected="nothing", got="1")
        for n, what, root in kinds
    ]
    inner = [
        _at("frame-differs", 3, plan, pointer=f"/params/update/entries/0/{key}", expected=key, got="x")
        for key in ("status", "content")
    ]
    beside = [
        _at("frame-differs", 4, title, pointer=f"/params/update/{key}", expected=key, got="x")
        for key in ("title", "updatedAt")
    ]
    found = causes([*new, *inner, *beside])
    assert [[one.got_event.frame for one in cause.divergences if one.got_event] for cause in found] == [
        [1, 2],
        [3, 3],
        [4],
        [4],
    ]


def test_consequences_stand_under_their_cause() -> None:
    """Also under a repeat of it; what follows from something that is not told stands by itself."""
    found = causes(
        [
            _at("tool-call-status", 2, consequence_of=3),
            _at("request-extra", 3),
            _at("request-extra", 5),
            _at("stop-reason", 6, consequence_of=5),
            _at("end", 7, consequence_of=99),
        ]
    )
    told = [(cause.first.message, [one.message for one in cause.consequences]) for cause in found]
    assert told == [("end 7", []), ("request-extra 3", ["tool-call-status 2", "stop-reason 6"])]


def test_every_code_weighs_something() -> None:
    """A code that is in no group would weigh as much as an outcome, silently."""

    def check(code: object) -> None:
        assert 1 <= rank(code.code) <= len(WEIGHTS)  # type: ignore[attr-defined]

    each([*CODES.values(), *RUN_CODES.values()], check, lambda code: code.code)
