"""Sessions and turns (docs/report.md, Sessions)."""

from __future__ import annotations

from typing import Any

from tests.support import error, facts_of, request, result, update

_NEW = [
    ("client", request(0, "session/new", cwd="/w", mcpServers=[])),
    ("agent", result(0, sessionId="s")),
]


def _chunk(kind: str = "agent_message_chunk") -> tuple[str, dict[str, Any]]:
    return ("agent", update("s", kind, content={"type": "text", "text": "x"}))


def _prompt(number: int, text: str = "go") -> tuple[str, dict[str, Any]]:
    return (
        "client",
        request(number, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": text}]),
    )


def test_a_turn_with_its_times() -> None:
    """First update and first output are different things; the response settles the turn."""
    found = facts_of(
        *_NEW,
        _prompt(1, "do it"),
        ("agent", update("s", "plan", entries=[])),
        _chunk("agent_thought_chunk"),
        ("agent", result(1, stopReason="max_tokens")),
        _chunk(),
    )
    (turn,) = found.turns
    assert (turn.frame, turn.settled_frame, turn.t_ns, turn.duration_ns) == (3, 6, 3000, 3000)
    assert (turn.first_update_ns, turn.first_output_ns) == (1000, 2000)
    assert (turn.stop_reason, turn.error_code, turn.prompt) == ("max_tokens", None, "do it")
    counts = {one.kind: one.count for one in found.updates}
    assert counts == {"plan": 1, "agent_thought_chunk": 1, "agent_message_chunk": 1}


def test_a_turn_that_fails_and_one_that_never_ends() -> None:
    """An error settles, too; without an answer nothing is known."""
    found = facts_of(*_NEW, _prompt(1), ("agent", error(1, -32603)), _prompt(2))
    assert [(one.error_code, one.settled_frame) for one in found.turns] == [(-32603, 4), (None, None)]
    assert found.turns[1].duration_ns is None


def test_how_sessions_are_opened() -> None:
    """In the order of first mention, also a refused one; the first success names the opener."""
    found = facts_of(
        ("client", request(0, "session/load", sessionId="old", cwd="/a")),
        ("agent", error(0, -32002)),
        ("agent", update("early", "available_commands_update", availableCommands=[])),
        ("client", request(1, "session/new", cwd="/b")),
        ("agent", result(1, sessionId="early")),
        ("client", request(2, "session/fork", sessionId="early", cwd="/c")),
        ("agent", result(2, sessionId="forked")),
        ("client", request(3, "session/resume", sessionId="back", cwd="/d")),
        ("agent", {"jsonrpc": "2.0", "id": 3, "result": {}}),
        ("client", request(4, "fs/read_text_file", sessionId="only-fs", path="/x")),
    )
    assert [(one.session_id, one.opened_by, one.cwd, one.frame) for one in found.sessions] == [
        ("old", "unknown", None, 1),
        ("early", "session/new", "/b", 3),
        ("forked", "session/fork", "/c", 7),
        ("back", "session/resume", "/d", 8),
    ]
    assert [one.session_id for one in found.exchanges] == ["old", "early", "early", "back", "only-fs"]


def test_a_load_whose_result_is_null_replays_its_history() -> None:
    """What is replayed belongs to no turn, and is counted."""
    found = facts_of(
        ("client", request(0, "session/load", sessionId="s", cwd="/w")),
        ("agent", update("s", "user_message_chunk")),
        ("agent", update("s", "tool_call", toolCallId="c", title="old", status="completed")),
        ("agent", {"jsonrpc": "2.0", "id": 0, "result": None}),
        _prompt(1),
        _chunk(),
        ("agent", result(1, stopReason="end_turn")),
    )
    (session,) = found.sessions
    assert (session.opened_by, session.replayed) == ("session/load", 2)
    assert found.turns[0].first_update_ns == 1000
    assert [(one.turn, one.title) for one in found.tool_calls] == [(None, "old")]


def test_tool_calls_keep_their_latest_state() -> None:
    """Title, kind and status as last told; the duration ends with the first final status.

    Of a call that is named only at its end, there is none.
    """
    found = facts_of(
        *_NEW,
        _prompt(1),
        ("agent", update("s", "tool_call", toolCallId="c", title="a", kind="edit", status="pending")),
        ("agent", update("s", "tool_call_update", toolCallId="c", status="in_progress", title=None)),
        ("agent", update("s", "tool_call_update", toolCallId="c", status="completed", title="b")),
        ("agent", update("s", "tool_call_update", toolCallId="c", content=[])),
        ("agent", update("s", "tool_call_update", toolCallId="unannounced", status="failed")),
        ("agent", result(1, stopReason="end_turn")),
        _prompt(2),
        ("agent", update("s", "tool_call", toolCallId="c", title="again")),
        ("agent", update("s", "tool_call_update", toolCallId="unannounced", title="late")),
    )
    first, second, again = found.tool_calls
    assert (first.turn, first.title, first.kind, first.status, first.duration_ns) == (
        0,
        "b",
        "edit",
        "completed",
        2000,
    )
    assert (second.turn, second.id, second.status, second.duration_ns, second.title) == (
        0, "unannounced", "failed", None, "late",
    )  # fmt: skip
    assert (again.turn, again.id, again.duration_ns) == (1, "c", None)


def test_permissions_with_every_outcome() -> None:
    """Selected, cancelled, refused with an error, never answered."""
    options = [{"optionId": "allow", "kind": "allow_once"}, {"optionId": 5}, "nonsense"]
    asked = [
        ("agent", request(n, "session/request_permission", sessionId="s", options=options)) for n in range(4)
    ]
    found = facts_of(
        *_NEW,
        _prompt(9),
        *asked,
        ("client", result(0, outcome={"outcome": "selected", "optionId": "allow"})),
        ("client", result(1, outcome={"outcome": "cancelled"})),
        ("client", error(2, -32800)),
    )
    assert [(one.outcome, one.option_id, one.wait_ns) for one in found.permissions] == [
        ("selected", "allow", 4000),
        ("cancelled", None, 4000),
        ("error", None, 4000),
        ("open", None, None),
    ]
    assert {one.turn for one in found.permissions} == {0}
    assert [one.option_kind for one in found.permissions] == ["allow_once", None, None, None]


def test_protocol_2_turns_settle_by_the_idle_state() -> None:
    """The response only says that the prompt was inserted."""
    found = facts_of(
        ("client", request(0, "initialize", protocolVersion=2, info={"name": "c"})),
        ("agent", result(0, protocolVersion=2, info={"name": "a", "version": "2"})),
        _prompt(1),
        ("agent", result(1, messageId="m")),
        ("agent", update("s", "state_update", state="running")),
        _chunk(),
        ("agent", update("s", "state_update", state="idle", stopReason="end_turn")),
        ("agent", update("s", "state_update", state="idle", stopReason="end_turn")),
    )
    (turn,) = found.turns
    assert (turn.settled_frame, turn.duration_ns, turn.stop_reason) == (7, 4000, "end_turn")
    assert (found.trace.client_name, found.trace.agent_version, found.trace.protocol_version) == ("c", "2", 2)


def test_title_and_usage() -> None:
    """Null clears a title, absence and a wrong type leave it; usage adds up field by field."""
    info: list[dict[str, Any]] = [{"title": "one"}, {}, {"title": 5}, {"updatedAt": "x"}]
    told = [("agent", update("s", "session_info_update", **fields)) for fields in info]
    usage = [
        ("agent", update("s", "usage_update", used=1, size=10, cost={"amount": 1, "currency": "USD"})),
        ("agent", update("s", "usage_update", used=2, size=10)),
    ]
    (session,) = facts_of(*_NEW, *told, *usage).sessions
    assert session.title == "one"
    assert session.usage == '{"used":2,"size":10,"cost":{"amount":1,"currency":"USD"}}'
    (session,) = facts_of(*_NEW, *told, ("agent", update("s", "session_info_update", title=None))).sessions
    assert session.title is None


def test_two_prompts_at_once_are_two_turns() -> None:
    """Both see the first update; tools belong to the older one until it settles."""
    found = facts_of(
        *_NEW,
        _prompt(1),
        _prompt(2),
        ("agent", update("s", "tool_call", toolCallId="c")),
        ("agent", result(1, stopReason="end_turn")),
        ("agent", update("s", "tool_call", toolCallId="d")),
        ("agent", result(2, stopReason="cancelled")),
    )
    assert [one.first_update_ns for one in found.turns] == [2000, 1000]
    assert [one.turn for one in found.tool_calls] == [0, 1]
    assert [one.stop_reason for one in found.turns] == ["end_turn", "cancelled"]
