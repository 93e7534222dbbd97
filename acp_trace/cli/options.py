"""Options and arguments that several commands take, each declared once: its name, its metavar, its help.

What an option means is said where it is read. Options of one command alone stand in that command's module.
"""

from __future__ import annotations

from typing import Annotated

import typer

from acp_trace.cli import completion

Expected = Annotated[
    str,
    typer.Argument(
        metavar="A",
        help="The expected trace: the recording. A trace file, `-` for standard input, an id or the end of "
        "one, `last`, `last~2`.",
        autocompletion=completion.traces,
    ),
]
Actual = Annotated[
    str,
    typer.Argument(
        metavar="B", help="The actual trace; the same forms as A.", autocompletion=completion.traces
    ),
]
Match = Annotated[
    str | None,
    typer.Option(
        "--match",
        metavar="LEVEL",
        autocompletion=completion.words(completion.matches),
        help="How closely to compare: `outcome`, `semantic` (the default; of a replay without a model, "
        "`content`), `content` or `exact`.",
    ),
]
Masks = Annotated[
    list[str] | None,
    typer.Option("--mask", metavar="POINTER[:TYPE]", help="Hide the value at a JSON pointer. Repeatable."),
]
Budgets = Annotated[
    list[str] | None,
    typer.Option(
        "--budget", metavar="EXPR", help="Fail unless EXPR holds: 'cancel.settle p95 < 2s'. Repeatable."
    ),
]
Allowances = Annotated[
    list[str] | None,
    typer.Option(
        "--allow", metavar="'CODE PLACE'", help="Let this differ: 'update-missing usage_update'. Repeatable."
    ),
]
Pace = Annotated[
    str | None,
    typer.Option(
        "--pace",
        metavar="PACE",
        help="`causal`: as soon as possible (the default); `recorded`: with the recorded pauses; `10x`: "
        "ten times faster.",
    ),
]
Html = Annotated[
    str | None,
    typer.Option(
        "--html", metavar="FILE", help="Write a page to look at in a browser: one self-contained file."
    ),
]
Junit = Annotated[
    str | None,
    typer.Option("--junit", metavar="FILE", help="Write JUnit XML to FILE; `-` is standard output."),
]
Github = Annotated[bool, typer.Option("--github", help="Print GitHub workflow annotations.")]
AllDivergences = Annotated[bool, typer.Option("--all", help="List every divergence.")]
