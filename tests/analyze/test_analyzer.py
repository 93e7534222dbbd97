"""The analyser as a whole: any JSON, any pieces, counts, and a second reading of the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.trace.parse import Parser
from tests.support import TRACES, analyzed, error, facts_of, header, line, request, result, trace, update

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_WORDS = st.sampled_from(
    ["initialize", "session/new", "session/load", "session/prompt", "session/update",
     "session/request_permission",
     "session/fork", "tool_call", "state_update", "usage_update", "session_info_update", "s", "idle"]
)  # fmt: skip
_KEYS = ["id", "method", "params", "result", "error", "sessionId", "update", "sessionUpdate", "toolCallId",
         "title", "outcome", "code", "prompt", "protocolVersion", "clientInfo", "cwd", "used", "replayFrom",
         "content"]  # fmt: skip
_MESSAGE = st.recursive(
    _JSON | _WORDS,
    lambda inner: st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5) | st.lists(inner, max_size=2),
    max_leaves=12,
)
_FRAMES = st.lists(st.tuples(st.sampled_from(["client", "agent"]), _MESSAGE), max_size=12)


@given(_FRAMES)
def test_any_json_at_all_never_raises(frames: list[tuple[str, Any]]) -> None:
    """Every frame is counted, whatever it holds."""
    found, listed = analyzed(trace(*frames))
    assert found.trace.frames_client + found.trace.frames_agent == len(frames) == len(listed)


@given(_FRAMES, st.integers(1, 50))
def test_feeding_in_pieces_equals_feeding_at_once(frames: list[tuple[str, Any]], step: int) -> None:
    """One analyser serves files and live traces; asking in between changes nothing."""
    data = trace(*frames)
    parser, analyzer = Parser(), Analyzer()
    for at in range(0, len(data), step):
        for entry in parser.feed(data[at : at + step]):
            analyzer.feed(entry)
        if at % 3 == 0:
            analyzer.facts()
    assert analyzer.facts() == analyzed(data)[0]


def test_what_is_counted() -> None:
    """Frames, bytes without newlines, logs, losses, damage, the end."""
    data = (
        header(labels={"k": "v"})
        + line(t=1, **{"from": "client"}, text="noise é")
        + b'{"t":2,"from":"agent","base64":"//8="}\n'
        + b'{"t":3,"from":"agent","frame":{"a":1}}\n'
        + line(t=4, log="x")
        + line(t=5, gap={"frames": 3, "bytes": 70, "reason": "full"})
        + line(t=6, gap={"frames": 1, "bytes": 7, "reason": "full"})
        + b"garbage\n"
        + line(t=99, end={"exit_code": None, "signal": 15})
        + b'{"torn'
    )
    found = analyzed(data)[0].trace
    assert (found.frames_client, found.frames_agent) == (1, 2)
    assert (found.bytes_client, found.bytes_agent) == (len("noise é".encode()), 2 + 7)
    assert (found.odd_client, found.odd_agent, found.last_log) == (1, 2, "x")
    assert (found.logs, found.lost_frames, found.lost_bytes) == (1, 4, 77)
    assert (found.damaged, found.torn_bytes) == (1, 6)
    assert (found.complete, found.exit_code, found.signal, found.duration_ns) == (True, None, 15, 99)
    assert found.labels == '{"k":"v"}'


def test_frames_know_their_place() -> None:
    """A response has its request's method, frame and session; noise has a kind of its own."""
    _, frames = analyzed(
        trace(
            ("client", request(1, "session/prompt", sessionId="s")),
            ("agent", result(1)),
            ("agent", [1]),
            ("agent", 5),
        )
        + b""
    )
    assert [(one.kind, one.method, one.answers, one.session_id) for one in frames] == [
        ("request", "session/prompt", None, "s"),
        ("response", "session/prompt", 1, "s"),
        ("invalid", None, None, None),
        ("invalid", None, None, None),
    ]


def test_memory_does_not_grow_with_chunks() -> None:
    """Ten thousand chunks leave one number behind."""
    frames = [("agent", update("s", "agent_message_chunk", content={"text": "x" * 50}))] * 10_000
    found = facts_of(*frames)
    assert [(one.kind, one.count) for one in found.updates] == [("agent_message_chunk", 10_000)]


def _second_reading(path: Path) -> dict[str, Any]:  # noqa: C901  (plain on purpose)
    """The rules of docs/report.md once more, without a line of the package: exchanges, turns, counts."""
    number = 0
    pairs: list[Any] = []
    waiting: dict[Any, list[Any]] = {}
    turns: list[Any] = []
    sessions: list[str] = []
    counts, sizes, version = {"client": 0, "agent": 0}, {"client": 0, "agent": 0}, None

    def mention(name: object) -> None:
        if isinstance(name, str) and name not in sessions:
            sessions.append(name)

    for raw in path.read_bytes().splitlines():
        entry = json.loads(raw, parse_float=lambda text: ("float", text))
        if "from" not in entry:
            continue
        number, sender, t = number + 1, entry["from"], entry["t"]
        counts[sender] += 1
        if "frame" not in entry:
            sizes[sender] += len(entry.get("text", "").encode())
            continue
        sizes[sender] += len(raw[raw.index(b'"frame":') + 8 : -1])
        message = entry["frame"]
        if not isinstance(message, dict):
            continue
        params: Any = message.get("params") if isinstance(message.get("params"), dict) else {}
        method, key = message.get("method"), json.dumps(message.get("id"))
        if method and method.startswith("session/"):
            mention(params.get("sessionId"))
        if method and "id" in message:
            pair = {
                "frame": number,
                "method": method,
                "sender": sender,
                "t": t,
                "answer": None,
                "params": params,
            }
            pairs.append(pair)
            waiting.setdefault((sender, key), []).append(pair)
            if method == "session/prompt":
                turns.append(
                    {"session": params["sessionId"], "frame": number, "t": t, "settled": None, "stop": None}
                )
        elif method == "session/update" and version == 2:
            told = params["update"]
            if told.get("sessionUpdate") == "state_update" and told.get("state") == "idle":
                for turn in turns:
                    if turn["session"] == params["sessionId"] and turn["settled"] is None:
                        turn["settled"], turn["stop"] = number, told.get("stopReason")
        elif not method and ("result" in message or "error" in message) and "id" in message:
            other = "agent" if sender == "client" else "client"
            if waiting.get((other, key)):
                pair = waiting[other, key].pop(0)
                pair["answer"] = number
                good = message.get("result") or {}
                if pair["method"] == "initialize":
                    version = good.get("protocolVersion")
                if pair["method"] in ("session/new", "session/fork"):
                    mention(good.get("sessionId"))
                for turn in turns:
                    if turn["frame"] == pair["frame"] and (version != 2 or "error" in message):
                        turn["settled"], turn["stop"] = number, good.get("stopReason")
    return {
        "frames": counts,
        "bytes": sizes,
        "protocol": version,
        "pairs": [(one["frame"], one["answer"], one["sender"], one["method"]) for one in pairs],
        "turns": sorted((one["frame"], one["settled"], one["stop"]) for one in turns),
        "sessions": sessions,
    }


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_a_second_reading_of_the_rules_agrees(path: Path) -> None:
    """Every recording at hand, read by a plain script that shares no code with the analyser."""
    found = analyzed(path.read_bytes())[0]
    assert _second_reading(path) == {
        "frames": {"client": found.trace.frames_client, "agent": found.trace.frames_agent},
        "bytes": {"client": found.trace.bytes_client, "agent": found.trace.bytes_agent},
        "protocol": found.trace.protocol_version,
        "pairs": [(one.frame, one.response_frame, one.sender, one.method) for one in found.exchanges],
        "turns": sorted((one.frame, one.settled_frame, one.stop_reason) for one in found.turns),
        "sessions": [one.session_id for one in found.sessions],
    }


def test_numbers_that_fit_no_machine_word() -> None:
    """In ids, usage, error codes, versions, times of the footer: read, kept, never an exception."""
    big = 10**40
    found, _ = analyzed(
        trace(
            ("client", {"id": big, "method": "a", "params": []}),
            ("agent", {"id": big, "result": {}, "method": None}),
            ("agent", update("s", "usage_update", used=big, size=-big)),
            ("client", request(0, "initialize")),
            ("agent", result(0, protocolVersion=big)),
            ("client", request(1, "x")),
            ("agent", error(1, big)),
        )
        + line(t=9, gap={"frames": big, "bytes": big})
        + line(t=9, end={"exit_code": big, "signal": -big})
        + line(t=big, log="late")
    )
    assert found.exchanges[0].id == str(big)
    assert str(big) in (found.sessions[0].usage or "")
    assert found.exchanges[2].error_code is None


def test_odd_initializations_are_no_trouble() -> None:
    """Errors, wrong types, absent members."""
    found = facts_of(
        ("client", request(0, "initialize", clientInfo={"name": 5, "version": "1"})),
        ("agent", error(0, -32000)),
        ("client", request(1, "initialize", clientInfo="me")),
        ("agent", result(1, protocolVersion="one", agentInfo=[])),
    )
    assert (found.trace.protocol_version, found.trace.client_name, found.trace.agent_name) == (
        None,
        None,
        None,
    )
