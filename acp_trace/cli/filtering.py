"""The option `--where`, and the words of a filter on the line. What they mean is in `report.frame_filter`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import completion

if TYPE_CHECKING:
    from acp_trace.report.frame_filter.rows import Where as Filter

_TERM = re.compile(r"-?([A-Za-z_]+)[:=<>!].*", re.DOTALL)

Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="FILTER",
        help='Frames that match a filter: "method:session/update kind:tool_call took>1s" (docs/filter.md).',
        autocompletion=completion.filters,
    ),
]


def is_term(word: str) -> bool:
    """Whether a word is a term of a filter, such as `is:error`: its field exists."""
    from acp_trace.report.frame_filter.fields import ALIASES, FIELDS

    match = _TERM.fullmatch(word)
    return match is not None and match[1].lower() in {*FIELDS, *ALIASES}


def asked_for(words: str, option: str | None, *, live: bool = False) -> Filter | None:
    """What a filter wants that is given as words, as an option, or as both; None if neither is.

    `live`: it has to say so before the trace has ended. Ends with exit code 2 if it means nothing.
    """
    from acp_trace.report.frame_filter.fields import AT_END
    from acp_trace.report.frame_filter.grammar import All, FilterError, parse
    from acp_trace.report.frame_filter.rows import Where as Filter

    trees = []
    for hint, text in (("FILTER", words), ("--where", option)):
        if not text:
            continue
        try:
            trees.append(parse(text))
        except FilterError as error:
            raise typer.BadParameter(str(error), param_hint=hint) from None
    if not trees:
        return None
    made = Filter(All(tuple(trees)))
    for term in AT_END if live else ():
        if term in made.fields:
            raise typer.BadParameter(f"{term} is known only when a trace has ended", param_hint="--where")
    return made
