"""`acp-trace install` and `acp-trace uninstall`: the recorder in a client's configuration, and out again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from acp_trace.cli import client_files, common
from acp_trace.cli.errors import DIFFERS, UNREADABLE, USAGE, fail
from acp_trace.clients.table import editable

if TYPE_CHECKING:
    from acp_trace.clients.configuration import Configuration
    from acp_trace.clients.table import EditableClient

_Client = Annotated[str, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(editable())}.")]
_Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        readable=False,
        help="The client's configuration file, if it is not in the usual place.",
    ),
]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Change the file without asking.")]


def install(
    ctx: typer.Context,
    client: _Client,
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT", help="The agent's name in the configuration. Needed if it has several agents."
        ),
    ] = None,
    config: _Config = None,
    yes: _Yes = False,
    json: common.Json = False,
) -> None:
    """Add the recorder to a client's configuration.

    To add an agent that is not in the client's configuration, put its command after `--`. Shows what would
    change, and asks before it writes. Only the agent's command changes: comments, order and spacing stay. A
    backup of the file is kept next to it. `acp-trace uninstall` removes the recorder and restores the file
    byte for byte. If there is no terminal and --yes is not given, nothing is changed, and the exit code is 1.
    """
    from acp_trace.cli.command_classes import agent_of
    from acp_trace.clients import configuration
    from acp_trace.clients.edits import CannotEdit

    command = agent_of(ctx)
    found = client_files.client_named(client, editable())
    file = client_files.file_of(found, config)
    text = client_files.text_of(file)
    try:
        if text is None:
            if not (command and agent):
                fail(f"{file} does not exist: {_how_to_add(found, agent)}", USAGE)
            new: str | None = configuration.created(found, agent, _absolute(command), sys.executable)
        else:
            parsed = _parsed(found, file, text)
            if command and not agent:
                fail(_how_to_add(found, None), USAGE)
            agent = agent or _only_one(found, parsed, file)
            if command and not parsed.has(agent):
                new = parsed.extended(agent, _absolute(command), sys.executable)
            elif command:
                fail(f"{file} already has an agent {agent}: leave its command out", USAGE)
            elif parsed.has(agent) and parsed.records(agent):
                _tell(found, file, [agent], "already there", json=json)
                return
            else:
                new = parsed.wrapped(agent, sys.executable)
    except CannotEdit as error:
        fail(f"{file}: {error}", USAGE)
    _change(file, text, new, yes=yes, json=json, what=(found, [agent or ""], "installed"))


def uninstall(
    client: _Client,
    agent: Annotated[
        str | None,
        typer.Argument(metavar="AGENT", help="The agent's name in the configuration; by default, all."),
    ] = None,
    config: _Config = None,
    yes: _Yes = False,
    json: common.Json = False,
) -> None:
    """Remove the recorder from a client's configuration.

    Restores what `install` changed, byte for byte. Later changes to other parts of the file stay. Shows what
    would change, and asks before it writes.
    """
    from acp_trace.clients.edits import CannotEdit

    found = client_files.client_named(client, editable())
    file = client_files.file_of(found, config)
    text = client_files.text_of(file)
    if text is None:
        fail(f"{file} does not exist: nothing is installed", USAGE)
    try:
        names = [agent] if agent else _parsed(found, file, text).installed
        if not names:
            _tell(found, file, [], "nothing installed", json=json)
            return
        new: str | None = text
        for name in names:
            new = None if new is None else _parsed(found, file, new).without(name)
    except CannotEdit as error:
        fail(f"{file}: {error}", USAGE)
    _change(file, text, new, yes=yes, json=json, what=(found, names, "uninstalled"))


def _absolute(command: Sequence[str]) -> list[str]:
    """Return the command with its program's whole path, if this shell finds the program by its name.

    A client that was started from a desktop does not have the PATH of a shell: launchd gives it four
    directories of the system (docs/clients.md, "If nothing is recorded").
    """
    program = shutil.which(command[0]) if os.path.basename(command[0]) == command[0] else None
    return [os.path.abspath(program) if program else command[0], *command[1:]]


def _parsed(client: EditableClient, file: Path, text: str) -> Configuration:
    from acp_trace.clients.configuration import Configuration
    from acp_trace.clients.jsonc import BadJson

    try:
        return Configuration(client, text)
    except BadJson as error:
        fail(f"{file} is not JSON: {error}", UNREADABLE)


def _only_one(client: EditableClient, parsed: Configuration, file: Path) -> str:
    """The agent that is meant if none is named."""
    names = parsed.with_command
    if len(only := set(names or parsed.names)) == 1:  # an agent without a command gets its error later
        return only.pop()
    several = f"several agents, name one: {', '.join(names)}"
    none = f"no agent with its own command: {_how_to_add(client, None)}"
    return fail(f"{file} has {several if names else none}", USAGE)


def _how_to_add(client: EditableClient, name: str | None) -> str:
    return f"to add an agent: acp-trace install {client.name} {name or 'NAME'} -- COMMAND ARGS"


def _change(
    file: Path,
    old: str | None,
    new: str | None,
    *,
    yes: bool,
    json: bool,
    what: tuple[EditableClient, list[str], str],
) -> None:
    """Shows what would change, asks, and replaces the file."""
    from acp_trace.cli.shown_difference import difference
    from acp_trace.trace.os_errors import reason

    client, names, state = what
    diff = difference(str(file), old, new)
    if not json:
        _show(diff)
    if not (yes or _agreed(file, json=json)):
        _not_changed(client, file, names, diff, json=json)
    if client_files.text_of(file) != old:
        fail(f"{file} was changed meanwhile: run the command again to see the new difference", DIFFERS)
    try:
        backup = client_files.replace(file, new, keep=state == "installed")
    except OSError as error:
        fail(f"{file} cannot be written: {reason(error)}", UNREADABLE)
    _tell(client, file, names, state, json=json, diff=diff, backup=backup)


def _show(diff: list[str]) -> None:
    """Removed lines red, added ones green; everything else as it is."""
    from rich.text import Text

    from acp_trace.report.safe import safe

    console = common.console()
    for line in diff:
        style = {"-": "red", "+": "green", "@": "bright_black"}.get(line[:1], "")
        console.print(Text(safe(line.rstrip("\r").replace("\t", "    ")), style), soft_wrap=True)


def _agreed(file: Path, *, json: bool) -> bool:
    if json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm(f"Change {file}?")


def _not_changed(
    client: EditableClient, file: Path, names: list[str], diff: list[str], *, json: bool
) -> NoReturn:
    _tell(client, file, names, "not changed", json=json, diff=diff)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("acp-trace: nothing was changed: give --yes to change the file", file=sys.stderr)
    raise typer.Exit(DIFFERS)


def _tell(
    client: EditableClient,
    file: Path,
    names: list[str],
    state: str,
    *,
    json: bool,
    diff: list[str] | None = None,
    backup: Path | None = None,
) -> None:
    from acp_trace.report.safe import safe

    if json:
        about: dict[str, Any] = {"client": client.name, "file": str(file), "agents": names, "state": state}
        kept = None if backup is None else str(backup)
        common.print_json({**about, "backup": kept, "diff": "\n".join(diff or [])})
        return
    which = ", ".join(names) or client.title
    lines = {
        "installed": f"{which} is recorded from now on: {client.then}",
        "uninstalled": f"{which} is no longer recorded: {client.then}",
        "already there": f"{which} is recorded already",
        "nothing installed": "install has not put a recorder into this file",
    }
    if state in lines:
        typer.echo(f"{safe(str(file))}: {safe(lines[state])}")
    if backup is not None:
        typer.echo(f"backup: {safe(str(backup))}")
