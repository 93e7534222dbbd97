"""Every command explains itself, and `record` is parsed without pydantic."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer.main

from acp_trace import __version__
from acp_trace.cli import common
from acp_trace.cli.app import ALIASES, app, app_for
from acp_trace.cli.headings import HEADINGS
from tests.commands import Commands
from tests.support import Home

_COMMANDS = typer.main.get_command(app).flat()  # type: ignore[attr-defined]


def test_every_command_and_option_has_help() -> None:
    """And every one has `--json` but those that talk the protocol, and those that are for people."""
    assert {name for name, command in _COMMANDS.items() if not command.hidden} == {
        "record", "drive", "replay", "matrix", "bisect", "mock", "review", "ls", "show", "check", "conform", "diff", "frames", "model",
        "import", "export", "redact", "query", "stats", "rm", "team", "team push", "team pull", "team ls", "team prune", "team build", "team query", "demo", "doctor", "install", "uninstall", "view", "mcp", "docs",
    }  # fmt: skip
    assert {name for name, command in _COMMANDS.items() if command.hidden} == {*ALIASES}
    for name, command in _COMMANDS.items():
        assert command.help, name
        options = {option for parameter in command.params for option in parameter.opts}
        assert name in ("record", "mock", "review", "view", "mcp", "team") or "--json" in options
        assert all(parameter.help or parameter.hidden for parameter in command.params), name


def test_one_command_alone_is_what_it_is_among_all() -> None:
    """A line that names a command builds no other one; with any other first word all are there."""

    def built(*words: str) -> dict[str, Any]:
        return typer.main.get_command(app_for(words)).flat()  # type: ignore[attr-defined, no-any-return]

    for name, command in _COMMANDS.items():
        if name == "team":
            continue
        *group, alone = built(*name.split(), "--help").items()
        assert ([word for word, _ in group], alone[0]) == (["team"] * name.startswith("team "), name)
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


def test_no_words_get_a_few_lines(commands: Commands) -> None:
    """What it is and the first commands; the whole list is `--help`."""
    said = commands()
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 5
    assert all(word in said.err for word in ("record --", " show", "replay --", "--help"))


@pytest.mark.parametrize("command", ["replay", "frames", "record"])
def test_long_help_has_headings(commands: Commands, command: str) -> None:
    """No list of options is longer than what one reads at a glance, and every row of the table is used."""
    lines = commands.passes(command, "--help").splitlines()
    heading, counts = "", dict[str, int]()
    for line in lines:
        if line[:1].strip() and line.endswith(":"):
            heading = line[:-1]
        elif line.startswith("  -"):
            counts[heading] = counts.get(heading, 0) + 1
    assert max(counts.values()) <= 12
    assert counts["Options"] == 1  # --help
    names = {parameter.name for parameter in _COMMANDS[command].params}
    assert {name for row in HEADINGS[command].values() for name in row} <= names


def test_one_phrase_explains_a_trace() -> None:
    """Whoever has read it once need not read it again."""
    for name, command in _COMMANDS.items():
        for parameter in command.params:
            if parameter.param_type_name == "argument" and parameter.metavar in ("TRACE", "A"):
                assert common.IDS in parameter.help, name


def test_install_names_the_same_clients_in_its_help_and_its_error(commands: Commands) -> None:
    """Those that have a file to edit."""
    assert "One of zed, jetbrains, acpx." in commands.passes("install", "--help")
    assert "it can be zed, jetbrains or acpx" in commands("install", "emacs").err
