"""The times of a recording and of its run, beside each other."""

from __future__ import annotations

from dataclasses import replace

from acp_trace.compare.timings import CancelTiming, Timings, TurnTiming, timings
from acp_trace.report.text.timings import beside
from tests.compare.conversation import base, compared, file, reader

_MS = 1_000_000


def test_what_is_timed() -> None:
    """Each turn with its first output, each cancel with how long it took."""
    made = timings(reader(file(base())).facts())
    assert [(turn.session_id, turn.turn, turn.frame) for turn in made.turns] == [
        ("s", 0, 8),
        ("s", 1, 28),
        ("s", 2, 32),
    ]
    assert all(turn.duration_ns and turn.first_output_ns for turn in made.turns)
    assert [(cancel.frame, cancel.outcome) for cancel in made.cancels] == [(30, "cancelled")]


def test_they_stand_beside_each_other() -> None:
    """A range if there are several; what is not over is counted, what is not there is a dash."""
    found = compared(file(base()), file(base()))
    turns = tuple(
        TurnTiming("s", n, n, took, took and took // 10) for n, took in enumerate((100 * _MS, 900 * _MS))
    )
    one = Timings(turns, (CancelTiming(3, "cancelled", 20 * _MS),))
    two = Timings(
        (turns[0], replace(turns[1], duration_ns=None, first_output_ns=None)),
        (CancelTiming(3, "unanswered", None),),
    )
    newer = replace(found.got, agent_version="2")
    lines = beside([(one, found.expected), (two, newer)], 80).plain.splitlines()
    cells = [[cell for cell in line.split("  ") if cell.strip()] for line in lines]
    assert [[cell.strip() for cell in line] for line in cells] == [
        ["turns", "first output", "cancel settled", "agent"],
        ["recorded", "2 in 1.00 s", "10.0 ms … 90.0 ms", "20.0 ms", "agent 1"],
        ["run", "1 of 2 in 100 ms", "10.0 ms", "never", "agent 2"],
    ]


def test_a_log_without_times() -> None:
    """How many turns there were is known, and what is measured in time is not: nothing `never` ended for that."""
    found = compared(file(base()), file(base()))
    turns = tuple(TurnTiming("s", n, n, None, None) for n in (1, 2))
    log = Timings(turns, (CancelTiming(3, "cancelled", None), CancelTiming(4, "completed", None)))
    timeless = replace(found.expected, has_times=False)
    for cancels, told in ((log.cancels, "–"), ((CancelTiming(3, "unanswered", None),), "never")):
        (_, line, _) = beside(
            [(replace(log, cancels=cancels), timeless), (log, found.got)], 80
        ).plain.splitlines()
        assert line.split() == ["recorded", "2", "–", told, "agent", "1"]


def test_a_small_terminal() -> None:
    """Whatever the name of the agent: no line is wider, and the name is not one word under the other."""
    found = compared(file(base()), file(base()))
    times = timings(reader(file(base())).facts())
    turns = [replace(turn, first_output_ns=n * 12_345_678) for n, turn in enumerate(times.turns, 1)]
    for width in range(30, 100):
        for listed in (times, replace(times, turns=tuple(turns))):
            printed = beside([(listed, found.expected), (listed, found.got)], width).plain
            assert max(map(len, printed.splitlines())) <= width
    sides = [
        (times, replace(found.expected, agent_title="An Agent with a Long Name")),
        (times, replace(found.got, agent_title="An Agent with a Long Name", agent_version="2.0.17-beta")),
    ]
    lines = beside(sides, 60).plain.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0] == " recorded  turns: 3 in 34 µs · first output: 1 µs ·"
    assert lines[-1] == "           2.0.17-beta"
    assert len(lines) == 6
