"""The JSON report: its keys are a promise."""

from __future__ import annotations

import json

import msgspec

from acp_trace.report.document import document
from tests.support import error, facts_of, request, result, update

_TURN = {"turn", "frame", "settled_frame", "t_ns", "duration_ns", "stop_reason", "error_code", "first_update_ns",
         "first_output_ns", "prompt", "tool_calls", "permissions"}  # fmt: skip


def test_every_key_of_the_report() -> None:
    """Exactly these, so that a key that vanishes fails here."""
    found = json.loads(
        msgspec.json.encode(
            document(
                facts_of(
                    ("client", request(1.0, "session/new", cwd="/w")),
                    ("agent", result(1.0, sessionId="s")),
                    ("client", request("p", "session/prompt", sessionId="s")),
                    (
                        "agent",
                        update("s", "tool_call", toolCallId="c", title="t", kind="edit", status="pending"),
                    ),
                    ("agent", request(0, "session/request_permission", sessionId="s")),
                    ("client", error(0, -32800)),
                    ("agent", update("s", "usage_update", used=1, size=2)),
                    ("agent", result("p", stopReason="end_turn")),
                )
            )
        ),
        parse_float=str,
    )
    assert set(found) == {"acp_trace_report", "trace", "sessions", "exchanges", "latency"}
    assert set(found["trace"]) == {
        "id", "started_at", "duration_ns", "protocol_version", "complete", "live", "lost", "damaged", "torn_bytes", "agent",
        "client", "frames", "bytes", "odd_frames", "logs", "last_log", "labels", "end",
    }  # fmt: skip
    assert set(found["trace"]["agent"]) == {"name", "title", "version", "argv", "cwd"}
    assert set(found["trace"]["client"]) == {"name", "title", "version"}
    (session,) = found["sessions"]
    assert set(session) == {
        "session_id", "frame", "t_ns", "opened_by", "cwd", "title", "replayed", "usage", "turns", "updates",
        "outside_turns",
    }  # fmt: skip
    assert session["usage"] == {"used": 1, "size": 2}
    assert session["updates"] == {"tool_call": 1, "usage_update": 1}
    (turn,) = session["turns"]
    assert set(turn) == _TURN
    assert turn["tool_calls"] == [
        {"id": "c", "title": "t", "kind": "edit", "status": "pending", "t_ns": 4000, "duration_ns": None}
    ]
    assert turn["permissions"] == [
        {"frame": 5, "outcome": "error", "option_id": None, "option_kind": None, "wait_ns": 1000}
    ]
    assert set(found["exchanges"][0]) == {
        "frame", "response_frame", "sender", "method", "id", "session_id", "latency_ns", "outcome", "error_code",
        "error_message",
    }  # fmt: skip
    assert [one["id"] for one in found["exchanges"]] == ["1.0", "p", 0]  # a number's text stays: 1.0
    assert set(found["latency"][0]) == {
        "sender", "method", "count", "answered", "open", "errors", "min_ns", "p50_ns", "p95_ns", "max_ns",
    }  # fmt: skip


def test_ten_thousand_sessions_cost_no_more_than_one_pass() -> None:
    """A hostile trace must not make the report quadratic: this would take minutes."""
    frames = [("agent", update(f"s{n}", "plan")) for n in range(10_000)]
    assert len(document(facts_of(*frames)).sessions) == 10_000
