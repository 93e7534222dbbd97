"""`acp-trace diff`."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import ci_output, common, completion, options
from acp_trace.cli.errors import DIFFERS, NOTHING, USAGE, Misuse, fail, unread

if TYPE_CHECKING:
    from acp_trace.compare.result import Comparison
    from acp_trace.normalize.masks import Mask
    from acp_trace.report.ci.places import Place
    from acp_trace.store.sources import Source


def diff(
    expected: options.Expected = "last~1",
    actual: options.Actual = "last",
    match: Annotated[
        str,
        typer.Option(
            metavar="LEVEL",
            autocompletion=completion.words(completion.matches),
            help="How closely to compare: `outcome`, `semantic`, `content` or `exact`.",
        ),
    ] = "semantic",
    mask: Annotated[
        list[str] | None,
        typer.Option(
            "--mask",
            metavar="POINTER[:TYPE]",
            help="Hide the value at a JSON pointer of a frame: /params/update/title:string. `*` is any key "
            "or index; TYPE is string, number, time or uuid. Repeatable.",
        ),
    ] = None,
    model_strict: Annotated[
        bool,
        typer.Option(
            "--model-strict", help="Report differences in model requests as divergences, not as notes."
        ),
    ] = False,
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Instead, compare what the agents sent their models. Cannot be combined with --match.",
        ),
    ] = False,
    number: Annotated[
        int | None,
        typer.Option(
            "--call",
            metavar="N",
            min=1,
            help="With --model: compare only this call of A with the same call of B.",
        ),
    ] = None,
    pager: Annotated[
        bool, typer.Option(help="With --model: use a pager for output longer than the terminal.")
    ] = True,
    all_: Annotated[
        bool,
        typer.Option(
            "--all",
            help="List every divergence. With --model, show long texts in full, and also differences that "
            "are only in the output of tools or models.",
        ),
    ] = False,
    html: options.Html = None,
    junit: options.Junit = None,
    github: options.Github = False,
    json_file: options.JsonFile = None,
    json: common.Json = False,
) -> None:
    """Compare two traces.

    Ignores directories, and ids that client or agent generated. With `outcome` and `semantic`, also ignores
    texts. Between two requests of the agent, updates of different kinds may come in another order. Exits with
    1 if something differs, with 2 if a mask matched nothing, with 3 if a trace cannot be read, with 4 if
    nothing could be compared. Levels, codes and masks: docs/diff.md.

    With --model, compares the calls of the model, paired by their content. Ignores ids, dates and
    times. Also ignores directories if they serve the same purpose in both traces. A change that many calls
    share is reported once. Exits with 4 if a trace has no calls. More: docs/model.md.
    """
    if model:
        _check_model(
            match=match,
            mask=mask,
            model_strict=model_strict,
            html=html,
            junit=junit,
            json_file=json_file,
            github=github,
        )
        from acp_trace.cli.model_diff import compare

        compare(expected, actual, number, all_=all_, pager=pager, json=json)
        return
    if number is not None or not pager:
        raise Misuse(f"{'--no-pager' if number is None else '--call'} is for --model")
    from acp_trace.cli.reports import Reports
    from acp_trace.compare.codes import MATCHES
    from acp_trace.compare.difference import compare_traces

    common.one_of("--match", match, MATCHES)
    level = next(one for one in MATCHES if one == match)
    masks = _masks(mask or [])
    reports = Reports(junit=junit, html=html, json_file=json_file, json=json, github=github)
    reports.check([expected, actual])
    if expected == actual == "-":
        raise typer.BadParameter("standard input can be read only once", param_hint="B")
    gc.disable()  # all that is read is kept to the end: to look for cycles in it would cost a third more
    asked = expected, actual
    with ExitStack() as stack:
        sources = [stack.enter_context(common.opened(trace)) for trace in asked]
        names = [
            ci_output.path_from_here(trace) or source.name
            for trace, source in zip(asked, sources, strict=True)
        ]
        if html is not None and "-" in asked:
            sources[asked.index("-")].facts()  # keeps what can be read once
        expected_source, actual_source = sources
        comparison, facts = compare_traces(
            expected_source.entries(), actual_source.entries(), level, masks, model_strict=model_strict
        )
        places = [
            _place(trace, source, comparison, at, located=github)
            for at, (trace, source) in enumerate(zip(asked, sources, strict=True))
        ]
        with unread():  # `| head` must not turn a failure into success
            if html is not None:
                from acp_trace.cli.page_output import write_diff

                write_diff(html, sources, facts, comparison, names, masks)
            reports.write(
                lambda: _document(comparison, names), junit=lambda: _junit(comparison, names, places)
            )
            if reports.leaves_text:
                _print(comparison, names, places, all_=all_, github=github)
    _end(comparison)


def _document(comparison: Comparison, names: Sequence[str]) -> object:
    from acp_trace.report.json.diff import document

    return document(comparison, names)


def _junit(comparison: Comparison, names: Sequence[str], places: Sequence[Place]) -> bytes:
    from acp_trace.report.ci.comparison_junit import junit

    return junit(comparison, names, places)


def _check_model(*, match: str, **others: object) -> None:
    """Refuses what means nothing for the calls of a model."""
    given = ["match"] * (match != "semantic") + [name for name, value in others.items() if value]
    if given:
        raise Misuse(f"--{given[0].replace('_', '-')} and --model cannot be combined")


def _end(comparison: Comparison) -> None:
    """End with the exit code of the result."""
    if not comparison.counts.compared:
        fail("nothing was compared: the two traces have no frame in common", NOTHING)
    if idle := [one.mask for one in comparison.idle]:
        fail(f"nothing to hide for {', '.join(f'--mask {one}' for one in idle)} at this level", USAGE)
    if not comparison.equal:
        raise typer.Exit(DIFFERS)


def _masks(texts: list[str]) -> list[Mask]:
    from acp_trace.normalize.masks import MaskError, parse
    from acp_trace.report.safe import safe_lines

    try:
        return [parse(one) for one in texts]
    except MaskError as error:
        raise typer.BadParameter(safe_lines(str(error)), param_hint="--mask") from None


def _place(trace: str, source: Source, comparison: Comparison, at: int, *, located: bool) -> Place:
    """Where a trace is; with the lines of the frames that differ, where they are wanted."""
    from acp_trace.report.ci.places import Place, lines_of

    path, address = ci_output.path_from_here(trace), ci_output.address_in_place(trace, source.name)
    if not located or trace == "-":
        return Place(trace, path, address=address)
    ours = [
        event
        for divergence in comparison.divergences
        for event in (divergence.expected_event, divergence.common_expected)
    ]
    events = [divergence.got_event for divergence in comparison.divergences] if at else ours
    frames = {one.frame for one in events if one is not None}
    return Place(trace, path, lines_of(source.file(), frames) if frames else {}, address)


def _print(
    comparison: Comparison, names: Sequence[str], places: Sequence[Place], *, all_: bool, github: bool
) -> None:
    from acp_trace.report.text import differences

    console = common.console()
    text = differences.report(comparison, names, places, console.width, all_=all_, cut=console.is_terminal)
    from acp_trace.report.ci.diff_annotations import workflow_commands

    commands = partial(workflow_commands, comparison, places, all_=all_)
    ci_output.print_report(console, text, commands if github else None)
