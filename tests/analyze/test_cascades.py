"""What else was under way when something was cancelled, and how it ended (docs/report.md, Cancellation)."""

from __future__ import annotations

from acp_trace.analyze.facts import Cascade
from tests.analyze.findings.scenario import start
from tests.reading.talk import (
    Said,
    ask,
    call,
    cancel,
    chosen,
    decline,
    opened,
    permit,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
)  # fmt: skip
from tests.support import facts_of

_Row = tuple[int, str, str, str, int | None]


def _terminal(id: str, method: str = "create", session: str = "s") -> Said:
    return call(id, f"terminal/{method}", sessionId=session)


def _of(*said: Said) -> list[Cascade]:
    return facts_of(*start(), up("tool_call", toolCallId="c"), *said).cascades


def _rows(*said: Said) -> list[_Row]:
    return [(one.frame, one.sender, one.method, one.outcome, one.settle_ns) for one in _of(*said)]


def test_what_was_open_at_the_cancel() -> None:
    """Requests of both sides that name the session, each with how and when it ended."""
    found = _rows(
        prompt(1), permit(0), permit(1), permit(2), _terminal("t"), ask(2, "session/set_mode", sessionId="s"), cancel(),
        chosen(0, "cancelled"), chosen(1), decline(2, -32800), decline("t", -32603), stop(1, "cancelled"),
    )  # fmt: skip
    assert found == [
        (7, "agent", "session/request_permission", "cancelled", 1000),
        (8, "agent", "session/request_permission", "completed", 2000),
        (9, "agent", "session/request_permission", "cancelled", 3000),
        (10, "agent", "terminal/create", "error", 4000),
        (11, "client", "session/set_mode", "unanswered", None),
    ]


def test_what_the_handler_sent_after_the_cancel() -> None:
    """Until the target settled; the client's own later requests hang on nothing."""
    found = _rows(
        prompt(1), cancel(), _terminal("t", "kill"), ask(2, "session/set_mode", sessionId="s"), reply("t"),
        stop(1, "cancelled"), _terminal("u", "release"), reply("u"),
    )  # fmt: skip
    assert found == [(8, "agent", "terminal/kill", "completed", 3000)]


def test_what_was_answered_before_or_is_of_another_session_does_not_hang_on_it() -> None:
    """Nor does the target itself."""
    found = _rows(
        *opened("t"), prompt(1), permit(0), chosen(0), _terminal("x", session="t"), call("y", "_x/y"), cancel(),
        _terminal("z", session="t"), stop(1, "cancelled"),
    )  # fmt: skip
    assert found == []


def test_a_cancel_request_has_a_cascade_too() -> None:
    """It names the request that was cancelled and the cancel."""
    (row,) = _of(
        prompt(1),
        _terminal("t"),
        tell("client", "$/cancel_request", requestId=1),
        decline("t", -32800),
        refuse(1, -32800),
    )
    assert (row.session_id, row.cancel_frame, row.target_frame, row.frame) == ("s", 8, 6, 7)
    assert (row.outcome, row.settle_ns) == ("cancelled", 1000)


def test_each_target_of_a_cancel_has_its_cascade() -> None:
    """Each prompt hangs in the other's; so does the permission in both."""
    found = _of(
        prompt(1), prompt(2), permit(0), cancel(), chosen(0, "cancelled"), stop(2, "cancelled"), stop(1)
    )
    assert [(one.target_frame, one.frame, one.outcome) for one in found] == [
        (6, 7, "cancelled"),
        (6, 8, "cancelled"),
        (7, 6, "completed"),
        (7, 8, "cancelled"),
    ]


def test_what_hangs_on_a_cancel_without_a_target_or_from_inside() -> None:
    """Nothing does where no request was aimed at, or the end itself was the cancel."""
    assert _rows(permit(0), cancel(), chosen(0, "cancelled")) == []
    assert _rows(prompt(1), permit(0), stop(1, "cancelled"), permit(1), chosen(0), chosen(1)) == []


def test_a_client_that_answers_by_error_was_asked_to() -> None:
    """-32800 of what hangs on a cancel, before it or after, is no cancel from inside."""
    found = facts_of(
        *start(),
        prompt(1),
        _terminal("t"),
        cancel(),
        permit(0),
        decline("t", -32800),
        decline(0, -32800),
        stop(1, "cancelled"),
    )
    assert [one.kind for one in found.cancellations] == ["session/cancel"]
    assert [one.outcome for one in found.cascades] == ["cancelled", "cancelled"]
