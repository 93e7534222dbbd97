"""The root command: all commands, and the place of each in `--help`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli.command_classes import (
    AgentCommand,
    ArgumentsCommand,
    Command,
    CommandGroup,
    RecordCommand,
    Root,
    Team,
)

#: click keeps the lines of a paragraph that begins with \b.
_HELP = """Record, replay and explain the traffic between ACP clients and coding agents.

\b
See it work:    acp-trace demo
Your own agent: acp-trace record -- AGENT, where your client starts AGENT
Afterwards:     acp-trace show
"""

#: The headings of `--help` with their commands, in the order in which users need them.
COMMANDS: dict[str, tuple[str, ...]] = {
    "Record": ("record", "drive", "demo", "doctor", "install", "uninstall"),
    "Look": ("show", "view", "check", "conform", "ls", "frames", "model", "query", "stats", "mcp"),
    "Replay": ("replay", "mock", "diff", "review", "matrix", "bisect"),
    "Keep": ("import", "export", "redact", "rm"),
    "Help": ("docs",),
}
#: The same for `acp-trace team --help`: commands of the extra `team`, which are one entry in the root's help.
TEAM: dict[str, tuple[str, ...]] = {
    "Traces": ("team push", "team pull", "team ls", "team prune"),
    "Tables": ("team build", "team query"),
}
_TEAM_HELP = "Share traces with a team, in a directory or a bucket."
#: Older names -> what is written today. They work as they always did, and no help lists them.
ALIASES = {
    "load": "import",
    "follow": "frames --follow",
    "prune": "rm --older-than",
    "model diff": "diff --model",
    "where": "doctor",
    "push": "team push",
    "pull": "team pull",
    "lake build": "team build",
}
#: The modules of commands that are not called like theirs.
_MODULES = {"uninstall": "install", "import": "import_log", "prune": "rm"}
_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
_CLASSES: dict[str, type[Command]] = {
    "record": RecordCommand,
    "drive": AgentCommand,
    "replay": AgentCommand,
    "install": AgentCommand,
    "conform": AgentCommand,
    "matrix": ArgumentsCommand,
    "bisect": ArgumentsCommand,
}


def _function(name: str) -> Callable[..., None]:
    """What a command does. Only now its module is imported: the others cost time, and a recorder memory.

    It is called like the command; one that would be a word of Python (`import_`) ends with an underscore.
    """
    group, _, word = ALIASES.get(name, name).partition(" ")
    if group == "team":
        from acp_trace.places.door import team

        plain, module = word, team(f"commands.{word}")
    else:
        plain = name.replace(" ", "_")
        module = import_module(f"acp_trace.cli.{_MODULES.get(name, plain)}")
    function: Callable[..., None] = getattr(module, f"{plain}_" if iskeyword(plain) else plain)
    return function


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
    made, team = _group(Root, "acp-trace"), _group(Team, "team")
    made.callback(help=_HELP)(_root)
    for heading, names in (*COMMANDS.items(), *TEAM.items(), ("", tuple(ALIASES))):
        for name in names:
            if only in (None, name):
                group, word = (team, name.partition(" ")[2]) if heading in TEAM else (made, name)
                group.command(
                    word,
                    cls=_CLASSES.get(name, Command),
                    rich_help_panel=heading or None,
                    hidden=not heading,
                    context_settings={
                        **_SETTINGS,
                        "allow_interspersed_args": name != "record",  # its agent comes without `--`, too
                        "ignore_unknown_options": name == "docs",  # words to search for: `python -m`
                    },
                )(_function(name))
    if team.registered_commands:
        made.add_typer(team, help=_TEAM_HELP, rich_help_panel="Share", hidden=not Team.is_installed())
    return made


def _group(cls: type[CommandGroup], name: str) -> typer.Typer:
    return typer.Typer(
        name=name,
        cls=cls,
        context_settings=_SETTINGS,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help reads the same everywhere, and costs no import
    )


if TYPE_CHECKING:
    app: typer.Typer
    """All of it: for help, for a shell's completion, and for a line that begins with no command."""


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(name)
    return _app_of()


def app_for(words: Sequence[str]) -> typer.Typer:
    """The root command for this line: to build the commands that it does not name takes typer 20 ms."""
    names = {name for group in (*COMMANDS.values(), *TEAM.values()) for name in group}
    named = next((name for name in (" ".join(words[:2]), *words[:1]) if name in {*names, *ALIASES}), None)
    return _app_of(None if "_ACP_TRACE_COMPLETE" in os.environ else named)
