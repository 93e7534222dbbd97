"""`acp-trace record`: the one command whose start-up time a client feels. Imports nothing heavy."""

from __future__ import annotations

from typing import Annotated

import typer


def record(
    agent: Annotated[
        list[str],
        typer.Argument(metavar="AGENT", help="The agent's command, after `--`."),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Record into FILE alone, not into the spool. A FILE that exists is kept as "
            "NAME.1.jsonl, NAME.2.jsonl …",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="K=V", help="Write a label into the trace's header. Repeatable."),
    ] = None,
    no_load: Annotated[
        bool,
        typer.Option("--no-load", help="Leave the trace in the spool; the next command loads it."),
    ] = False,
) -> None:
    """Run AGENT, and write down what it and its client say.

    Put this where a client starts its agent. Every byte passes through untouched, every frame is
    written down first. Ends with the agent's
    exit code, or by its signal. Writes nothing to stdout, and to stderr only when something is lost
    or the agent cannot be started (exit 127).
    """
    from acp_trace.record import recorder

    if out is not None:
        _check(out)
    labels = {}
    for text in label or ():
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise typer.BadParameter(f"{text!r} is not of the form K=V", param_hint="--label")
        labels[key] = value
    recorder.record(agent, out=out, labels=labels, load=not no_load)


def _check(out: str) -> None:
    from acp_trace.record.outfile import refused

    if not out:
        raise typer.BadParameter("the name is empty: give a file", param_hint="--out")
    if what := refused(out):
        from acp_trace.report.safe import safe

        raise typer.BadParameter(f"{safe(out)} is {what}: give a file", param_hint="--out")
