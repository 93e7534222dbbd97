"""The JSON report: its keys are a promise."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import msgspec
import pytest

from acp_trace.analyze.facts import ModelCall
from acp_trace.report.json.report import document
from tests.analyze.model_side import called, facts
from tests.http_story import http_trace
from tests.reading.talk import cancel, prompt, stop
from tests.report.story import story
from tests.support import analyzed, error, facts_of, request, result, update

#: The keys of each object of the report, by where it stands; `[]` for the members of a list.
_KEYS = {
    "": "acp_trace_report trace sessions cancellations exchanges latency findings model_calls streams spent "
    "time silence",
    "time": "duration_ns before_ns turns_ns between_ns after_ns",
    "spent": "input_tokens cached_tokens output_tokens cost most",
    "trace": "id started_at duration_ns protocol_version complete live lost damaged torn_bytes agent client "
    "frames bytes odd_frames logs last_log labels meta_merge origin replay_of has_times end imported transport "
    "faults",
    "trace/agent": "name title version argv cwd",
    "trace/client": "name title version",
    "sessions[]": "session_id frame t_ns opened_by ended_by cwd title replayed usage turns outside_turns "
    "metadata config cancellations updates events name parent_session_id parent_tool_call_id subagent_ns "
    "opened_frame opened_ns forked_from",
    "sessions[]/turns[]": "turn frame settled_frame t_ns duration_ns stop_reason error_code first_update_ns "
    "first_output_ns prompt tool_calls permissions time chunks prompt_cut "
    "model_ns tool_ns client_ns own_ns model_calls silence_ns silence_frame unknown_ns name "
    "input_tokens cached_tokens output_tokens cost",
    "sessions[]/turns[]/time": "before_output_ns tools_ns permissions_ns requests_ns writing_ns rest_ns",
    "sessions[]/turns[]/tool_calls[]": "id frame title kind status t_ns duration_ns ended_frame history began_ns parent_id "
    "replayed over_ns",
    "sessions[]/turns[]/tool_calls[]/history[]": "frame t_ns status",
    "sessions[]/turns[]/permissions[]": "frame outcome option_id option_kind wait_ns t_ns tool_call_id title parent_id",
    "sessions[]/metadata": "timeline final",
    "sessions[]/metadata/timeline[]": "frame t_ns replayed turn changes",
    "sessions[]/metadata/final": "title _meta",
    "sessions[]/config": "timeline final mode",
    "sessions[]/config/timeline[]": "frame t_ns cause legacy requested asked_frame honoured error_code changes "
    "turn",
    "sessions[]/cancellations[]": "kind frame t_ns sender target outcome settled_frame settle_ns quiesce_ns "
    "updates_after_cancel late_updates cascade model_calls",
    "sessions[]/cancellations[]/target": "frame method id",
    "sessions[]/cancellations[]/cascade[]": "frame sender method outcome settle_ns",
    "exchanges[]": "frame t_ns response_frame sender method id session_id latency_ns outcome error_code "
    "error_message error_data request_bytes",
    "latency[]": "sender method count answered open errors min_ns p50_ns p95_ns max_ns",
    "findings[]": "code severity blame frame session_id count message path expected consequence_of t_ns requirements",
}


def _at(found: Any, place: str) -> Any:
    for name in filter(None, place.split("/")):
        found = found[name.removesuffix("[]")]
        found = found[0] if name.endswith("[]") else found
    return found


@pytest.mark.parametrize("place", _KEYS)
def test_every_key_of_the_report(place: str) -> None:
    """Exactly these, so that a key that vanishes fails here."""
    found = json.loads(msgspec.json.encode(document(story())))
    assert set(_at(found, place)) == set(_KEYS[place].split())


def test_values_stand_as_they_were_written() -> None:
    """Ids and usage keep their text; what has no value is null, and a change's missing side is absent."""
    found = json.loads(
        msgspec.json.encode(
            document(
                facts_of(
                    ("client", request(1.0, "session/new", cwd="/w")),
                    ("agent", result(1.0, sessionId="s")),
                    ("client", request("p", "session/prompt", sessionId="s")),
                    ("agent", request(0, "session/request_permission", sessionId="s")),
                    ("client", error(0, -32800)),
                    ("agent", update("s", "usage_update", used=1, size=2)),
                    ("agent", update("s", "session_info_update", title="t")),
                    ("agent", result("p", stopReason="end_turn")),
                )
            )
        ),
        parse_float=str,
    )
    assert [one["id"] for one in found["exchanges"]] == [1, "p", 0]
    (session,) = found["sessions"]
    assert session["usage"] == {"used": 1, "size": 2}
    assert session["updates"] == {"usage_update": 1, "session_info_update": 1}
    assert session["metadata"]["timeline"][0]["changes"] == [{"path": "/title", "after": "t"}]
    assert session["turns"][0]["permissions"] == [
        {
            "frame": 4,
            "outcome": "error",
            "option_id": None,
            "option_kind": None,
            "wait_ns": 1000,
            "t_ns": 4000,
            "tool_call_id": None,
            "title": None,
            "parent_id": None,
        }
    ]


def test_cancels_of_no_listed_session_stand_at_the_top() -> None:
    """A session/cancel without a session, and one for a request whose session no session method names."""
    found = document(
        facts_of(
            ("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {}}),
            ("agent", request(1, "fs/read_text_file", sessionId="x")),
            ("agent", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}),
        )
    )
    assert [(one.frame, one.outcome) for one in found.cancellations] == [(1, "no_target"), (3, "unanswered")]
    assert found.sessions == []


@pytest.mark.slow
def test_ten_thousand_sessions_cost_no_more_than_one_pass() -> None:
    """A hostile trace must not make the report quadratic: this would take minutes."""
    frames = [("agent", update(f"s{n}", "plan")) for n in range(10_000)]
    assert len(document(facts_of(*frames)).sessions) == 10_000


def test_a_turn_that_never_ended_says_how_long_it_was_open() -> None:
    """Until the end of the trace; one that ended has no such key."""
    prompt = {"sessionId": "s", "prompt": []}
    told = [
        ("client", request(1, "session/prompt", **prompt)),
        ("client", request(2, "session/prompt", **prompt)),
    ]
    found = facts_of(*told, ("agent", result(1, stopReason="end_turn")))
    settled, left_open = json.loads(msgspec.json.encode(document(found)))["sessions"][0]["turns"]
    assert {"open_ns", "open_time"}.isdisjoint(settled)
    assert sum(left_open["open_time"].values()) == left_open["open_ns"]
    assert left_open["open_ns"] == found.trace.duration_ns - left_open["t_ns"] > 0


def test_a_call_of_the_model() -> None:
    """All that is known of it, under the names of its fact; its tools are a list."""
    found = facts((100, prompt(1)), *called(1, 110, 150, uses=("bash",)), (200, stop(1)))
    report = json.loads(msgspec.json.encode(document(found)))
    (call,) = report["model_calls"]
    assert set(call) == {one.name for one in fields(ModelCall)}
    assert (call["call"], call["tools"], call["aborted"], call["error"]) == (1, ["bash"], False, None)
    (turn,) = report["sessions"][0]["turns"]
    assert (turn["model_calls"], turn["model_ns"], turn["own_ns"]) == (1, 40_000_000, 60_000_000)


def test_a_cancel_names_the_calls_of_its_turn() -> None:
    """Those that were open, with what still came; not those of another turn."""
    found = facts(
        (100, prompt(1)), *called(1, 110, 120), *called(2, 130, 300, says=[(140, "a"), (250, "bc")], tokens=(9, 3)),
        (200, cancel()), (310, stop(1, "cancelled")),
    )  # fmt: skip
    report = json.loads(msgspec.json.encode(document(found)))
    (cancellation,) = report["sessions"][0]["cancellations"]
    assert cancellation["model_calls"] == [
        {
            "call": 2,
            "aborted": False,
            "cancel_to_end_ns": 100_000_000,
            "output_after_cancel": 2,
            "tokens_after_cancel": 2,
        }
    ]
    assert [one["message"] for one in report["findings"]] == [
        "call 2 of m-1 ran to its end, 100 ms after the cancel; 2 characters and 2 tokens still came"
    ]


def test_a_stream_of_http() -> None:
    """With all that is known of it, and frames of both sides counted."""
    report = json.loads(msgspec.json.encode(document(analyzed(http_trace())[0])))
    assert report["trace"]["transport"] == "http"
    *_, refused, _, _ = report["streams"]
    assert refused == {
        "stream": 6,
        "t_ns": 21_000_000,
        "protocol": "HTTP/1.1",
        "method": "POST",
        "path": "/acp",
        "connection_id": "c1",
        "session_id": "s2",
        "status": 404,
        "content_type": "text/plain",
        "response_ns": 2_000_000,
        "duration_ns": 4_000_000,
        "ended_by": "agent",
        "close_code": None,
        "failed": None,
        "unread": None,
        "body": "Unknown Acp-Session-Id\n",
        "frame": 8,
        "last_frame": 8,
        "frames": {"client": 1, "agent": 0},
    }
