"""What is said inside of envelopes has facts of its own, and changes none of the outer connection."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from acp_trace.analyze.facts import ROWS, Facts
from acp_trace.protocol.envelopes import DEEPEST
from acp_trace.story.transcript import TranscriptItem, transcripts
from acp_trace.story.unwrapped import unwrapped
from acp_trace.trace.parse import Parser
from tests.proxied import ENVELOPE, proxied
from tests.support import TRACES, analyzed, request, result, trace, update

_RECORDED = pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in TRACES])
#: Whose rows are of one connection, but not those of models and of streams, which stand beside it.
_TABLES = [name for name in ROWS if name not in ("findings", "model_calls", "streams")]


def _through_a_proxy(path: Path, **how: Any) -> tuple[Any, Any]:
    file, parser = path.read_bytes(), Parser()
    entries = [*parser.feed(file)]
    last, _ = parser.finish()
    entries += [last] if last else []
    return analyzed(proxied(entries, method=None, is_plain=True)), analyzed(proxied(entries, **how))


def _rows(facts: Facts, table: str, prefix: str) -> list[Any]:
    """The rows of sessions whose name begins so, without where and when they stand."""
    rows = []
    for row in getattr(facts, table):
        if row.session_id is None or not row.session_id.startswith(prefix):
            continue
        members = dataclasses.asdict(row)
        if table == "exchanges":
            members.pop("id")  # a proxy asks under ids of its own
        members.pop("target_id", None)
        if table == "sessions":
            members.pop("name")  # those of both connections are counted together
        rows.append(
            {
                key: value.removeprefix(prefix) if isinstance(value, str) else value
                for key, value in members.items()
                if not (key.endswith(("frame", "_ns", "bytes")))
            }
        )
    return sorted(rows, key=str)


@pytest.mark.parametrize("how", [{"method": "proxy/successor"}, {"method": ENVELOPE, "wraps_cancels": False}])
@_RECORDED
def test_a_recording_through_a_proxy(path: Path, how: dict[str, Any]) -> None:
    """Of real agents: all that is known of their sessions is known behind a proxy, of the inner connection."""
    (plain, _), (inside, _) = _through_a_proxy(path, **how)
    for table in _TABLES:
        assert _rows(inside, table, "successor:") == _rows(plain, table, ""), table


@_RECORDED
def test_a_proxy_between_both_sides(path: Path) -> None:
    """Both connections are told, each as if the other were not there."""
    (plain, _), (both, _) = _through_a_proxy(path, is_plain=True)
    for table in _TABLES:
        outer = [row for row in _rows(both, table, "") if not row["session_id"].startswith("successor:")]
        assert outer == _rows(plain, table, ""), table
    assert {one.code for one in both.findings} <= {one.code for one in plain.findings}


def _told(item: TranscriptItem) -> tuple[Any, ...]:
    about = [getattr(item.fact, name, None) for name in ("id", "title", "stop_reason", "outcome")]
    return item.kind, item.text, about, item.is_history, item.count


@_RECORDED
def test_a_conversation_through_a_proxy(path: Path) -> None:
    """The transcript of the inner sessions has the same items."""
    (plain, frames), (inside, packed) = _through_a_proxy(path)
    alone = transcripts(plain, frames)
    found = transcripts(inside, packed)
    assert {f"successor:{named}": list(map(_told, items)) for named, items in alone.items()} == {
        named: list(map(_told, items)) for named, items in found.items()
    }


def _mcp(id_: int, method: str, **params: Any) -> dict[str, Any]:
    carried = {"serverId": "srv", "requestId": str(id_), "method": method, "params": params}
    return {"jsonrpc": "2.0", "id": id_, "method": "mcp/message", "params": carried}


_MCP = trace(
    ("client", request(1, "session/new", mcpServers=[{"type": "acp", "name": "t", "serverId": "srv"}])),
    ("agent", result(1, sessionId="s")),
    ("client", request(2, "session/prompt", sessionId="s")),
    ("agent", _mcp(8, "tools/call", name="add")),
    ("client", result(8, result={"content": []})),
    ("agent", _mcp(9, "tools/call", name="bad")),
    ("client", result(9, error={"code": -32602, "message": "no such tool"})),
    ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": "on"})),
    ("agent", result(2, stopReason="end_turn")),
)


def test_a_message_of_mcp() -> None:
    """It has the session that was opened with its server, and the agent is the client there."""
    facts, frames = analyzed(_MCP)
    found = [one for one in facts.exchanges if one.method == "mcp:tools/call"]
    assert [(one.frame, one.response_frame, one.sender, one.session_id) for one in found] == [
        (4, 5, "client", "s"),
        (6, 7, "client", "s"),
    ]
    assert [(one.outcome, one.error_code) for one in found] == [("result", None), ("error", -32602)]
    inside = [frame for frame in unwrapped(frames) if str(frame.frame).endswith("›")]
    assert [(str(one.frame), one.sender, one.kind, one.method, one.session_id) for one in inside] == [
        ("4›", "client", "request", "tools/call", "s"),
        ("5›", "agent", "response", "tools/call", "s"),
        ("6›", "client", "request", "tools/call", "s"),
        ("7›", "agent", "response", "tools/call", "s"),
    ]


def _nested(depth: int) -> dict[str, Any]:
    carried: dict[str, Any] = {"method": "session/update", "params": {"sessionId": "s"}}
    for _ in range(depth):
        carried = {"method": "proxy/successor", "params": carried}
    return {"jsonrpc": "2.0", **carried}


@pytest.mark.parametrize("depth", [1, 2, DEEPEST, DEEPEST + 1, 200])
def test_envelopes_in_envelopes_are_limited(depth: int) -> None:
    """However deep they go, and nothing fails."""
    _, frames = analyzed(trace(("client", _nested(depth))))
    places = [str(frame.frame) for frame in unwrapped(frames)]
    assert places == ["1" + "›" * level for level in range(min(depth, DEEPEST) + 1)]
