"""Nothing is said from order alone where frames came on different streams of HTTP."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from acp_trace.analyze.facts import Finding
from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.findings.stream_order import DOUBT, ORDERED
from acp_trace.trace.http_lines import message
from tests.docs.pages import DOCS, text_of
from tests.support import END, analyzed, header, line, request, result, update

#: A stream for each POST; then those of the connection and of the session.
_CONNECTION, _SESSION = 1001, 1002
_CHUNK = update("s", "agent_message_chunk", content={"type": "text", "text": "hi"})


def _found(*frames: tuple[str, Any, int]) -> list[Finding]:
    """The findings of frames with their streams."""
    lines = [header(transport="http", agent={"url": "http://127.0.0.1:1/acp"})]
    for number, (sender, said, stream) in enumerate(frames, 1):
        lines.append(message(sender.encode(), number * 1000, json.dumps(said).encode(), stream))
    facts, _ = analyzed(b"".join([*lines, line(t=10**6, end=END)]))
    return facts.findings


def _turn(answer: int) -> list[tuple[str, Any, int]]:
    """A turn whose answer comes on this stream."""
    return [
        ("client", request(0, "initialize", protocolVersion=1), 1),
        ("agent", result(0, protocolVersion=1), 1),
        ("client", request(1, "session/new", cwd="/w", mcpServers=[]), 2),
        ("agent", result(1, sessionId="s"), _CONNECTION),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[]), 3),
        ("agent", _CHUNK, _SESSION),
        ("agent", result(2, stopReason="end_turn"), answer),
    ]


def test_order_within_a_stream_is_told() -> None:
    """An update behind the answer on the same stream was sent after it."""
    (finding,) = _found(*_turn(_SESSION), ("agent", _CHUNK, _SESSION))
    assert (finding.code, finding.severity) == ("update-after-settle", "warning")
    assert DOUBT not in finding.message


def test_order_between_streams_is_doubted() -> None:
    """The answer came on the connection's stream, so the update may have been sent before it."""
    (finding,) = _found(*_turn(_CONNECTION), ("agent", _CHUNK, _SESSION))
    assert (finding.code, finding.severity) == ("update-after-settle", "note")
    assert finding.message.endswith(f"; but {DOUBT}")


def test_requests_of_the_client_may_overtake_each_other() -> None:
    """A cancel in a request of its own; through a WebSocket it is the same stream."""
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
    frames = _turn(_SESSION)
    frames[4:4] = [("client", cancel, 9)]
    frames[-1] = ("agent", result(2, stopReason="cancelled"), _SESSION)
    doubted = {finding.code: finding.severity for finding in _found(*frames)}
    told = {finding.code: finding.severity for finding in _found(*((*each[:2], 1) for each in frames))}
    assert (doubted["cancel-leaked"], told["cancel-leaked"]) == ("note", "warning")


def test_an_opening_that_comes_late_is_no_fault() -> None:
    """Updates of a session may come before the answer that names it."""
    frames = _turn(_SESSION)
    frames[3:3] = [("agent", _CHUNK, _SESSION)]
    assert not _found(*frames)


@pytest.mark.parametrize("code", ORDERED)
def test_the_table_names_findings(code: str) -> None:
    """And the page names the same ones."""
    assert code in CODES
    section = text_of(DOCS / "transports.md").split("### Order")[1].split("###")[0]
    assert code in re.findall(r"`([a-z-]+)`", section)
