"""A filter wants the same frames as the options of `frames` that say the same."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.report.filters import Filter
from acp_trace.report.frame_filter.grammar import parse
from acp_trace.report.frame_filter.rows import KnownFacts, Where
from acp_trace.report.frame_rows import FrameRow, Timer
from acp_trace.report.selection import turn_span
from acp_trace.trace.parse import Parser
from tests.support import SAMPLES, request, trace, update

_STORY = next(path for path in SAMPLES if path.stem == "opencode-story")


def _read(data: bytes) -> tuple[list[FrameRow], Facts]:
    analyzer, timer = Analyzer(), Timer()
    frames = [frame for entry in Parser().feed(data) if (frame := analyzer.feed(entry))]
    return [timer.row(frame) for frame in frames], analyzer.facts()


def _numbers(filter_: Filter, rows: list[FrameRow]) -> list[int]:
    return [row.frame.frame for row in filter_.of(rows) if isinstance(row, FrameRow)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("method:session/*", {"method": "session/*"}),
        ("kind:agent_*", {"update": "agent_*"}),
        ("side:agent", {"sender": "agent"}),
        ("session:ses_", {"session": "ses_"}),
        ("frame:3,10-20", {"numbers": [(3, 3), (10, 20)]}),
        ("t>=1s t<=3.5s", {"since_ns": 10**9, "until_ns": 3_500_000_000}),
        ("turn:1", {"turn": 1}),
        ("turn:S1.2", {"turn": 2}),
    ],
)
def test_options_are_filters(text: str, options: dict[str, Any]) -> None:
    """Frame by frame, in a real recording."""
    rows, facts = _read(_STORY.read_bytes())
    if "turn" in options:
        options = {"turn": turn_span(facts, options["turn"])}
    wanted = _numbers(Filter(**options), rows)
    assert _numbers(Filter(where=Where(parse(text)), known=KnownFacts.of(facts)), rows) == wanted
    assert wanted


def test_what_a_frame_says() -> None:
    """Errors, tool calls and ids are read from the frame."""
    cause = {"code": -32000, "message": "Login", "data": {"deep": ["Log in at x"]}}
    failed = {"jsonrpc": "2.0", "id": "a", "error": cause}
    data = trace(
        ("client", request("a", "session/prompt", sessionId="s", prompt=[])),
        ("agent", update("s", "tool_call", toolCallId="c1", title="Run it", kind="execute")),
        ("agent", request(5, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c1"})),
        ("agent", failed),
        ("agent", {"jsonrpc": "2.0", "id": 9, "error": "odd"}),
    )
    rows, facts = _read(data)

    def found(text: str) -> list[int]:
        where = Where(parse(text))
        assert not where.needs_facts or text.startswith("is:open")
        return _numbers(Filter(where=where, known=KnownFacts.of(facts)), rows)

    assert found("tool:c1") == [2, 3]
    assert found("tool:execute,run") == [2]
    assert found("id:a") == [1, 4]
    assert found("id:5") == [3]
    assert found("error:-32000") == found('error:"log in"') == [4]
    assert found("is:error")[:1] == [4]
    assert found("is:open") == [3]
