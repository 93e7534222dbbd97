"""The conversation as the page reads it: items with what tools did, in slices."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.frame import Frame
from acp_trace.report.page import transcript
from acp_trace.report.page.diff_lines import diff
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.parse import Parser
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, answer, ask, call, hello, opened, prompt, reply, stop, up
from tests.support import line, trace


def _parts(data: bytes) -> dict[str, Any]:
    analyzer, read = Analyzer(), list[Frame | Entry]()
    for entry in Parser().entries(data):
        frame = analyzer.feed(entry)
        if frame is not None:
            read.append(frame)
        elif entry.kind is EntryKind.LOG:
            read.append(entry)
    return {
        name: msgspec.json.decode(part) for name, part in transcript.parts(analyzer.facts(), lambda: read)
    }


def _items(*said: Said) -> list[dict[str, Any]]:
    parts = _parts(trace(*said))
    return [item for name, part in parts.items() if name != "transcript.json" for item in part]


def _said(text: str, **more: Any) -> Said:
    return up("agent_message_chunk", content={"type": "text", "text": text}, **more)


def test_an_empty_message_is_none_and_stderr_has_no_colours() -> None:
    """fast-agent sends an empty chunk before it asks; others colour what they write."""
    said = trace(*start(), prompt(1), _said(""), stop(1), end=False)
    parts = _parts(said + line(t=10**9, log="\x1b[2mdim\x1b[0m \x1b[31mred"))
    items = [item for name, part in parts.items() if name != "transcript.json" for item in part]
    assert [item["kind"] for item in items] == ["user", "end", "log"]
    assert items[2]["lines"] == ["dim red"]


def test_a_tool_call_holds_what_its_updates_told_last() -> None:
    """Diffs as lines, texts, places, and the frames of its raw input and output."""
    changed = {"type": "diff", "path": "/w/a", "oldText": "one\ntwo\n", "newText": "one\n2\n"}
    text = {"type": "content", "content": {"type": "text", "text": "done"}}
    items = _items(
        *start(),
        prompt(1),
        up("tool_call", toolCallId="t", title="Edit", kind="edit", rawInput={"a": 1}, content=[text]),
        up("tool_call_update", toolCallId="t", locations=[{"path": "/w/a", "line": 2}], content=[changed, text]),
        up("tool_call_update", toolCallId="t", status="completed", rawOutput="ok"),
        stop(1),
    )  # fmt: skip
    tool = next(item for item in items if item["kind"] == "tool")
    frame = tool["frame"]
    assert (tool["raw_input_frame"], tool["raw_output_frame"], tool["last_frame"]) == (
        frame,
        frame + 2,
        frame + 2,
    )
    assert tool["locations"] == [{"path": "/w/a", "line": 2}]
    assert tool["content"][1] == {"text": "done"}
    lines = {"before": 1, "after": 1, "lines": [" one", "-two", "+2"]}
    assert tool["content"][0]["diff"] == {
        "path": "/w/a", "is_new": False, "added": 1, "removed": 1, "hunks": [lines],
    }  # fmt: skip


def test_hunks_have_a_little_around_them() -> None:
    """What is far from a change is left out; changes near each other share a hunk; a new file has no before."""
    numbers = [str(number) for number in range(40)]
    changed = [{"3": "x", "5": "y", "30": "z"}.get(number, number) for number in numbers]
    found = diff("a", "\n".join(numbers), "\n".join(changed))
    assert [(hunk["before"], hunk["after"], len(hunk["lines"])) for hunk in found["hunks"]] == [
        (1, 1, 11),
        (28, 28, 8),
    ]
    assert diff("a", None, "new\n")["hunks"] == [{"before": 0, "after": 1, "lines": ["+new"]}]
    assert diff("a", "same\n", "same\n")["hunks"] == []


@pytest.mark.parametrize(
    "told",
    [
        [
            call(9, "terminal/create", sessionId="s", command="ls", args=["-l"]),
            reply(9, terminalId="T"),
            up("tool_call", toolCallId="t", title="ls", content=[{"type": "terminal", "terminalId": "T"}]),
            call(10, "terminal/output", sessionId="s", terminalId="T"),
            reply(10, output="a.txt\n", truncated=False, exitStatus={"exitCode": 0}),
        ],
        [
            up("terminal_update", terminalId="T", command="ls -l"),
            up("tool_call_update", toolCallId="t", content=[{"type": "terminal", "terminalId": "T"}]),
            up("terminal_output_chunk", terminalId="T", data="YS50"),
            up("terminal_output_chunk", terminalId="T", data="eHQK"),
            up("terminal_update", terminalId="T", exitStatus={"exitCode": 0}),
        ],
        [
            up("tool_call", toolCallId="t", title="ls", _meta={"terminal_info": {"terminal_id": "T"}}),
            up("tool_call_update", toolCallId="t", _meta={
                "terminal_output": {"terminal_id": "T", "data": "a.txt\n"},
                "terminal_exit": {"terminal_id": "T", "exit_code": 0}}),
        ],
    ],
    ids=["requests", "updates", "meta"],
)  # fmt: skip
def test_terminals_print_however_that_is_told(told: list[Said]) -> None:
    """By requests of version 1, updates of draft 2, or `_meta`."""
    items = _items(
        *start(2 if told[0][1]["params"].get("update", {}).get("terminalId") else 1), prompt(1), *told
    )
    (terminal,) = next(item for item in items if item["kind"] == "tool")["content"]
    assert (terminal["terminal"], terminal["output"], terminal["exit"]) == ("T", "a.txt\n", "exit code 0")
    assert terminal["command"] in ("ls -l", "")


def test_history_is_folded_stderr_has_its_place_and_long_conversations_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a load sends again has slices of its own; an open turn is told at the end."""
    monkeypatch.setattr(transcript, "SLICE_ITEMS", 2)
    load = ask(1, "session/load", sessionId="s", cwd="/w", mcpServers=[])
    lines = trace(
        *start()[:2], load, _said("old", messageId="1"), _said("older", messageId="2"), _said("oldest", messageId="3"),
        answer(1), prompt(2), _said("new"), end=False,
    )  # fmt: skip
    parts = _parts(lines + line(t=10**9, log="oh") + line(t=10**9, log="no"))
    (session,) = parts["transcript.json"]["sessions"]
    items = [item for number, *_ in session["slices"] for item in parts[f"transcript/{number}.json"]]
    assert [item["kind"] for item in items] == ["history", "user", "agent", "log", "end"]
    assert (items[0]["items"], len(items[0]["slices"])) == (3, 2)
    assert [count for _, _, count, _ in session["slices"]] == [2, 2, 1]
    assert (items[3]["lines"], items[3]["frame"]) == (["oh", "no"], items[2]["frame"])
    assert (items[4]["turn"], items[4]["settled"]) == (1, False)


def test_stderr_of_several_sessions_at_once_is_of_none() -> None:
    """Of one that is at work alone, it is there, whichever frame came before; after the last turn, as before."""
    talk = [*hello(), *opened("s"), *opened("s2"), prompt(1), prompt(2, "s2"), stop(2), _said("x"), stop(1)]
    lines = trace(*talk).splitlines(keepends=True)
    for after, text in ((10, "3"), (9, "2"), (8, "1"), (7, "0")):
        lines.insert(after + 1, line(t=after * 1000 + 1, log=text))
    parts = _parts(b"".join(lines))
    assert parts["transcript.json"]["outside"] == 2
    items = [item for name, part in parts.items() if name != "transcript.json" for item in part]
    assert [item["lines"] for item in items if item["kind"] == "log"] == [["0"], ["3"]]
