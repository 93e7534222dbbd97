"""Lines of two sides become one order that could have been."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading.interleave import interleaved
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.parse import Parser
from tests.reading.chance import conversation
from tests.support import TRACES, request, result, update

Sides = list[tuple[str, Any]]
_NEW: Sides = [
    ("client", request(0, "initialize")),
    ("agent", result(0)),
    ("client", request(1, "session/new")),
    ("agent", result(1, sessionId="s")),
]
_CHUNK = update("s", "agent_message_chunk")
_PROMPT = request(2, "session/prompt", sessionId="s")
_CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}


def _text(message: Any) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


def _interleaved(said: Sides) -> Sides:
    sides = [[_text(message) for side, message in said if side == name] for name in ("client", "agent")]
    return list(interleaved(*sides))


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([], id="nothing"),
        pytest.param(
            [*_NEW, ("client", _PROMPT), ("agent", _CHUNK), ("agent", result(2, stopReason="end_turn"))],
            id="updates are between the prompt and its response",
        ),
        pytest.param(
            [
                *_NEW,
                ("agent", update("s", "available_commands_update")),
                ("client", _PROMPT),
                ("agent", result(2)),
            ],
            id="commands may come before a prompt",
        ),
        pytest.param(
            [
                *_NEW,
                ("client", _PROMPT),
                ("agent", request(0, "session/request_permission", sessionId="s")),
                ("client", result(0)),
                ("agent", _CHUNK),
                ("agent", result(2, stopReason="end_turn")),
            ],
            id="an answer is given at once",
        ),
        pytest.param(
            [
                *_NEW,
                ("client", _PROMPT),
                ("agent", request(0, "fs/read_text_file", sessionId="s")),
                ("client", result(0)),
                ("agent", request(0, "fs/read_text_file", sessionId="s")),
                ("client", result(0)),
                ("agent", result(2, stopReason="end_turn")),
            ],
            id="an id is used again",
        ),
        pytest.param(
            [
                *_NEW,
                ("client", _PROMPT),
                ("agent", _CHUNK),
                ("client", _CANCEL),
                ("agent", result(2, stopReason="cancelled")),
                ("client", request(3, "session/prompt", sessionId="s")),
                ("agent", _CHUNK),
                ("agent", result(3, stopReason="end_turn")),
            ],
            id="a cancel is before what it cancelled",
        ),
        pytest.param(
            [
                *_NEW,
                ("client", _PROMPT),
                ("agent", result(2, stopReason="end_turn")),
                ("client", _CANCEL),
                ("client", request(3, "session/prompt", sessionId="s")),
                ("agent", result(3, stopReason="end_turn")),
            ],
            id="a cancel without effect was too late",
        ),
        pytest.param(
            [
                *_NEW,
                ("client", _PROMPT),
                ("agent", request(0, "session/request_permission", sessionId="s")),
                ("client", _CANCEL),
                ("client", result(0)),
                ("agent", result(2, stopReason="cancelled")),
            ],
            id="what stands before an answer that is due goes with it",
        ),
        pytest.param(
            [
                ("client", request(0, "initialize")),
                ("client", request(5, "session/load", sessionId="s")),
                ("client", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 5}}),
                ("agent", {"jsonrpc": "2.0", "id": 5, "error": {"code": -32800, "message": "x"}}),
            ],
            id="a request that was taken back",
        ),
        pytest.param([("agent", b"banner"), *_NEW], id="text before anything"),
        pytest.param([("agent", result(9)), *_NEW], id="a response to nothing"),
        pytest.param(
            [("client", _PROMPT), ("agent", _CHUNK), ("agent", _CHUNK)], id="a log that ends within a turn"
        ),
    ],
)
def test_conversations(said: Sides) -> None:
    """In the only order that makes sense, or in the likeliest."""
    assert _interleaved(said) == [(side, _text(message)) for side, message in said]


def test_two_sessions() -> None:
    """Updates of one that has no turn yet wait, with all behind them, until it has."""
    second = update("t", "agent_message_chunk")
    said: Sides = [
        ("client", request(0, "session/load", sessionId="t")),
        ("agent", result(0)),
        ("client", request(2, "session/prompt", sessionId="s")),
        ("client", request(3, "session/prompt", sessionId="t")),
        ("agent", second),
        ("agent", result(3)),
        ("agent", result(2)),
    ]
    assert _interleaved(said) == [(side, _text(message)) for side, message in said]


def test_neither_side_may_go_on() -> None:
    """The agent does: an update before the response that names its session."""
    early = update("s", "available_commands_update")
    said: Sides = [*_NEW[:3], ("agent", early), _NEW[3], ("client", _PROMPT), ("agent", result(2))]
    assert _interleaved(said) == [(side, _text(message)) for side, message in said]


def _check(said: Sides) -> None:
    made = _interleaved(said)
    for side in ("client", "agent"):
        assert [text for by, text in made if by == side] == [
            _text(message) for by, message in said if by == side
        ]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_real_sessions(path: Any) -> None:
    """Every line is there once, each side's in its order, and each response follows a request that has its id."""
    said = _frames(path.read_bytes())
    _check(said)
    asked: set[tuple[str, str]] = set()
    requests = {
        (side, str(value["id"])) for side, value in _values(said) if "method" in value and "id" in value
    }
    for side, value in _values(_interleaved(said)):
        other = "client" if side == "agent" else "agent"
        if "method" in value:
            asked.add((side, str(value.get("id"))))
        elif (other, str(value.get("id"))) in requests:
            assert (other, str(value["id"])) in asked


def _frames(trace: bytes) -> Sides:
    entries = [entry for entry in Parser().feed(trace) if entry.kind is EntryKind.FRAME]
    return [(entry.sender or "", entry.data) for entry in entries]


def _values(said: Sides) -> list[tuple[str, dict[str, Any]]]:
    values = [(side, json.loads(text)) for side, text in said]
    return [(side, value) for side, value in values if isinstance(value, dict)]


@given(st.integers())
def test_any_conversation(seed: int) -> None:
    """No line is lost, made up or moved within its side."""
    _check(_frames(conversation(seed)))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["client", "agent"]),
            st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"")),
        )
    )
)
def test_any_lines(said: Sides) -> None:
    """Nor of anything else."""
    _check(said)
