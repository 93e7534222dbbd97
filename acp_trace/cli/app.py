"""The root command: which commands there are, and where each stands in `--help`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from acp_trace.cli.bisect import bisect
from acp_trace.cli.check import check
from acp_trace.cli.command_classes import AgentCommand, ArgumentsCommand, Command, RecordCommand, Root
from acp_trace.cli.conform import conform
from acp_trace.cli.demo import demo
from acp_trace.cli.diff import diff
from acp_trace.cli.drive import drive
from acp_trace.cli.export import export
from acp_trace.cli.follow import follow
from acp_trace.cli.frames import frames
from acp_trace.cli.import_log import import_
from acp_trace.cli.install import install, uninstall
from acp_trace.cli.lake import lake_build
from acp_trace.cli.load import load
from acp_trace.cli.ls import ls
from acp_trace.cli.matrix import matrix
from acp_trace.cli.mcp import mcp
from acp_trace.cli.mock import mock
from acp_trace.cli.model import model
from acp_trace.cli.model_diff import model_diff
from acp_trace.cli.pull import pull
from acp_trace.cli.push import push
from acp_trace.cli.query import query
from acp_trace.cli.record import record
from acp_trace.cli.redact import redact
from acp_trace.cli.replay import replay
from acp_trace.cli.review import review
from acp_trace.cli.rm import prune, rm
from acp_trace.cli.show import show
from acp_trace.cli.stats import stats
from acp_trace.cli.view import view
from acp_trace.cli.where import where

#: click keeps the lines of a paragraph that begins with \b.
_HELP = """Record, replay and explain the traffic between ACP clients and coding agents.

\b
See it work:    acp-trace demo
Your own agent: acp-trace record -- AGENT, where your client starts AGENT
Afterwards:     acp-trace show
"""

#: Under which heading of `--help` which commands stand, in the order in which they are needed.
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Record": (record, drive, demo, where, install, uninstall),
    "Look": (show, view, check, conform, ls, frames, follow, model, model_diff, query, stats, mcp),
    "Replay": (replay, mock, diff, review, matrix, bisect),
    "Keep": (load, import_, export, redact, rm, prune),
    "Share": (push, pull, lake_build),
}
_CLASSES: dict[Callable[..., None], type[Command]] = {
    record: RecordCommand,
    drive: AgentCommand,
    replay: AgentCommand,
    install: AgentCommand,
    conform: AgentCommand,
    matrix: ArgumentsCommand,
    bisect: ArgumentsCommand,
}


def name_of(command: Callable[..., None]) -> str:
    """What a command is called: one of two words (`model diff`) stands beside the one of its first word.

    A name that is a word of Python (`import_`) ends with an underscore.
    """
    return command.__name__.rstrip("_").replace("_", " ")


def _version(wanted: bool) -> None:
    if wanted:
        from acp_trace import __version__

        typer.echo(f"acp-trace {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """See `_HELP`."""


def _app_of(only: str | None = None) -> typer.Typer:
    """The root command with all commands, or with the one of this name alone."""
    made = typer.Typer(
        name="acp-trace",
        cls=Root,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help reads the same everywhere, and costs no import
    )
    made.callback(help=_HELP)(_root)
    for heading, commands in COMMANDS.items():
        for command in commands:
            if only in (None, name_of(command)):
                made.command(
                    name_of(command),
                    cls=_CLASSES.get(command, Command),
                    rich_help_panel=heading,
                    context_settings={
                        "help_option_names": ["-h", "--help"],
                        "allow_interspersed_args": command is not record,  # its agent comes without `--`, too
                    },
                )(command)
    return made


#: All of it: for help, for a shell's completion, and for a line that begins with no command.
app = _app_of()


def app_for(words: Sequence[str]) -> typer.Typer:
    """The root command for this line: to build the commands that it does not name takes typer 20 ms."""
    names = {name_of(command) for commands in COMMANDS.values() for command in commands}
    named = next((name for name in (" ".join(words[:2]), *words[:1]) if name in names), None)
    return app if named is None or "_ACP_TRACE_COMPLETE" in os.environ else _app_of(named)
