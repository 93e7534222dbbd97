"""Calls of a language model as facts: what each says of itself, and which session and turn it belongs to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.model import call_reader
from acp_trace.trace.parse import Parser
from tests.analyze.model_side import Timed, called, facts, ms, whole
from tests.model import streams
from tests.reading.talk import Said, opened, prompt, stop, tell, up
from tests.support import facts_of


def test_a_call_says_what_the_provider_said() -> None:
    """Times from its start, tokens as counted, tools in their order."""
    events = called(1, 20, 60, says=[(35, "Hello")], uses=("bash", "read"), tokens=(11, 7))
    found = facts((10, prompt(1)), *events, (90, stop(1)))
    (call,) = found.model_calls
    assert (call.call, call.exchange, call.provider, call.model) == (1, 1, "openai", "m-1")
    assert (call.session_id, call.turn, call.joined_by) == ("s", 0, "header x-session-id")
    assert call.started_ns == 20_000_000
    assert ms(call, "first_byte", "first_token", "duration") == [15, 15, 40]
    assert (call.status, call.stop_reason, call.error) == (200, "stop", None)
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (11, 7, 3)
    assert (call.input_tokens_total, call.output_tokens_total, call.reasoning_tokens) == (11, 7, None)
    assert call.tools == '["bash","read"]'
    assert (call.aborted, call.beside, call.retry_of, call.cancel_frame) == (False, False, None, None)
    assert found.turns[0].model_calls == 1


def test_a_call_that_is_recorded_late_keeps_its_times_and_its_turn() -> None:
    """What is recorded of it comes through a pipe: under load behind the end of the turn that made it."""
    events = called(1, 20, 60, says=[(35, "Hello")], session=None)
    late = [(120, {**event, "t": at * 1_000_000}) for at, event in events if isinstance(event, dict)]
    on_time = facts((10, prompt(1)), *events, (90, stop(1)), (100, prompt(2)), (200, stop(2)))
    found = facts((10, prompt(1)), (90, stop(1)), (100, prompt(2)), *late, (200, stop(2)))
    assert found.model_calls == on_time.model_calls
    assert found.model_calls[0].turn == 0
    assert found.turns == on_time.turns


@pytest.mark.parametrize("own", ["soon", -1, True, None, 10**30, 121 * 1_000_000])
def test_a_time_that_no_recorder_writes_is_not_believed(own: object) -> None:
    """A time of its own is earlier than where it stands; otherwise, where it stands says it."""
    events = [(120, {**event, "t": own}) for _, event in called(1, 20, 60) if isinstance(event, dict)]
    (call,) = facts((10, prompt(1)), *events, (200, stop(1))).model_calls
    assert call.started_ns == 120_000_000


def test_a_trace_without_a_call_says_nothing_of_the_model() -> None:
    """Nothing is known, which is not nothing: NULL. A turn without a call beside others has none."""
    sides: list[list[Timed]] = [[], [(5, {"environment": {}})]]
    for side in sides:
        (turn,) = facts(*side, (10, prompt(1)), (90, stop(1))).turns
        assert (turn.model_ns, turn.tool_ns, turn.client_ns, turn.own_ns, turn.model_calls) == (None,) * 5
    (turn,) = facts(*called(1, 1, 5), (10, prompt(1)), (90, stop(1))).turns
    assert (turn.model_ns, turn.own_ns, turn.model_calls) == (0, 80_000_000, 0)


def test_calls_are_numbered_as_they_began() -> None:
    """One that ends last may be the first."""
    found = facts((10, prompt(1)), *called(1, 20, 80), *called(2, 30, 40), (90, stop(1)))
    assert [(call.call, call.exchange, *ms(call, "duration")) for call in found.model_calls] == [
        (1, 1, 60),
        (2, 2, 10),
    ]


def test_how_a_call_failed() -> None:
    """In the provider's words, or in ours; the next that asks the same is its retry."""
    found = facts(
        (10, prompt(1)),
        *called(1, 20, 25, status=429, error="Slow down"),
        *called(2, 40, 45, says=[(42, "Ye")], broken_by="provider"),
        *called(3, 60, 65),
        *called(4, 70, 75, broken_by="agent"),
        *called(5, 80, None, says=[(85, "Ye")]),
        (990, stop(1)),
    )
    assert [(call.error, call.retry_of, call.aborted, call.status) for call in found.model_calls] == [
        ("Slow down", None, False, 429),
        ("broken off by the provider", 1, False, 200),
        (None, 2, False, 200),
        (None, None, True, 200),
        (None, None, False, 200),
    ]
    assert ms(found.model_calls[4], "first_token", "duration") == [5, None]


def test_the_turn_of_a_call_is_the_one_in_which_it_began() -> None:
    """None before the first prompt, and between two turns."""
    found = facts(
        *called(1, 5, 15), (10, prompt(1)), *called(2, 20, 70), (30, stop(1)),
        *called(3, 40, 45), (50, prompt(2)), *called(4, 60, 65), (90, stop(2)),
    )  # fmt: skip
    assert [(call.session_id, call.turn) for call in found.model_calls] == [
        ("s", None), ("s", 0), ("s", None), ("s", 1),
    ]  # fmt: skip
    assert [turn.model_calls for turn in found.turns] == [1, 1]


@pytest.mark.parametrize("other", [[], [(0, said) for said in opened("other-session")]])
def test_a_session_that_is_opened_after_the_call_was_over(other: list[Timed]) -> None:
    """Agents ask their model whether it is there before they say that the session is open."""
    later: list[Said] = opened("ses_later")
    events = called(1, 5, 6, session="ses_later")
    found = facts(*other, *events, *((8, said) for said in later), (10, prompt(1)), (90, stop(1)))
    (call,) = found.model_calls
    assert (call.session_id, call.turn, call.joined_by) == ("ses_later", None, "header x-session-id")


def test_words_of_the_prompt_find_the_session_of_an_agent_that_names_none() -> None:
    """Two at the same time."""
    opening: list[Timed] = [(1, said) for said in opened("t")]
    first, second = (_prompt(1, "s", "Read the file"), _prompt(2, "t", "Write the file"))
    found = facts(
        *opening, (10, first), (11, second),
        *called(1, 20, 30, session=None, ask="Write the file"), *called(2, 20, 30, session=None, ask="Read the file"),
    )  # fmt: skip
    assert [(call.session_id, call.turn, call.joined_by) for call in found.model_calls] == [
        ("t", 0, "words"),
        ("s", 0, "words"),
    ]


def _prompt(id: int, session: str, text: str) -> Said:
    return "client", {
        "jsonrpc": "2.0", "id": id, "method": "session/prompt",
        "params": {"sessionId": session, "prompt": [{"type": "text", "text": text}]},
    }  # fmt: skip


def test_the_facts_are_the_same_whenever_they_are_asked_for() -> None:
    """A watcher asks at each entry, and hears of the same at the end; what is over is not kept whole."""
    data = whole(
        (10, prompt(1)), *called(1, 20, 60, says=[(35, "Hello")]), *called(2, 30, 50, tools=False),
        (70, up("usage_update", used=1, size=2)), (90, stop(1)),
    )  # fmt: skip
    watched, once = Analyzer(), Analyzer()
    counts = []
    for entry in Parser().feed(data):
        watched.feed(entry)
        watched.fresh("s")
        counts.append(len(watched.facts().model_calls))
        once.feed(entry)
    assert watched.facts() == once.facts()
    assert sorted(set(counts)) == [0, 1, 2]
    assert once.ending().model_calls == []


def test_what_is_over_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred calls, each with a body, one is kept at most."""
    kept: list[int] = []
    original = call_reader.CallReader.feed

    def feed(reader: Any, entry: Any) -> Any:
        over = original(reader, entry)
        kept.append(len(reader._exchanges.exchanges))
        return over

    monkeypatch.setattr(call_reader.CallReader, "feed", feed)
    found = facts(*(event for at in range(100) for event in called(at + 1, at * 10, at * 10 + 9)))
    assert len(found.model_calls) == 100
    assert max(kept) == 1


def test_a_websocket_gives_each_call_when_it_is_over() -> None:
    """And the rest when it is closed; what is no conversation with a model is not kept."""
    opened_ = {
        "method": "GET",
        "host": "api.openai.com",
        "path": "/v1/responses",
        "headers": [["upgrade", "websocket"]],
    }
    ask = '{"type":"response.create","model":"m-1","input":[],"tools":[{"type":"function","name":"read"}]}'

    def sent(at: int, body: int) -> list[Timed]:
        return [
            (at, {"exchange": 1, "sent": ask}),
            (at, {"exchange": 1, "message": {"from": "agent", "text": True, "body": body, "size": len(ask)}}),
        ]

    def received(at: int, event: bytes) -> list[Timed]:
        return [
            (at, {"exchange": 1, "received": event.decode()}),
            (at, {"exchange": 1, "message": {"from": "provider", "text": True}}),
        ]

    done = streams._response("response.completed", **streams.RESPONSES_DONE)
    found = facts(
        (10, prompt(1)),
        (12, {"exchange": 1, "request": opened_}), (13, {"exchange": 1, "response": {"status": 101, "headers": []}}),
        *sent(20, 1), *received(30, json.dumps(done).encode()),
        *sent(40, 2), *received(50, b'{"type":"response.created","response":{"id":"r-2"}}'),
        (60, {"exchange": 1, "end": {"broken_by": "agent"}}), (90, stop(1)),
    )  # fmt: skip
    assert [
        (call.call, call.exchange, call.aborted, *ms(call, "duration")) for call in found.model_calls
    ] == [
        (1, 1, False, 10),
        (2, 1, True, 20),
    ]


def test_what_no_column_holds_is_left_out() -> None:
    """A hostile provider counts more tokens than there are, and says more than anyone reads."""
    long = "x" * 5000
    found = facts(
        (10, prompt(1)), *called(1, 20, 30, tokens=(2**70, 7), uses=(long,)),
        *called(2, 40, 50, status=500, error=long), (90, stop(1)),
    )  # fmt: skip
    first, second = found.model_calls
    assert (first.input_tokens, first.input_tokens_total, first.output_tokens) == (None, None, 7)
    assert first.tools == f'["{long[:200]}"]'
    assert second.error == long[:200]
    assert facts(*called(2**64, 20, 30)).model_calls == []


def test_damage_and_strange_entries_are_no_calls() -> None:
    """Never raises: a gap, numbers that are none, an end of what never began."""
    strange: list[dict[str, Any]] = [
        {"exchange": True},
        {"exchange": 7, "end": {}},
        {"exchange": -1, "message": {"from": "agent"}},
        {"gap": {}},
    ]
    entries: list[Timed] = [(at, event) for at, event in enumerate(strange)]
    assert facts(*entries, *called(1, 20, 30)[:2]).model_calls == []
    assert facts_of(tell("agent", "x")).model_calls == []
