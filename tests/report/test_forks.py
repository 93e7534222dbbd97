"""A fork in every report: it is drawn where it was asked for, and the history that it sends is not work."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from acp_trace.formats.writing.slices import slices
from acp_trace.report.page.timeline import lanes
from acp_trace.report.selection import select
from acp_trace.report.text.show import Page, show
from acp_trace.story.transcript import transcripts
from tests.forks import forked
from tests.reading.talk import answer, ask
from tests.support import analyzed, facts_of, trace


def _screen(*, session: str | None = None) -> list[list[str]]:
    found, out = select(facts_of(*forked()), session=session), StringIO()
    show(Console(file=out, width=100), Page(found, [], live=False, width=100, all_=False), ("timeline",))
    return [line.split()[1:3] for line in out.getvalue().splitlines() if " #" in line]


def test_the_terminal_shows_the_fork_and_the_work_after_it() -> None:
    """Also if the session is looked at by itself; its request names the other one."""
    assert _screen() == [["#1", "new"], ["#3", "fork"], ["#9", "S2.0"], ["#10", "tool"]]
    assert _screen(session="S2") == _screen()[1:]


def test_the_page_draws_openings_and_ends() -> None:
    """A tool call that ran earlier has no bar."""
    ends = [
        ask(8, "session/close", sessionId="s"),
        answer(8),
        ask(9, "session/delete", sessionId="s"),
        answer(9),
    ]
    made = {
        (lane.group, lane.name): [item.label for item in lane.items]
        for lane in lanes(facts_of(*forked(), *ends))
    }
    asked = ["session/new", "session/fork", "session/close", "session/delete"]
    assert made["Connection", "client"] == asked
    assert [labels for (_, name), labels in made.items() if name == "agent"] == [["Run"]]


def test_a_transcript_leaves_history_out_or_marks_it() -> None:
    """As after a load: with the prompts that it answers."""
    found, frames = analyzed(trace(*forked()))
    brief = transcripts(found, frames)["copy"]
    assert [(item.kind, item.count) for item in brief] == [
        ("history", 4),
        ("user", 0),
        ("tool", 0),
        ("end", 0),
    ]
    whole = transcripts(found, frames, history=True)["copy"]
    assert [(item.kind, item.loaded_by) for item in whole] == [
        ("user", 3), ("agent", 3), ("tool", 3), ("user", None), ("tool", None), ("end", None),
    ]  # fmt: skip


def test_an_exported_timeline_has_the_work_alone() -> None:
    """A span of 0 s at the time of the load says nothing of when the tool ran."""
    assert [one.name for one in slices(facts_of(*forked())) if one.category == "tool call"] == ["Run"]
