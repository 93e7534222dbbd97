"""The generated pages say what the program says; every command that a page names is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from acp_trace.cli.app import app
from tests.docs.pages import DOCS, INDEX, PAGES, README, blocks, told_commands
from tests.rows import each
from tests.support import DEADLINE_S, REPOSITORY, Home

COMMANDS: dict[str, Any] = get_command(app).flat()  # type: ignore[attr-defined]
LISTED = [name for name, command in COMMANDS.items() if not command.hidden]  #: without the older names
COMMAND_PAGE = DOCS / "commands.md"
SHOWN = REPOSITORY / "sample_traces" / "opencode-story.jsonl"


def generate(docs: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(docs / "generate.py"), *args],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S * 4,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},  # a copy of the pages has no tests beside it
        check=False,
    )


@pytest.mark.slow
def test_a_stale_page_is_named_and_mended(tmp_path: Path) -> None:
    """`--check` writes nothing and names the page, and no other: all are fresh. Without it, the page is as it was."""
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    shutil.copy(README, tmp_path)
    page = docs / "store.md"
    whole = page.read_text("utf-8")
    page.write_text(whole.replace("| `trace_id` | VARCHAR |", "| `id` | VARCHAR |"), "utf-8")
    stale = page.read_text("utf-8")
    done = generate(docs, "--check")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "docs/store.md is stale: run `python docs/generate.py`\n"
    assert page.read_text("utf-8") == stale
    assert generate(docs).stdout == "docs/store.md is written again\n"
    assert page.read_text("utf-8") == whole


@pytest.mark.slow
def test_a_page_without_its_markers_is_an_error(tmp_path: Path) -> None:
    """A part cannot vanish from its page unnoticed."""
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    shutil.copy(README, tmp_path)
    (docs / "store.md").write_text("# The store\n", "utf-8")
    done = generate(docs, "--check")
    assert done.returncode == 1
    assert "no markers for tables, views" in done.stderr


@pytest.mark.parametrize("name", LISTED)
def test_every_command_has_help(name: str, home: Home) -> None:
    """Command, arguments and options explain themselves, and a real terminal shows what the page has."""
    command = COMMANDS[name]
    assert command.help
    for parameter in command.params:
        assert getattr(parameter, "help", None) or getattr(parameter, "hidden", False), parameter.name
    printed = home.run(*name.split(), "--help", COLUMNS="80")
    body = printed.partition("\n")[2]  # the first line names the program as it was started
    assert any(
        f"Usage: acp-trace {name} " in one and one.endswith(body) for one in blocks(COMMAND_PAGE, "text")
    )


def test_every_command_is_in_the_index() -> None:
    """The table of commands is whole; those of `team` stand in its row by their second word."""
    table = [line for line in INDEX.read_text("utf-8").splitlines() if "| `" in line]
    assert [name for name in LISTED if not any(f"`{name}`" in line for line in table)] == [
        name for name in LISTED if name.startswith("team ") and name != "team push"
    ]


def test_every_command_line_exists() -> None:
    """What a page tells people to type has existing commands with existing options."""

    def check(page: Path) -> None:
        for words in told_commands(page):
            name, *rest = words if " ".join(words[:2]) not in COMMANDS else [" ".join(words[:2]), *words[2:]]
            if name.startswith("-"):
                assert name in {"--version", "--help", "--install-completion"}, words
                continue
            assert name in COMMANDS, words
            options = {
                option: one for one in COMMANDS[name].params for option in one.opts if option[0] == "-"
            }
            options["--help"] = None
            while rest and rest[0] != "--":
                option = rest.pop(0).partition("=")[0]
                if option.startswith("-") and option != "-":
                    assert option in options, words
                    takes_value = options[option] is not None and not options[option].is_flag
                    if takes_value and rest and "=" not in option:
                        rest.pop(0)

    each(PAGES, check, lambda page: page.name)


def test_there_are_command_lines() -> None:
    """The test above reads what it should: also what stands in quotes, and after `&&`."""
    readme = list(told_commands(README))
    assert ["demo"] in readme
    assert ["record", "--", "opencode", "acp"] in readme
    cookbook = list(told_commands(DOCS / "cookbook.md"))
    assert any(words[:2] == ["query", "--trace"] for words in cookbook)
    assert len(cookbook) > 20


def test_set_up_is_two_commands() -> None:
    """The README's set-up is these two lines, word for word; between them a real agent is replayed."""
    first, _, second = blocks(README, "sh")
    assert [first, second] == [
        "pip install acp-trace && acp-trace demo\n",
        "pip install -e '.[dev]' && pytest\n",
    ]


def test_the_readme_shows_what_show_prints(home: Home) -> None:
    """The report on the first screen is the real one, at 100 columns, up to its configuration."""
    printed = [line.rstrip() for line in home.run("show", str(SHOWN)).splitlines()]
    shown = printed[: printed.index(" Configuration") - 1]
    assert blocks(README, "text")[0].splitlines() == ["$ acp-trace show", *shown, "…"]
