"""`export --to perfetto`, opened by the real consumer: its SQL gives what the report says."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from acp_trace.analyze.tool_span import span
from tests.commands import Commands
from tests.formats.writing import perfetto_ui
from tests.formats.writing.exporting import SAMPLES, given, without_times, written

pytestmark = pytest.mark.browser

_SLICES = """
    select process.name, slice.category, slice.name, slice.ts, slice.dur from slice
    join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
"""


def test_slices_arrows_counters_and_findings(browser: Browser, commands: Commands, tmp_path: Path) -> None:
    """The trace processor has every turn, tool call, permission and model call, to the ns, and how they hang together."""
    file = tmp_path / "trace.json"
    commands.passes("export", SAMPLES / "gemini-model.jsonl", "--to", "perfetto", "--out", file)
    exported = given("gemini-model")
    facts = exported.facts
    (tmp_path / "ui").mkdir()
    with perfetto_ui.opened(browser, tmp_path / "ui", file) as trace:
        assert trace.rows("select name, value from stats where severity = 'error' and value > 0") == []
        processes = {row[0] for row in trace.rows("select name from process where name is not null")}
        assert processes == {"client errand 1", "agent Gemini CLI 0.61.0", "model"}
        slices = trace.rows(_SLICES)
        timed = {
            kind: sorted((ts, dur) for _, category, _, ts, dur in slices if category == kind)
            for kind in {row[1] for row in slices}
        }
        assert timed["turn"] == [(turn.t_ns, turn.duration_ns) for turn in facts.turns]
        assert timed["tool call"] == [span(tool) for tool in facts.tool_calls]
        assert timed["permission"] == [(one.t_ns, one.wait_ns) for one in facts.permissions]
        assert timed["model call"] == [(call.started_ns, call.duration_ns) for call in facts.model_calls]
        moments = {frame.frame: frame.t_ns for frame in exported.frames()}
        assert timed["finding"] == [(moments[finding.frame], 0) for finding in facts.findings]
        waits = trace.rows("""
            select child.name from slice child join slice parent on child.parent_id = parent.id
            where child.category = 'permission' and parent.category = 'turn'
        """)
        assert waits == [["permission: echo 'Buy milk.' > notes.txt && ls"]]
        arrows = trace.rows("""
            select source.name, target.category from flow
            join slice source on source.id = slice_out join slice target on target.id = slice_in
        """)
        assert arrows.count(["send session/prompt", "request"]) == len(facts.turns)
        assert arrows.count(["send model call", "model call"]) == len(facts.model_calls)
        assert ["answer session/request_permission: result", "message"] in arrows
        counters = dict(
            trace.rows(
                "select name, max(value) from counter join counter_track on track_id = counter_track.id group by name"
            )
        )
        assert counters == {
            "tokens input": 800,
            "tokens output": 160,
            f"session {facts.sessions[0].session_id} updates a second": 11,
        }


def test_without_times_a_frame_is_a_millisecond(browser: Browser, tmp_path: Path) -> None:
    """A log without times still opens: in the order of its frames, and its processes say so."""
    file = tmp_path / "trace.json"
    file.write_bytes(written("perfetto", without_times("opencode-cancel-acpx")))
    (tmp_path / "ui").mkdir()
    with perfetto_ui.opened(browser, tmp_path / "ui", file) as trace:
        turns = trace.rows("select ts, dur from slice where category = 'turn'")
        assert turns == [
            [turn.frame * 1_000_000, ((turn.settled_frame or 0) - turn.frame) * 1_000_000]
            for turn in given("opencode-cancel-acpx").facts.turns
        ]
        assert all(
            name.endswith("(no times: 1 ms is one frame)")
            for (name,) in trace.rows("select name from process where name is not null")
        )
        assert trace.rows("select count(*) from counter") == [[0]]
