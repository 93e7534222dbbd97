"""What of a run with faults still fails it, and what is a note."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acp_trace.compare.result import Divergence
from acp_trace.replay.faults.declaration import parse
from acp_trace.replay.faults.effects import NOT_REACHED, FaultEffect, effects
from acp_trace.replay.faults.injector import FaultHit
from acp_trace.replay.verdict.after_faults import judged, unreached
from acp_trace.story.frame_event import FrameEvent
from tests.reading.talk import prompt, refuse, stop
from tests.replay.facing import entries
from tests.replay.lines import START, chunk
from tests.support import analyzed, trace

_FACTS, _ = analyzed(trace(*START, prompt(1), chunk("a"), stop(1), prompt(2)))
_UNANSWERED = 8  #: the frame of the prompt without an answer
_FAULT = FaultEffect(parse("bytes on session/prompt #1"), 5, "answered, went on", 5)


def _event(frame: int | None) -> FrameEvent | None:
    return None if frame is None else FrameEvent(frame, "agent", "session/update")


def _divergence(code: str, actual: int | None = None, expected: int | None = None) -> Divergence:
    return Divergence(code, "error", "s", "", None, None, _event(expected), _event(actual))


def _told(divergence: Divergence, *found: FaultEffect) -> Divergence:
    return judged([divergence], found or [_FAULT], replace(_FACTS, findings=[]), "agent")[0]


@pytest.mark.parametrize(
    ("divergence", "severity"),
    [
        (_divergence("message-missing", expected=7), "note"),
        (_divergence("message-extra", actual=6), "note"),
        (_divergence("config-final"), "note"),
        (_divergence("message-missing", expected=3), "error"),
        (_divergence("message-extra", actual=4), "error"),
        (_divergence("timeout", actual=9), "error"),
        (_divergence("agent-gone", actual=9), "error"),
        (_divergence("end"), "error"),
        (_divergence("finding-new", actual=9), "note"),  # no finding of the peer is there
    ],
)
def test_what_follows_is_a_note(divergence: Divergence, severity: str) -> None:
    """But not what came before, and not a crash or a hang."""
    told = _told(divergence)
    assert told.severity == severity
    assert told.consequence_of == (5 if severity == "note" else None)


def test_a_player_that_left_changes_how_the_peer_ends() -> None:
    """An exit code says nothing then."""
    left = FaultEffect(parse("close on session/prompt #1"), 5, "ended with exit code 1", 5)
    assert _told(_divergence("end"), left).severity == "note"


def test_nothing_is_excused_by_a_fault_that_was_not_reached() -> None:
    """The run is judged as ever, and a note says it."""
    missed = FaultEffect(parse("drop on session/prompt #9"), None, NOT_REACHED)
    assert _told(_divergence("message-extra", actual=9), missed).severity == "error"
    (incident,) = unreached([missed, _FAULT])
    assert (incident.code, incident.severity) == ("fault-not-reached", "note")


def test_a_request_without_an_answer_fails() -> None:
    """If the fault is none that excuses it."""
    (told,) = judged([], [_FAULT], _FACTS, "agent")
    assert (told.code, told.severity) == ("finding-new", "error")
    assert told.got_event is not None
    assert told.got_event.frame == _UNANSWERED
    lost = FaultEffect(parse("never on session/request_permission"), None, "went on", 5)
    assert judged([], [lost], _FACTS, "agent") == []
    assert judged([], [_FAULT], _FACTS, "client") == []


def test_effects_are_told_of_each_fault() -> None:
    """With the frame that carries it, and how its request was answered."""
    run = entries(trace(*START, prompt(1), refuse(1, -32602), prompt(2), chunk("a"), stop(2)))
    facts, _ = analyzed(trace(*START, prompt(1), refuse(1, -32602), prompt(2), chunk("a"), stop(2)))
    first, second, third = (parse(f"malformed {number} on session/prompt") for number in range(3))
    hits = [FaultHit(first, 2, 2, carries=True), FaultHit(second, 3, 3, carries=True)]
    told = effects([first, second, third], hits, run, facts, "client", died=False)
    assert [(each.frame, each.effect) for each in told] == [
        (5, "answered with error -32602"),
        (7, "answered, went on"),
        (None, NOT_REACHED),
    ]
