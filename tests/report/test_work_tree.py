"""Tool calls of subagents below the call that they work for: on the terminal, and on the page."""

from __future__ import annotations

import json
from io import StringIO

from rich.console import Console

from acp_trace.analyze.facts import Permission, ToolCall
from acp_trace.report.page import timeline as page_timeline
from acp_trace.report.page import transcript as page_transcript
from acp_trace.report.text.sessions import sessions
from acp_trace.report.text.timeline import timeline
from acp_trace.report.text.transcript import transcript
from acp_trace.report.work_tree import Work, WorkTree
from acp_trace.story.transcript import transcripts
from tests.handmade import made, trace
from tests.reading.talk import Said, call, chosen
from tests.subagents import RECORDED, below_a_call, in_sessions, qwen
from tests.support import analyzed
from tests.support import trace as file_of


def _printed(said: list[Said], section: str) -> list[str]:
    found, frames = analyzed(file_of(*said, step=100_000_000))
    out = StringIO()
    console = Console(file=out, width=100)
    if section == "transcript":
        for text in transcript(found, transcripts(found, frames), live=False):
            console.print(text)
    elif section == "sessions":
        console.print(sessions(found, 100, all_=False))
    else:
        console.print(timeline(found, 100, all_=False, live=False))
    return [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]


def test_the_timeline_is_a_tree() -> None:
    """What was done for a call is below it, also if another call came in between."""
    rows = _printed(below_a_call(), "timeline")[4:]
    assert [(row.split()[1], row.find(row.split()[2])) for row in rows] == [
        ("#6", 17), ("#11", 19), ("#13", 19), ("#14", 19), ("#7", 17),
    ]  # fmt: skip


def test_a_real_subagent_below_its_call() -> None:
    """Its call, what it did, and what it asked for; nobody is blamed, and other sessions have none of it."""
    found, frames = analyzed(RECORDED["three-sessions"].read_bytes())
    assert found.findings == []
    calls = {call.title: call for call in found.tool_calls}
    look = calls["Look around"]
    below = [title for title, call in calls.items() if call.parent_id == look.id]
    assert below == ["Read notes.txt", "wc -l tasks.txt > count.txt"]
    assert [asked.parent_id == look.id for asked in found.permissions] == [False, True, False]
    assert {calls[title].session_id for title in below} == {look.session_id}
    out = StringIO()
    Console(file=out, width=100).print(timeline(found, 100, all_=False, live=False))
    rows = [row for row in out.getvalue().splitlines() if " tool " in row or " asked " in row]
    assert [row.find("tool" if " tool " in row else "asked") for row in rows[:4]] == [17, 19, 19, 19]
    assert len(transcripts(found, frames)) == len(found.sessions) == 3


def test_a_real_subagent_in_a_session_of_its_own() -> None:
    """It is called after the session that announced it, and its time is that of tools in the turn there."""
    found, _ = analyzed(RECORDED["subagent-sessions"].read_bytes())
    assert found.findings == []
    (child,) = (session for session in found.sessions if session.parent_session_id)
    assert (child.title, child.parent_session_id) == ("Look around", found.sessions[0].session_id)
    turn = next(turn for turn in found.turns if turn.session_id == child.parent_session_id)
    assert child.subagent_ns is not None
    assert turn.tools_ns is not None
    assert 0 < child.subagent_ns - turn.tools_ns < 1_000_000, "all but the wait for its permission"
    assert {call.session_id for call in found.tool_calls if call.title == "Read notes.txt"} == {
        child.session_id
    }


def test_whether_a_subagent_may_work_stands_above_its_work() -> None:
    """As qwen-code asks: for its own tool call, before there is anything below it."""
    said = below_a_call(qwen, says_in_permission=False)
    asked = {"toolCallId": "explore", "title": "Explore code"}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    said[6:6] = [call("q", "session/request_permission", sessionId="main", toolCall=asked, options=options),
                 chosen("q", "selected", optionId="y")]  # fmt: skip
    rows = [row.split()[1:3] for row in _printed(said, "timeline")[4:]]
    assert rows[:3] == [["#6", "tool"], ["#7", "asked"], ["#13", "tool"]]


def test_the_transcript_shows_for_whom() -> None:
    """Behind a rail, with the call above the first; two at once are told apart."""
    lines = _printed(below_a_call(), "transcript")
    at = lines.index("↳ Explore code")
    assert lines[at : at + 9] == [
        "↳ Explore code", "│ agent", "│   Looking", "↳ Plan", "│ agent", "│   A plan", "↳ Explore code",
        "│ agent", "│   for it.",
    ]  # fmt: skip
    assert lines[-3:-1] == ["agent", "  Found it."]


def test_sessions_of_subagents_stand_with_those_that_announced_them() -> None:
    """In the list, the timeline and the transcript."""
    assert [line.strip() for line in _printed(in_sessions(), "sessions")][3:] == [
        "subagent of S1 at 0.600 s · worked 900 ms",
        'S3  inner  "Read the spec"',
        "subagent of S2 at 0.800 s · worked 500 ms · 1 tool call · 1 permission",
    ]
    assert any('agent  S2 "Plan the work"' in line for line in _printed(in_sessions(), "timeline"))
    told = "\n".join(_printed(in_sessions(), "transcript"))
    assert "message from S1\n  Plan it" in told, "the task is in the subagent's conversation"
    assert 'subagent  S3 "Read the spec"  500 ms' in _printed(in_sessions(), "transcript")


def test_the_page_indents_the_lane_of_a_subagent() -> None:
    """Below that of its agent; a session of its own comes right after the one that announced it."""
    found, _ = analyzed(file_of(*below_a_call(), step=100_000_000))
    lanes = {lane.name: lane.items for lane in page_timeline.lanes(found) if lane.session}
    assert [item.label for item in lanes["agent"]] == ["Explore code", "Plan"]
    assert [item.label for item in lanes["↳ agent"]] == ["Read x.ts", "rg parser"]
    assert lanes["↳ agent"][0].words.startswith("in Explore code · read · completed")
    found, _ = analyzed(file_of(*in_sessions(), step=100_000_000))
    groups = [(lane.group, lane.name) for lane in page_timeline.lanes(found) if lane.session]
    assert ("S1", "↳ agent") in groups
    assert [group for group, name in groups if name == "agent"] == ["S3 · Read the spec · subagent of S2"]


def test_the_page_says_for_whom() -> None:
    """The depth of an item, and the calls above the first of a run."""
    found, frames = analyzed(file_of(*below_a_call()))
    parts = dict(page_transcript.parts(found, lambda: frames))
    told = [
        (one["kind"], one.get("depth"), one.get("above")) for one in json.loads(parts["transcript/0.json"])
    ]
    assert told == [
        ("user", None, None), ("tool", None, None), ("tool", None, None), ("agent", 1, "Explore code"),
        ("agent", 1, "Plan"), ("agent", 1, "Explore code"), ("tool", 1, None), ("tool", 1, None),
        ("permission", 1, None), ("agent", None, None), ("end", None, None),
    ]  # fmt: skip


def test_a_tree_of_circles_has_an_end() -> None:
    """A trace may say anything."""
    calls = [
        made(ToolCall, session_id="s", id=id_, parent_id=of, frame=at)
        for at, (id_, of) in enumerate([("a", "b"), ("b", "a"), ("c", "gone")])
    ]
    asked = made(Permission, session_id="s", parent_id="a", frame=9)
    tree = WorkTree(trace("t", *calls, asked))
    assert [call.id for call in tree.above("s", "a")] == ["b", "a"]
    work: list[Work] = [*calls, asked]
    assert [tree.depth(did) for did in work] == [2, 2, 0, 2]
    assert sorted(map(id, tree.ordered(work))) == sorted(map(id, work))
