"""A report of acp-tck beside our verdicts, for people: how many agree, and each requirement that does not."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.text import Text

from acp_trace.conform.beside import Beside, Relation, counts
from acp_trace.report.safe import safe
from acp_trace.report.statements.kit import WORDS, KitBeside
from acp_trace.report.text import styles

#: Which rows are listed; of the others, all is said by their number. A kit's `pass` alone is not news.
_LISTED: tuple[Relation, ...] = ("disagree", "only-tck", "only-conform")


def beside(kit: KitBeside, width: int) -> Text:
    """The part of the report; no line of it is longer than `width`."""
    text = Text(no_wrap=True, end="")
    said = {True: "conformant", False: "not conformant", None: "no verdict"}[kit.is_conformant]
    whom = f" of {safe(kit.agent)}" if kit.agent else ""
    text.append("\n").append(f" Beside acp-tck {safe(kit.tck_version)}{whom}: {said}\n", styles.HEADING)
    for relation, count in counts(kit.rows).items():
        if count:
            text.append(f" {count:4} {WORDS[relation]}\n")
    for relation in _LISTED:
        rows = [row for row in kit.rows if row.relation == relation and "fail" in (row.tck, row.conform)]
        if rows:
            text.append("\n").append(f" {WORDS[relation].capitalize()}\n", styles.HEADING)
        for row in rows:
            for line, style in _row(row, width):
                text.append(f"{line}\n", style)
    return text


def _row(row: Beside, width: int) -> Iterator[tuple[str, str]]:
    yield f" {safe(row.id)}  acp-tck: {safe(row.tck or 'nothing')}  conform: {row.conform}", styles.ERROR
    said = [row.why] if row.why else []
    if row.judged is not None and row.judged.failures:
        failure = row.judged.failures[0]
        said.append(f"{failure.trace} #{failure.frame} {failure.message}")
    for each in said:
        yield from (("   " + line, "") for line in textwrap.wrap(safe(each), width - 4))
