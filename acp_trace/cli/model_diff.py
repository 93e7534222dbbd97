"""`acp-trace diff --model`, and `model diff`, its older name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from acp_trace.cli import common, options
from acp_trace.cli.errors import DIFFERS, NOTHING, fail, unread

if TYPE_CHECKING:
    from acp_trace.compare.traced_calls import TracedCalls
    from acp_trace.model.comparison import CallComparison


class _Side(NamedTuple):
    """What is read of a trace."""

    name: str
    calls: TracedCalls


def model_diff(
    expected: options.Expected = "last~1",
    actual: options.Actual = "last",
    number: Annotated[
        int | None,
        typer.Option(
            "--call", metavar="N", min=1, help="Compare only this call of A with the same call of B."
        ),
    ] = None,
    all_: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Print long texts in full, and differences that are only in what tools or models said.",
        ),
    ] = False,
    pager: Annotated[bool, typer.Option(help="Use a pager for output longer than the terminal.")] = True,
    json: common.Json = False,
) -> None:
    """Compare what the agents of two traces sent their models: an older name of `diff --model`.

    Calls are paired by their content. Ignores ids, dates and times. Also ignores directories if they serve
    the same purpose in both traces. A change that many calls share is reported once. Exits with 1 if
    something differs, with 3 if a trace cannot be read, with 4 if a trace has no calls. More: docs/model.md.
    """
    compare(expected, actual, number, all_=all_, pager=pager, json=json)


def compare(expected: str, actual: str, number: int | None, *, all_: bool, pager: bool, json: bool) -> None:
    """Prints what differs between the calls of two traces, or between their calls `number`. Raises Exit."""
    if expected == actual == "-":
        raise typer.BadParameter("standard input can be read only once", param_hint="B")
    from acp_trace.compare.traced_calls import compare_traced_calls

    sides = _read(expected), _read(actual)
    comparison = compare_traced_calls(sides[0].calls, sides[1].calls, number)
    if number is not None and not comparison.pairs:
        from acp_trace.trace.counts import counted

        count = counted(len(sides[0].calls.model.calls), "call")
        fail(f"{sides[0].name} has {count} of a model", NOTHING)
    with unread():
        if json:
            from acp_trace.report.json.model_diff import document

            common.print_json(document(comparison, (sides[0].name, sides[1].name)))
        else:
            _print(sides, comparison, all_=all_, pager=pager)
    if comparison.changes:
        raise typer.Exit(DIFFERS)


def _read(trace: str) -> _Side:
    from acp_trace.compare.traced_calls import read_calls

    with common.opened(trace) as source:
        calls, name = read_calls(source.entries()), source.name
    if not calls.model.calls:
        fail(f"{name} has no calls of a model: record them with `record --model`", NOTHING)
    return _Side(name, calls)


def _print(
    sides: tuple[_Side, _Side],
    comparison: CallComparison,
    *,
    all_: bool,
    pager: bool,
) -> None:
    from acp_trace.report.statements import phrases
    from acp_trace.report.text.model_diff import Compared, report

    traces = [side.calls.facts.trace for side in sides]
    agents = [phrases.agent(trace) for trace in traces]
    compared = [
        Compared(side.name, agent, len(side.calls.model.calls))
        for side, agent in zip(sides, agents, strict=True)
    ]
    with common.paged(pager) as console:
        console.print(report(compared, comparison, console.width, all_=all_), end="", soft_wrap=True)
