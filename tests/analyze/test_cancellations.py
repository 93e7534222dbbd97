"""What a cancel was aimed at, and how that ended (docs/report.md, Cancellation)."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Cancellation
from acp_trace.trace.parse import Parser
from tests.analyze.findings.scenario import start
from tests.reading.talk import (
    Said,
    answer,
    ask,
    call,
    cancel,
    chosen,
    decline,
    opened,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
    words,
)  # fmt: skip
from tests.support import facts_of, trace


def _drop(id: Any, side: str = "client", *, key: str = "requestId", method: str = "$/cancel_request") -> Said:
    return tell(side, method, **{key: id})


def _read(id: Any) -> Said:
    return call(id, "fs/read_text_file", sessionId="s", path="/a")


def _of(*said: Said) -> list[Cancellation]:
    return facts_of(*start(), *said).cancellations


def _one(*said: Said) -> Cancellation:
    (found,) = _of(*said)
    return found


def test_a_cancel_with_its_figures() -> None:
    """Settling, the last update before it, updates in between, late ones after."""
    found = _one(
        prompt(1), words(), cancel(), words(), up("usage_update"), _read(0), stop(1, "cancelled"),
        words(), up("usage_update"), up("plan"), prompt(2), words(), stop(2),
    )  # fmt: skip
    assert (found.session_id, found.kind, found.frame, found.t_ns, found.sender) == (
        "s",
        "session/cancel",
        7,
        7000,
        "client",
    )
    assert (found.target_frame, found.target_method, found.target_id) == (5, "session/prompt", "1")
    assert (found.outcome, found.settled_frame, found.settle_ns, found.quiesce_ns) == (
        "cancelled",
        11,
        4000,
        2000,
    )
    assert (found.updates_after_cancel, found.late_updates) == (2, 2)


def test_chunks_in_a_row_are_cut_by_a_cancel() -> None:
    """Those before it are none after it; and who watches sees those after it at once."""
    analyzer, session = Analyzer(), "s"
    frames = [*start(), prompt(1), words(), words(), words(), cancel(), words(), words()]
    for entry in Parser().feed(trace(*frames, end=False)):
        analyzer.feed(entry)
    (cancellation,) = analyzer.fresh(session).cancellations
    assert (cancellation.updates_after_cancel, cancellation.quiesce_ns) == (2, 2000)


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (stop(1, "cancelled"), "cancelled"),
        (refuse(1, -32800), "cancelled"),
        (stop(1, "end_turn"), "completed"),
        (answer(1), "completed"),
        (refuse(1, -32603), "error"),
    ],
)
@pytest.mark.parametrize("said", [cancel(), _drop(1)], ids=["session/cancel", "$/cancel_request"])
def test_outcomes_of_a_prompt(said: Said, end: Said, outcome: str) -> None:
    """The stop reason, or -32800; any other result; any other error."""
    found = _one(prompt(1), said, end)
    assert (found.outcome, found.settled_frame, found.settle_ns) == (outcome, 7, 1000)
    assert (found.quiesce_ns, found.updates_after_cancel) == (None, 0)


def test_a_prompt_that_stays_open() -> None:
    """Unanswered; what came until now is counted."""
    found = _one(prompt(1), cancel(), words(), words())
    assert (found.outcome, found.settled_frame, found.settle_ns) == ("unanswered", None, None)
    assert (found.updates_after_cancel, found.quiesce_ns, found.late_updates) == (2, 2000, 0)


def test_no_target() -> None:
    """No open prompt, an id that nobody has, one that was answered, one of the other side, none at all."""
    found = _of(
        cancel(),
        ask(1, "_x/y"),
        answer(1),
        _drop(1),
        _drop("7"),
        _drop(None),
        tell("client", "$/cancel_request"),
        _read(3),
        _drop(3),
    )
    assert {one.outcome for one in found} == {"no_target"}
    assert [one.frame for one in found] == [5, 8, 9, 10, 11, 13]
    assert {(one.target_frame, one.target_method, one.target_id, one.settle_ns) for one in found} == {
        (None, None, None, None)
    }
    assert [one.session_id for one in found] == ["s", None, None, None, None, None]


def test_a_session_cancel_aims_at_every_open_prompt_of_its_session() -> None:
    """And at no other; each settles by itself."""
    found = _of(
        *opened("t"),
        prompt(1),
        prompt(2),
        prompt(3, "t"),
        cancel(),
        stop(2, "cancelled"),
        words(),
        stop(3),
        stop(1, "cancelled"),
    )
    assert [(one.frame, one.target_frame, one.settled_frame, one.updates_after_cancel) for one in found] == [
        (10, 7, 14, 1),
        (10, 8, 11, 0),
    ]


def test_a_cancel_in_each_turn() -> None:
    """Nothing of the first is left in the second, late updates belong to the turn before."""
    found = _of(
        prompt(1),
        cancel(),
        stop(1, "cancelled"),
        words(),
        prompt(2),
        words(),
        cancel(),
        words(),
        stop(2, "cancelled"),
    )
    assert [(one.target_frame, one.updates_after_cancel, one.late_updates) for one in found] == [
        (5, 0, 1),
        (9, 1, 0),
    ]


def test_two_cancels_of_one_turn() -> None:
    """Each has its own time."""
    found = _of(prompt(1), cancel(), words(), cancel(), stop(1, "cancelled"))
    assert [(one.frame, one.settle_ns, one.updates_after_cancel) for one in found] == [
        (6, 3000, 1),
        (8, 1000, 0),
    ]


@pytest.mark.parametrize(
    "said",
    [
        _drop(1),
        _drop(1, method="$/cancelRequest", key="id"),
        _drop(1, method="$/cancelRequest"),
        _drop(1, key="id"),
    ],
)
def test_a_cancel_request_by_both_names(said: Said) -> None:
    """The proposal called it $/cancelRequest, and its member `id`: read as $/cancel_request."""
    found = _one(prompt(1), said, words(), refuse(1, -32800))
    assert (found.kind, found.sender, found.target_frame, found.outcome) == (
        "$/cancel_request",
        "client",
        5,
        "cancelled",
    )
    assert (found.session_id, found.updates_after_cancel, found.quiesce_ns) == ("s", 1, 1000)


def test_a_cancel_request_is_about_its_senders_request() -> None:
    """The same id is open in both directions; `1` and `"1"` are two."""
    found = _of(prompt(1), _read(1), _read("1"), _drop(1, "agent"), decline(1, -32800), reply("1"), stop(1))
    (one,) = found
    assert (one.sender, one.target_frame, one.target_id, one.outcome, one.settle_ns) == (
        "agent",
        6,
        "1",
        "cancelled",
        1000,
    )


def test_a_target_that_is_no_prompt_has_no_updates() -> None:
    """These figures are a turn's."""
    found = _one(
        prompt(1), _read(0), _drop(0, "agent"), words(), reply(0, content=""), words(), stop(1), words()
    )
    assert (found.outcome, found.settle_ns, found.session_id) == ("completed", 2000, "s")
    assert (found.updates_after_cancel, found.quiesce_ns, found.late_updates) == (0, None, 0)


def test_replayed_updates_are_not_late() -> None:
    """Nor is what is no work of a turn."""
    found = _one(
        prompt(1), cancel(), stop(1, "cancelled"), up("session_info_update"),
        ask(2, "session/load", sessionId="s"), words(), answer(2), up("agent_thought_chunk"),
    )  # fmt: skip
    assert found.late_updates == 1


@pytest.mark.parametrize("end", [stop(1, "cancelled"), refuse(1, -32800)])
def test_a_turn_that_was_cancelled_from_inside(end: Said) -> None:
    """The entry's frame is the response, its sender who answered; nothing was waited for."""
    found = _one(prompt(1), words(), end, words())
    assert (found.kind, found.frame, found.sender, found.outcome) == ("internal", 7, "agent", "cancelled")
    assert (found.target_frame, found.settled_frame, found.settle_ns) == (5, 7, 0)
    assert (found.quiesce_ns, found.updates_after_cancel, found.late_updates) == (None, 0, 1)


def test_a_request_that_was_cancelled_from_inside() -> None:
    """Any -32800, of either side; a permission that says `cancelled` is no -32800."""
    found = _of(
        ask(1, "_x/y"),
        refuse(1, -32800),
        _read(0),
        decline(0, -32800),
        call(1, "session/request_permission", sessionId="s"),
        chosen(1, "cancelled"),
    )
    assert [(one.kind, one.frame, one.sender, one.target_method, one.session_id) for one in found] == [
        ("internal", 6, "agent", "_x/y", None),
        ("internal", 8, "client", "fs/read_text_file", "s"),
    ]


def test_a_session_cancel_of_the_agent_cancels_nothing() -> None:
    """Only the client may send it."""
    assert _of(prompt(1), tell("agent", "session/cancel", sessionId="s"), stop(1)) == []
