"""What was done in a turn: each tool call and permission with what is known of it, and which are shown."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from acp_trace.analyze.facts import Fact, Permission, Session, ToolCall, Turn, UnsettledTurn
from acp_trace.report.text import timeline, turns
from acp_trace.report.text.show import Page, show
from tests.analyze.findings.scenario import start
from tests.handmade import made, trace
from tests.reading.talk import ask, hello, opened, prompt, stop, up
from tests.support import REPOSITORY, analyzed, facts_of


def _call(number: int, took_ms: int | None, **given: object) -> ToolCall:
    told = {"session_id": "s", "turn": 0, "id": f"c{number}", "frame": number, "status": "completed"}
    took_ns = None if took_ms is None else took_ms * 1_000_000
    ended = None if took_ns is None else number + 1
    return made(ToolCall, **{"duration_ns": took_ns, "ended_frame": ended, **told, **given})


def _rows(*facts: Fact, all_: bool = False, live: bool = False) -> list[tuple[str, str, str]]:
    found = turns.rows(trace("t", *facts), all_=all_, live=live)
    return [(row.name, row.what, row.how) for _, row in found]


def test_what_never_ended_is_told_with_what_is_known() -> None:
    """Its kind, its title or else its id, its last status."""
    calls = [
        _call(1, 5, kind="edit", title="Write a\nfile"),
        _call(2, None, status="in_progress"),
        _call(3, None, status=None, kind="read"),
    ]
    assert _rows(*calls) == [
        ("tool", "edit Write a\\nfile", "completed"),
        ("tool", "c2", "in_progress, unfinished"),
        ("tool", "read c3", "no status, unfinished"),
    ]
    assert _rows(calls[1], live=True) == [("tool", "c2", "in_progress")]


def test_a_call_that_is_announced_when_it_is_over_has_no_time() -> None:
    """Nothing says when it began. Another call that took no time keeps its time."""
    found = turns.rows(trace("t", _call(2, None, ended_frame=2, t_ns=5), _call(3, 0)), all_=False, live=False)
    calls = [row for _, row in found if row.name == "tool"]
    assert [(row.took_ns, row.is_timed) for row in calls] == [(None, False), (0, True)]


def test_the_timeline_shows_no_time_of_such_a_call() -> None:
    """Neither 0 nor the time to the end of the trace, as for a call that never ended."""
    said = [up("tool_call", toolCallId="c", title="T", status="completed")]
    facts = facts_of(*hello(), *opened(), prompt(1), *said, stop(1))
    out = StringIO()
    Console(file=out, width=80).print(timeline.timeline(facts, 80, all_=False, live=False))
    (line,) = [line for line in out.getvalue().splitlines() if " tool " in line]
    assert line.split()[-1] == "completed"


def test_a_permission_names_its_tool_call_and_the_answer() -> None:
    """By the title that the call has, or that the request gave; the kind of the option, or its id."""

    def asked(**given: object) -> Permission:
        return made(
            Permission, **{"session_id": "s", "turn": 0, "outcome": "selected", "wait_ns": 1, **given}
        )

    assert _rows(
        _call(1, 5, title="Write"),
        asked(tool_call_id="c1", title="?", option_kind="reject_once", option_id="no"),
        asked(tool_call_id="c9", title="Run", option_id="yes"),
        asked(outcome="cancelled"),
        asked(outcome="open", wait_ns=None),
    )[1:] == [
        ("asked", "permission: Write", "reject_once"),
        ("asked", "permission: Run", "yes"),
        ("asked", "permission", "cancelled"),
        ("asked", "permission", "never answered"),
    ]


def test_of_many_those_that_never_ended_and_the_longest_are_shown() -> None:
    """In the order of the frames, and how many are left out."""
    calls = [_call(number, number) for number in range(1, 301)]
    calls[0] = _call(1, None)
    calls[1] = _call(2, 0, status="failed")
    found = [what for _, what, _ in _rows(*calls)]
    assert found == [
        "c1",
        "c2",
        *(f"c{number}" for number in range(291, 301)),
        "… and 288 more: show --turn 0",
    ]
    assert len(_rows(*calls, all_=True)) == 300
    both = [made(Session, session_id=session) for session in "ts"]
    assert _rows(both[1], *calls)[-1][1] == "… and 288 more: show --turn 0"
    assert _rows(*both, *calls)[-1][1] == "… and 288 more: show --turn S2.0", "there are two turns 0"


@pytest.mark.parametrize("length", [80, 81])
def test_a_prompt_that_is_cut_says_so(length: int) -> None:
    """A turn keeps the beginning of a long one."""
    frames = facts_of(
        *start(), ask(1, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "x" * length}])
    )
    assert turns.event(frames.turns[0]).what == f'"{"x" * 80}{"…" if length > 80 else ""}"'


def test_one_turn_alone_is_shown_whole() -> None:
    """Every call of it, without `--all`."""
    session = made(Session, session_id="s", opened_by="new")
    found = trace("t", session, made(Turn, session_id="s", turn=0), *(_call(n, n) for n in range(1, 31)))
    out = StringIO()
    page = Page(found, [], live=False, width=80, all_=False, one_turn=True)
    show(Console(file=out, width=80), page, ["timeline"])
    assert out.getvalue().count("completed") == 30
    assert "more:" not in out.getvalue()


def test_many_turns_have_fewer_lines_each() -> None:
    """So that a long session is still read from the top to the bottom."""
    calls = [_call(number, 5, turn=number // 10) for number in range(400)]
    assert len(_rows(*calls)) == 40 * 4
    assert len(_rows(*calls[:10])) == 10


def test_where_the_time_went_is_told_in_parts() -> None:
    """Those that took any; of an open turn, the wait for its output."""
    parts = {
        "before_output_ns": 2_000_000,
        "tools_ns": 0,
        "permissions_ns": 3_000_000_000,
        "requests_ns": 0,
        "writing_ns": 0,
        "rest_ns": 1_000,
    }
    turn = made(Turn, duration_ns=3_002_001_000, first_output_ns=2_000_000, **parts)
    told = turns.where_time_went(turn).replace("\u00a0", " ")
    assert told == "first output 2.00 ms · permission 3.00 s · rest 1 µs"
    silent = made(Turn, duration_ns=2_000_000, **{**parts, "permissions_ns": 0, "rest_ns": 0})
    assert turns.where_time_went(silent).replace("\u00a0", " ") == "no output 2.00 ms"
    slow = made(Turn, duration_ns=11_402_001_000, chunks=60, first_output_ns=2_000_000, **parts)
    slow = replace(slow, permissions_ns=0, writing_ns=11_400_000_000)
    told = turns.where_time_went(slow).replace("\u00a0", " ")
    assert told == "first output 2.00 ms · writing 11.4 s (60 chunks) · rest 1 µs"
    unsettled = made(UnsettledTurn, open_ns=11_402_001_000, **{**parts, "writing_ns": 1_000_000_000})
    told = turns.where_time_went(made(Turn, chunks=2, first_output_ns=1), unsettled).replace("\u00a0", " ")
    assert "· writing 1.00 s (2 chunks) ·" in told
    assert turns.where_time_went(made(Turn)) == "no output"
    assert turns.where_time_went(made(Turn), live=True) == "no output yet"


@pytest.mark.parametrize("width", range(60, 121, 5))
def test_an_amount_stays_on_one_line(width: int) -> None:
    """`0.0048 USD` and not `0.00` and `48 USD`: what a turn used breaks between its parts alone."""
    facts, _ = analyzed((REPOSITORY / "tests/real/recorded/subagent-sessions.jsonl").read_bytes())
    out = StringIO()
    show(Console(file=out, width=width), Page(facts, [], live=False, width=width, all_=False), ("timeline",))
    assert [
        said
        for said in ("0.0032", "0.0048", "0.0064", "0.0016")
        if f"{said} USD so far" not in out.getvalue()
    ] == []
