"""`acp-trace check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import ci_output, common, completion, options
from acp_trace.cli import places as place_of
from acp_trace.cli.errors import DIFFERS, NOTHING, Misuse, fail, unread

if TYPE_CHECKING:
    from acp_trace.analyze.budgets.grammar import Budget
    from acp_trace.analyze.facts import Facts
    from acp_trace.analyze.verdict import FailOn, Verdict
    from acp_trace.report.ci.places import Place
    from acp_trace.store.sources import Source

#: Traces whose facts are kept for the page: as many as it shows.
_KEPT = 20


def check(
    traces: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRACE",
            help=f"Traces; by default `last`. Each is {common.NAMED}.",
            autocompletion=completion.traces,
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            autocompletion=completion.words(completion.failing),
            help="Which findings fail the check. `error`: errors (the default). `warning`: errors and "
            "warnings. `note`: all. A code: findings with this code. `never`: none. Repeatable, or separated "
            "by commas.",
        ),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option(
            metavar="client|agent",
            autocompletion=completion.words(completion.sides),
            help="Count only findings that blame this side; budgets still apply.",
        ),
    ] = None,
    budget: options.Budgets = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also list findings that do not fail the check.")
    ] = False,
    junit: options.Junit = None,
    sarif: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write SARIF 2.1.0 to FILE; `-` is standard output.")
    ] = None,
    github: options.Github = False,
    html: options.Html = None,
    at: place_of.At = None,
    json_file: options.JsonFile = None,
    json: common.Json = False,
) -> None:
    """Check whether traces pass, for CI.

    Exits with 1 if a finding fails the check or a budget is exceeded, with 3 if a trace cannot be read, and
    with 4 if no trace has a frame. Each budget is checked once, against the values of all TRACEs. Existing
    reports are overwritten. With --at, TRACEs come from a place that a team shares. Metrics, the grammar of
    EXPR and recipes for CI: docs/check.md. docs/findings.md explains each finding.
    """
    from acp_trace.analyze.verdict import judge
    from acp_trace.cli.reports import Reports

    common.one_of("--side", side, completion.SIDES)
    fails, budgets = _fails(fail_on or []), _budgets(budget or [])
    reports = Reports(junit=junit, sarif=sarif, html=html, json_file=json_file, json=json, github=github)
    reports.check(traces or [])
    if html is not None and "-" in (traces or []):
        raise Misuse("--html reads each trace again, but standard input can be read only once")
    places: list[Place] = []
    located = github or sarif is not None
    kept: list[Facts] | None = [] if html is not None and len(traces or []) <= _KEPT else None
    if at is not None:
        traces = place_of.addresses(at, traces or ["last"])
    checked = _opened(traces or ["last"], budgets, places, kept, located=located)
    verdict = judge(checked, fails, budgets, side)
    if html is not None:
        from acp_trace.cli.page_output import write_check

        write_check(html, verdict, [place.asked for place in places], kept or ())
    with unread():  # `| head` must not turn a failure into success
        reports.write(
            lambda: _document(verdict),
            junit=lambda: _junit(verdict, places, fails),
            sarif=lambda: _sarif(verdict, places),
        )
        if reports.leaves_text:
            _print(verdict, places, all_=all_, github=github)
    if not verdict.ok:
        raise typer.Exit(DIFFERS)
    _something(verdict, is_reported=reports.leaves_text)


def _something(verdict: Verdict, *, is_reported: bool) -> None:
    """End with 4 if no trace has a frame; say so unless the report did."""
    from acp_trace.report.statements.checks import is_empty

    if is_empty(verdict):
        if is_reported:
            raise typer.Exit(NOTHING)
        fail("nothing was checked: no trace has a frame", NOTHING)


def _fails(words: list[str]) -> FailOn:
    from acp_trace.analyze import verdict

    try:
        return verdict.fail_on(words)
    except verdict.UnknownWord as error:
        raise typer.BadParameter(str(error), param_hint="--fail-on") from None


def _budgets(texts: list[str]) -> list[Budget]:
    """Each once, in the order in which they were given."""
    from acp_trace.analyze.budgets.grammar import BudgetError, parse
    from acp_trace.report.safe import safe_lines

    try:
        return list({budget.text: budget for budget in map(parse, texts)}.values())
    except BudgetError as error:
        raise typer.BadParameter(safe_lines(str(error)), param_hint="--budget") from None


def _opened(
    traces: Sequence[str],
    budgets: Sequence[Budget],
    places: list[Place],
    kept: list[Facts] | None,
    *,
    located: bool,
) -> Iterator[tuple[str, Facts, bool]]:
    """The traces one after the other, each once; notes the place of each, and keeps its facts in `kept`."""
    seen: set[str] = set()
    for trace in traces:
        with common.opened(trace) as source:
            if source.name in seen:
                continue
            seen.add(source.name)
            trace_facts = source.facts()
            if kept is not None:
                kept.append(trace_facts)
            places.append(_place(trace, source, trace_facts, budgets if located else None))
            yield places[-1].path or source.name, trace_facts, source.live


def _place(trace: str, source: Source, trace_facts: Facts, budgets: Sequence[Budget] | None) -> Place:
    from acp_trace.report.ci.places import Place, lines_of

    path, address = ci_output.path_from_here(trace), ci_output.address_in_place(trace, source.name)
    if budgets is None or trace == "-":  # standard input cannot be read twice
        return Place(trace, path, address=address)
    frames = {finding.frame for finding in trace_facts.findings}
    frames.update(
        sample.frame for budget in budgets for sample in budget.metric.samples(trace_facts) if sample.frame
    )
    return Place(trace, path, lines_of(source.file(), frames) if frames else {}, address)


def _document(verdict: Verdict) -> object:
    from acp_trace.report.json.check import document

    return document(verdict)


def _junit(verdict: Verdict, places: Sequence[Place], fails: FailOn) -> bytes:
    from acp_trace.report.ci.check_junit import junit

    return junit(verdict, places, fails)


def _sarif(verdict: Verdict, places: Sequence[Place]) -> bytes:
    import msgspec

    from acp_trace.report.ci.sarif import sarif

    return msgspec.json.format(msgspec.json.encode(sarif(verdict, places)), indent=2) + b"\n"


def _print(verdict: Verdict, places: Sequence[Place], *, all_: bool, github: bool) -> None:
    from acp_trace.report.text import checks

    console = common.console()
    text = checks.report(verdict, places, console.width, all_=all_, cut=console.is_terminal)
    from acp_trace.report.ci.annotations import workflow_commands

    commands = partial(workflow_commands, verdict, places, all_=all_)
    ci_output.print_report(console, text, commands if github else None)
