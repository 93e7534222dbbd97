"""Conformance for people: the verdict, what failed and where to look, the counts, what was not exercised."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.conform.judge import Conformance, Failure, Judged
from acp_trace.conform.requirement import STATUSES, TIERS
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.statements.conformance import failed, is_silent, summary, who
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table

#: Different failures of one requirement that are shown; the JSON report has more.
_MOST = 3
_COUNTS = (Column("tier"), *(Column(status, right=True) for status in STATUSES))


def report(conformance: Conformance, width: int) -> Text:
    """The report; no line of it but a command to be copied is longer than `width`."""
    text = Text(no_wrap=True, end="")
    bad = styles.ERROR if not conformance.ok else ""
    text.append(f"{safe(who(conformance))}: {summary(conformance)}\n", f"{styles.HEADING} {bad}".strip())
    if is_silent(conformance):
        for line in _explained(conformance.notes, width):
            text.append(f"{line}\n")
        failures = (each for one in failed(conformance, binding=True) for each in one.failures)
        opens = next(map(_opens, failures), "")
        return text.append(f" {opens}\n" if opens else "", styles.FAINT)
    for heading, binding in (("Failed", True), ("Failed, without weight for the verdict", False)):
        rows = failed(conformance, binding=binding)
        if rows:
            text.append("\n").append(f" {heading}\n", styles.HEADING)
        for one in rows:
            for line, style in _failure(one, width):
                text.append(f"{line}\n", style)
    text.append("\n").append_text(_counts(conformance, width))
    for line in _left(conformance, width):
        text.append(f"{line}\n", styles.FAINT)
    return text


def _failure(one: Judged, width: int) -> Iterator[tuple[str, str]]:
    of = one.requirement
    yield f" {of.id}  {of.tier}{'  ' + ', '.join(one.codes) if one.codes else ''}", styles.ERROR
    yield from (("   " + line, "") for line in textwrap.wrap(of.text, width - 4))
    of_message: dict[str, list[Failure]] = {}  # a fault of each conversation is said once
    for each in one.failures:
        of_message.setdefault(each.message, []).append(each)
    shown = list(of_message.values())[:_MOST]
    for same in shown:
        times = f" ({len(same)} times)" if len(same) > 1 else ""
        said = f"#{same[0].frame} {safe(same[0].message)}{times}"
        yield from (("     " + line, "") for line in textwrap.wrap(said, width - 6))
    if (more := len(one.failures) - sum(map(len, shown))) > 0:
        yield f"     and {more} more", styles.FAINT
    if opens := _opens(one.failures[0]):
        yield f"     {opens}", styles.FAINT


def _opens(failure: Failure) -> str:
    return safe(Place(failure.trace).opens(failure.trace, failure.frame)) if failure.frame else ""


def _counts(conformance: Conformance, width: int) -> Text:
    counts = conformance.counts()
    rows = [
        [[Cell(tier)], *([Cell(str(counts[tier][status] or "–"))] for status in STATUSES)]
        for tier in TIERS
        if any(counts[tier].values())
    ]
    return table(_COUNTS, rows, width)


def _left(conformance: Conformance, width: int) -> Iterator[str]:
    """What was not exercised, by its ids, and why."""
    ids = [one.requirement.id for one in conformance.judged if one.status == "not-exercised"]
    if ids or conformance.notes:
        yield ""
    if ids:
        yield from textwrap.wrap(
            f"Not exercised: {', '.join(ids)}",
            width - 2,
            initial_indent=" ",
            subsequent_indent="   ",
            break_on_hyphens=False,
        )
    yield from _explained(conformance.notes, width)


def _explained(notes: Sequence[str], width: int) -> Iterator[str]:
    for note in _notes(notes):
        yield from textwrap.wrap(safe(note), width - 2, initial_indent=" ", subsequent_indent="   ")


def _notes(notes: Sequence[str]) -> Iterator[str]:
    """Each reason once: without a login, nearly every conversation is left out for the same one."""
    names: dict[str, list[str]] = {}
    for note in notes:
        name, colon, why = note.partition(": ")
        names.setdefault(why if colon else note, []).extend([name] if colon else [])
    for why, of in names.items():
        yield f"{', '.join(of)}: {why}" if of else why
