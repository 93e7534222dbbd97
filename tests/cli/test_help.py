"""Every command explains itself, and `record` is parsed without pydantic."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer.main

from acp_trace import __version__
from acp_trace.cli.app import app, app_for
from tests.commands import Commands
from tests.support import Home

_COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_every_command_and_option_has_help() -> None:
    """And every one has `--json` but those that talk the protocol, and those that are for people."""
    assert set(_COMMANDS) == {
        "record", "drive", "replay", "matrix", "bisect", "mock", "review", "ls", "show", "check", "conform", "diff", "frames", "follow", "load", "model", "model diff",
        "import", "export", "redact", "query", "stats", "rm", "prune", "push", "pull", "lake build", "demo", "where", "install", "uninstall", "view", "mcp",
    }  # fmt: skip
    for name, command in _COMMANDS.items():
        assert command.help, name
        options = {option for parameter in command.params for option in parameter.opts}
        assert name in ("record", "mock", "review", "view", "mcp") or "--json" in options
        assert all(parameter.help or parameter.hidden for parameter in command.params), name


def test_one_command_alone_is_what_it_is_among_all() -> None:
    """A line that names a command builds no other one; with any other first word all are there."""

    def built(*words: str) -> dict[str, Any]:
        return typer.main.get_command(app_for(words)).commands  # type: ignore[attr-defined, no-any-return]

    for name, command in _COMMANDS.items():
        (alone,) = built(*name.split(), "--help").items()
        assert alone[0] == name
        context = command.context_class(command, info_name=name)
        assert alone[1].get_help(context) == command.get_help(context)
        assert type(alone[1]) is type(command)
        assert alone[1].context_settings == command.context_settings
    assert built().keys() == built("nonsense").keys() == built("--help").keys() == _COMMANDS.keys()


def test_version_and_usage(home: Home) -> None:
    """The small things."""
    assert home.run("--version") == f"acp-trace {__version__}\n"
    assert "Record:" in home.run("--help")
    assert home.outcome("nonsense").returncode == 2
    assert home.outcome("record").returncode == 2
    assert home.outcome("record", "--nonsense", "--", "true").returncode == 2


def test_the_parser_of_record_imports_no_pydantic() -> None:
    """What a client would wait for (acp_trace/cli/uncoerced.py)."""
    code = (
        "import sys\n"
        "from acp_trace.record import recorder\n"
        "def record(argv, *, out, labels, load):\n"
        "    heavy = {'pydantic', 'pydantic_core', 'rich', 'duckdb', 'watchfiles'} & set(sys.modules)\n"
        "    print(argv, out, labels, load, heavy)\n"
        "recorder.record = record\n"
        "sys.argv = ['acp-trace', 'record', '--out', 'x', '--label', 'a=b', '--no-load', '--', 'agent', '-x', '--out', 'y']\n"
        "from acp_trace.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "['agent', '-x', '--out', 'y'] x {'a': 'b'} False set()\n"


@pytest.mark.parametrize("words", [("lake",), ("lake", "x")])
def test_the_first_of_two_words(commands: Commands, words: tuple[str, ...]) -> None:
    """Of a command that has two: the message says which commands begin so."""
    said = commands(*words)
    assert (said.code, said.out) == (2, "")
    assert "`lake` is the first word of a command: lake build" in said.err


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_of_the_first_of_two_words(commands: Commands, option: str) -> None:
    """Is that of the only command that begins with it."""
    assert commands("lake", option) == commands("lake", "build", option)
