"""The cells of `matrix`: verdicts, what is new, what goes on, and the exit code."""

from __future__ import annotations

import msgspec
import pytest

from acp_trace.builds import grid
from acp_trace.builds.grid import Grid, GridCell, MatrixProgress, Verdict
from acp_trace.builds.judged import Became, JudgedRun, ShownDifference
from acp_trace.report.statements.matrix import comparison


def run(became: Became, **more: object) -> JudgedRun:
    return JudgedRun(became, "t", 10, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("runs", "verdict", "passed"),
    [
        (("passed",), "passed", 1),
        (("passed", "passed"), "passed", 2),
        (("passed", "failed", "passed"), "flaky", 2),
        (("failed", "failed"), "failed", 0),
        (("not-started",), "not-started", 0),
        (("died", "passed"), "flaky", 1),
        (("nothing",), "nothing", 0),
    ],
)
def test_a_verdict(runs: tuple[Became, ...], verdict: str, passed: int) -> None:
    """All runs pass, some, or none."""
    made = grid.cell("t", "b", [run(each) for each in runs])
    assert (made.verdict, made.passed, made.runs) == (verdict, passed, len(runs))


def test_a_cell_shows_the_first_run_that_failed() -> None:
    """And medians of all."""
    first = ShownDifference("stop-reason", "another")
    made = grid.cell("t", "b", [run("passed", turn_ns=4), run("failed", first=first, turn_ns=8, tokens=5)])
    assert made.first == first
    assert (made.turn_ns, made.tokens, made.outcome) == (6, 5, ("flaky", "stop-reason"))


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        (("passed",), 0),
        (("passed", "failed"), 1),
        (("passed", "flaky"), 1),
        (("failed", "not-installed"), 5),
        (("died",), 5),
        (("not-started", "passed"), 5),
        (("nothing", "passed"), 4),
        ((), 4),
    ],
)
def test_the_exit_code_is_that_of_replay(verdicts: tuple[Verdict, ...], code: int) -> None:
    """The worst that happened."""
    cells = {("t", str(at)): GridCell("t", str(at), verdict) for at, verdict in enumerate(verdicts)}
    assert Grid(["t"], [build for _, build in cells], cells).exit_code == code


def test_the_first_change_names_the_runs_to_compare() -> None:
    """Of neighbours that ran: one that does not start has no run, and the same outcome is no change."""
    bad = ShownDifference("stop-reason", "refusal, not end_turn")
    cells = {
        ("t", "a"): GridCell("t", "a", "passed", run_traces=("1", "2")),
        ("t", "b"): GridCell("t", "b", "not-started"),
        ("t", "c"): GridCell("t", "c", "passed", run_traces=("3",)),
        ("t", "d"): GridCell("t", "d", "failed", first=bad, run_traces=("4", "5")),
        ("t", "e"): GridCell("t", "e", "died", run_traces=("6",)),
    }
    made = Grid(["t", "u"], [*"abcde"], cells)
    assert comparison(made, "t") == "acp-trace diff 3 5"
    assert comparison(made, "u") == ""


def test_what_is_new_and_what_changed() -> None:
    """Since the last whole run; nothing is, if there was none."""
    cells = {("t", build): GridCell("t", build, "passed") for build in "abc"}
    before = {grid.place("t", "a"): ("passed", ""), grid.place("t", "b"): ("failed", "stop-reason")}
    made = Grid(["t"], ["a", "b", "c", "d"], cells, before)
    assert [made.mark(cell) for cell in made.listed] == [None, "changed", "new"]
    assert made.missing == 1
    assert [Grid(["t"], ["a"], cells).mark(cell) for cell in made.listed] == [None] * 3


def _through_json(progress: MatrixProgress) -> MatrixProgress:
    return msgspec.json.decode(msgspec.json.encode(progress), type=MatrixProgress)


def test_a_run_that_was_broken_off_goes_on() -> None:
    """All that it did is known; when it is whole, builds that are commands are tried again."""
    progress = grid.begun(None, again=False)
    assert progress.before is None
    progress.cells["k"] = GridCell("t", "b", "passed", 1, 1)
    progress.done.add("k")
    on = grid.begun(_through_json(progress), again=False)
    assert grid.is_known(on, "k", is_fixed=False)
    on.is_whole = True
    next_ = grid.begun(_through_json(on), again=False)
    assert not grid.is_known(next_, "k", is_fixed=False)
    assert grid.is_known(next_, "k", is_fixed=True)
    assert next_.before == {grid.place("t", "b"): ("passed", "")}
    assert not grid.is_known(grid.begun(next_, again=True), "k", is_fixed=True)
    assert grid.begun(msgspec.structs.replace(next_, version=0), again=False).cells == {}


def test_a_build_that_was_not_installed_is_tried_again() -> None:
    """The registry may be back."""
    progress = MatrixProgress({"k": grid.not_installed("t", "b", "away")}, {"k"}, False)
    assert not grid.is_known(progress, "k", is_fixed=True)
    progress = MatrixProgress({"k": GridCell("t", "b", "not-started")}, {"k"}, False)
    assert grid.is_known(progress, "k", is_fixed=True)
    progress.done.clear()
    assert not grid.is_known(progress, "k", is_fixed=True)
