"""The root command: which commands there are, in the order of `--help`."""

from __future__ import annotations

from typing import Annotated

import typer

from acp_trace.cli.lean import LeanCommand, LeanGroup
from acp_trace.cli.record import record

app = typer.Typer(cls=LeanGroup, no_args_is_help=True, pretty_exceptions_enable=False)
app.command(cls=LeanCommand, context_settings={"allow_interspersed_args": False})(record)


def _version(wanted: bool) -> None:
    if wanted:
        from acp_trace import __version__

        typer.echo(f"acp-trace {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Record, replay and explain the traffic between ACP clients and coding agents."""


def main() -> None:
    """The entry point of `acp-trace` and of `python -m acp_trace`."""
    app()
