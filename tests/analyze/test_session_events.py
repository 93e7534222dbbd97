"""Events of a session outside the work of its turns, and silence while the agent was writing."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.facts import Facts, SessionEvent
from tests.analyze.model_side import MS, Timed, facts
from tests.reading.talk import answer, ask, call, prompt, reply, stop, up
from tests.support import REPOSITORY, analyzed

_S = 1000  #: ms


def _events(*events: Timed, end_ms: int = 1000) -> list[SessionEvent]:
    return facts(*events, end_ms=end_ms).session_events


def _said(text: str) -> Any:
    return up("agent_message_chunk", content={"type": "text", "text": text})


def _told(found: list[SessionEvent]) -> list[tuple[str, str | None, str, int | None]]:
    return [(one.kind, one.status, one.text, one.turn) for one in found]


def test_a_real_session_has_tokens_and_the_context_of_each_turn() -> None:
    """OpenCode says both: one event a turn, with what it said last. A cost of nothing is left out."""
    found, _ = analyzed((REPOSITORY / "sample_traces/opencode-story.jsonl").read_bytes())
    assert [(one.kind, one.turn, one.text.replace("\u202f", " ")) for one in found.session_events] == [
        ("usage", 0, "10 tokens in, 5 out · context 10 of 200 000"),
        ("usage", 1, "context 0 of 200 000"),
        ("usage", 2, "10 tokens in, 5 out · context 10 of 200 000"),
    ]


def _tokens(**end: Any) -> tuple[int | None, ...]:
    found = facts((100, prompt(1)), (200, answer(1, stopReason="end_turn", **end)), end_ms=300)
    (turn,) = found.turns
    return turn.input_tokens, turn.cached_tokens, turn.output_tokens


def test_calls_of_subagents_and_of_other_models_count() -> None:
    """Where the agent counts all calls by model; its own sum may be that of its conversation alone."""
    usage = {"inputTokens": 200, "outputTokens": 40, "cachedReadTokens": 7, "totalTokens": 240}
    big, small = (
        {"model": model, "token_count": {"inputTokens": read, "outputTokens": written}}
        for model, read, written in (("big", 500, 100), ("small", 100, 20))
    )
    assert _tokens(usage=usage) == (200, 7, 40)
    assert _tokens(usage=usage, _meta={"quota": {"model_usage": [big, small]}}) == (600, 7, 120)
    assert _tokens(usage=usage, _meta={"quota": {"model_usage": [small]}}) == (200, 7, 40)
    for odd in ([], [7], "x", [{"token_count": {"inputTokens": -5}}], None):
        assert _tokens(usage=usage, _meta={"quota": {"model_usage": odd}}) == (200, 7, 40)
    gemini = {"token_count": {"input_tokens": 1, "output_tokens": 2}}
    assert _tokens(_meta={"quota": gemini}) == (1, None, 2)
    assert _tokens(_meta={"quota": gemini | {"model_usage": [gemini, gemini]}}) == (2, None, 4)


def test_a_real_session_with_subagents_has_the_tokens_of_its_cost() -> None:
    """claude-agent-acp: each cost is in proportion to the tokens that are counted by model."""
    found, _ = analyzed((REPOSITORY / "tests/real/recorded/subagent-sessions.jsonl").read_bytes())
    assert sum(turn.input_tokens or 0 for turn in found.turns) == 1400
    assert sum(turn.output_tokens or 0 for turn in found.turns) == 280


def test_notices_plans_and_compactions() -> None:
    """With what they say; a compaction is one event, from its first report to its end."""
    entries = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]
    found = _events(
        (100, prompt(1)),
        (110, up("notice", severity="warning", title="Slow", description="very")),
        (120, up("plan", entries=entries)),
        (130, up("compaction_update", compactionId="c", status="in_progress")),
        (160, up("compaction_update", compactionId="c", status="completed")),
        (170, up("plan_removed", planId="p")),
        (200, stop(1)),
    )
    assert _told(found) == [
        ("notice", "warning", "Slow: very", 0),
        ("plan", None, "1 of 2 done, now: b", 0),
        ("compaction", "completed", "", 0),
        ("plan", None, "removed", 0),
    ]
    assert [one.took_ns for one in found] == [None, None, 30 * MS, None]


def test_a_question_to_the_user_has_its_answer() -> None:
    """Or none."""
    asks = {
        "sessionId": "s",
        "mode": "form",
        "message": "Which?",
        "requestedSchema": {"type": "object", "properties": {}},
    }
    found = _events(
        (100, prompt(1)), (110, call(7, "elicitation/create", **asks)), (150, reply(7, action="decline")),
        (160, call(8, "elicitation/create", **asks)), (200, stop(1)),
    )  # fmt: skip
    assert [(one.kind, one.status, one.took_ns) for one in found] == [
        ("elicitation", "decline", 40 * MS),
        ("elicitation", "open", None),
    ]


def test_a_message_between_turns_is_one_event() -> None:
    """However many chunks it has; those of a turn are its work."""
    found = _events(
        (50, _said("Hello")), (60, _said(" you")), (100, prompt(1)), (110, _said("in it")), (120, stop(1)),
        (130, _said("late")),
    )  # fmt: skip
    assert _told(found) == [("message", None, "Hello", None), ("message", None, "late", None)]


def test_a_cost_is_told_and_no_amount_is_not() -> None:
    """What is no number of a currency says nothing."""
    for cost, text in (
        ({"amount": 0.1234567, "currency": "USD"}, "context 1 of 2 · 0.1235 USD so far"),
        ({"amount": 10**400, "currency": "USD"}, "context 1 of 2"),
        ({"amount": True, "currency": "USD"}, "context 1 of 2"),
        ({"amount": 1}, "context 1 of 2"),
    ):
        (one,) = _events(
            (100, prompt(1)), (110, up("usage_update", used=1, size=2, cost=cost)), (200, stop(1))
        )
        assert one.text == text


@pytest.mark.parametrize(
    ("pauses", "silent"),
    [
        pytest.param([0.5, 0.5, 15], [15], id="much longer than usual"),
        pytest.param([0.5, 0.5, 15, 0.5, 25], [15, 25], id="twice"),
        pytest.param([1, 1, 9], [], id="too short"),
        pytest.param([5, 5, 15], [], id="an agent that writes slowly"),
        pytest.param([15], [], id="nothing is usual yet"),
        pytest.param([5, 5, 31], [31], id="half a minute always is"),
    ],
)
def test_a_long_pause_in_a_message_is_silence(pauses: list[float], silent: list[float]) -> None:
    """It takes no part in the time of writing."""
    at = [10]
    for pause in pauses:
        at.append(at[-1] + int(pause * _S))
    end = at[-1] + 10
    found: Facts = facts((1, prompt(1)), *((t, _said(f"w{t} ")) for t in at), (end, stop(1)), end_ms=end)
    events = [one for one in found.session_events if one.kind == "silence"]
    assert [(one.took_ns or 0) / (MS * _S) for one in events] == silent
    (turn,) = found.turns
    assert turn.writing_ns == sum(int(pause * _S) * MS for pause in pauses if pause not in silent)
    for one in events:
        assert one.t_ns is not None
        assert one.t_ns // MS in at
        assert (one.status, one.turn) == ("agent", 0)
        assert one.frame == 5 + at.index(one.t_ns // MS) + 1


def test_history_is_no_event() -> None:
    """What a load sends again happened another time."""
    found = _events(
        (10, ask(9, "session/load", sessionId="u", cwd="/w", mcpServers=[])),
        (20, up("plan", session="u", entries=[])),
        (30, up("agent_message_chunk", session="u", content={"type": "text", "text": "a"})),
        (40, up("usage_update", session="u", used=1, size=2)),
        (50, answer(9)),
    )
    assert found == []
