"""Traces made by somebody who wants to get through: escapes, sizes, damage."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from acp_trace.mcp_server.table import TOOLS, call
from acp_trace.trace import jsontext
from tests.mcp_server.test_tools import MODEL, STORY
from tests.mcp_server.tools import Tools
from tests.security.poison import EVIL, HARMFUL, poisoned
from tests.support import line, request, result, trace, update

#: How each tool is asked for a trace.
_CALLS: dict[str, dict[str, Any]] = {
    "list_traces": {},
    "show_trace": {"trace": "T", "sections": ["logs"]},
    "list_findings": {"trace": "T"},
    "list_frames": {"trace": "T", "logs": True},
    "read_frame": {"trace": "T", "frame": 4},
    "read_report": {"trace": "T"},
    "query_traces": {"sql": "SELECT * FROM frames, traces"},
    "describe_tables": {},
    "diff_traces": {"expected": "T", "actual": "T"},
    "list_model_calls": {"trace": "T"},
    "read_model_call": {"trace": "T", "call": 1},
    "diff_model_calls": {"expected": "T", "actual": "T"},
}


def asked(tools: Tools, name: str, path: Path) -> str:
    """The text of an answer, or of an error."""
    given = {key: str(path) if value == "T" else value for key, value in _CALLS[name].items()}
    return call(tools.home, name, given).text


def test_every_tool_is_asked() -> None:
    """One that is not in the table above would not be tested here."""
    assert set(_CALLS) == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("sample", ["opencode-story", "gemini-model"])
def test_nothing_in_an_answer_is_obeyed_by_a_terminal(tools: Tools, tmp_path: Path, sample: str) -> None:
    """And the JSON is the same as it was: escaped, not replaced."""
    path = tmp_path / "evil.jsonl"
    path.write_bytes(poisoned(sample, every=True))
    spool = tools.home.spool
    spool.mkdir(parents=True)
    (spool / "evil.jsonl").write_bytes(path.read_bytes())
    for name in _CALLS:
        said = asked(tools, name, path)
        assert said
        assert not HARMFUL.search(said.replace("\n", "")), name
        assert "\n" not in said, name
    row = json.loads(asked(tools, "list_traces", path))["traces"][0]
    assert EVIL in row["labels"]["scene" + EVIL]


def test_a_report_is_made_harmless_as_on_a_screen(tools: Tools, tmp_path: Path) -> None:
    """Its lines are text for people: what is escaped there stays escaped in the structured form."""
    path = tmp_path / "evil.jsonl"
    path.write_bytes(poisoned(every=True))
    report = tools.answer("show_trace", trace=path, sections=["overview", "findings", "logs"])["report"]
    assert not HARMFUL.search(report.replace("\n", ""))
    assert "\\e]0;owned" in report


def huge(tmp_path: Path) -> Path:
    """A trace with a message of 800 kB, numbers that no parser likes, and 500 frames."""
    frames: list[tuple[str, Any]] = [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1)),
        ("client", request(1, "session/new", cwd="/w")),
        ("agent", result(1, sessionId="s")),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "x" * 800_000}])),
        ("agent", update("s", "tool_call", toolCallId="t", title="y" * 100_000, rawInput={f"k{n}": [n] * 50 for n in range(600)})),
        *[("agent", update("s", "plan", entries=[{"content": str(n)}])) for n in range(500)],
    ]  # fmt: skip
    path = tmp_path / "huge.jsonl"
    odd = [
        b'{"t":4000000,"from":"agent","frame":{"jsonrpc":"2.0","method":"x","params":{"n":1e999,"big":'
        + b"9" * 5000
        + b',"half":"\\ud83d","dup":1,"dup":2}}}\n',
        b'{"t":4000001,"from":"agent","frame":{"jsonrpc":"2.0","method":"deep","params":' + b"[" * 900 + b"]" * 900 + b"}}\n",
        b'{"t":4000002,"from":"agent","frame":{"jsonrpc":"2.0"\n',
        b"\xff\xfe nothing\n",
    ]  # fmt: skip
    path.write_bytes(
        trace(*frames, end=False) + b"".join(odd) + line(t=9_000_000, **{"from": "agent"}, text="t" * 50_000)
    )
    return path


@pytest.mark.slow
def test_answers_are_short_whatever_is_in_a_trace(tools: Tools, tmp_path: Path) -> None:
    """Each tool; and what was cut can be read."""
    path = huge(tmp_path)
    for name in _CALLS:
        assert len(asked(tools, name, path).encode()) < 24_000, name
    listed = tools.answer("list_frames", trace=path, frames="5-6", message_bytes=1000)["frames"]
    assert listed[0]["cut"] == [
        {"pointer": "/message/params/prompt/0/text", "type": "string", "total": 800_000}
    ]
    piece = tools.answer(
        "read_frame", trace=path, frame=5, pointer=listed[0]["cut"][0]["pointer"], offset=799_990
    )
    assert (piece["value"], piece["next_offset"]) == ("x" * 10, None)
    keys: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part = tools.answer(
            "read_frame", trace=path, frame=6, pointer="/message/params/update/rawInput", offset=offset
        )
        keys += part["value"]
        offset = part["next_offset"]
    assert keys == [f"k{n}" for n in range(600)]


def test_frames_that_no_parser_likes_are_shown(tools: Tools, tmp_path: Path) -> None:
    """As far as JSON can say them; the last frames of a trace are asked for with a negative offset."""
    rows = tools.answer("list_frames", trace=huge(tmp_path), offset=-3)["frames"]
    odd, deep, text = (row.get("message", row.get("text")) for row in rows)
    assert odd["params"]["half"] == "\ufffd"
    assert odd["params"]["dup"] == 2
    assert isinstance(deep["params"], (list, str))
    assert text.startswith("ttt")


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_damaged_trace_is_told(tools: Tools, tmp_path: Path, keep: float) -> None:
    """Cut in the middle of a line, or with lines of something else in it: an answer, or one line."""
    for sample in (STORY, MODEL):
        data = sample.read_bytes()
        cut = data[: int(len(data) * keep)]
        path = tmp_path / "cut.jsonl"
        path.write_bytes(re.sub(rb'"from":"agent"', b'"from":"nobody"', cut, count=3))
        for name in _CALLS:
            said = asked(tools, name, path)
            assert "Traceback" not in said
            assert said.startswith("{") or "\n" not in said


def test_numbers_beyond_those_of_json_are_encoded(tools: Tools, tmp_path: Path) -> None:
    """An answer is JSON for every reader: no NaN, no lone surrogate."""
    for name in ("list_frames", "read_report", "list_findings"):
        text = asked(tools, name, huge(tmp_path))
        json.loads(text, parse_constant=pytest.fail)
        assert jsontext.is_json(text.encode())
