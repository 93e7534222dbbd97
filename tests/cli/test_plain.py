"""The plain help: commands under headings, what a newcomer needs first, no names of Python's types."""

from __future__ import annotations

import re

from acp_trace.cli.app import COMMANDS, TEAM
from tests.support import Home


def _listed(home: Home, *group: str) -> dict[str, list[str]]:
    """Heading -> the commands below it, in their order. Each first line fits beside its name at 80 columns."""
    told: dict[str, list[str]] = {}
    widths = set()
    printed = home.run(*group, "--help", COLUMNS="80").partition("--help  ")[2]
    for heading, name, text in re.findall(r"^(\w+):$|^  (\w+ +)(\S.*)$", printed, re.MULTILINE):
        if heading:
            told[heading] = []
        else:
            told[list(told)[-1]].append(" ".join([*group, name.strip()]))
            widths.add(len(name))
            assert text.endswith(".")
            assert not text.endswith("...")
    assert len(widths) == 1  # all in one column
    return told


def test_commands_stand_under_headings(home: Home) -> None:
    """Every command once, under the heading and in the order of the table; all of a team's as one."""
    told = _listed(home)
    assert told == {**{heading: [*names] for heading, names in COMMANDS.items()}, "Share": ["team"]}
    assert [names[0] for names in told.values()] == ["record", "show", "replay", "import", "docs", "team"]
    assert _listed(home, "team") == {heading: [*names] for heading, names in TEAM.items()}


def test_usage_and_arguments_are_as_they_are_typed(home: Home) -> None:
    """No `<list[str]>`, no `TRACE...`, and the agent's command where it stands."""
    assert "record [OPTIONS] -- AGENT [ARGS]...\n" in home.run("record", "--help")
    assert "replay [OPTIONS] {TRACE}... [-- AGENT [ARGS]...]\n" in home.run("replay", "--help")
    for names in (*COMMANDS.values(), *TEAM.values()):
        for name in names:
            printed = home.run(*name.split(), "--help")
            assert not re.search(r"<(str|int|float|list|path)\b", printed, re.IGNORECASE), name


def test_a_wrong_line_is_told_without_ceremony(home: Home) -> None:
    """What is no value is not called an invalid one."""
    for words, told in (
        (("prune",), "Error: give --older-than AGE, --keep N, or both"),
        (("query",), "Error: give SQL, or --schema"),
        (("redact",), "Error: give --out FILE, or --dry-run"),
        (("review", "--accept", "--reject"), "Error: give either --accept or --reject, not both"),
        (("check", "--junit", "-", "--json"), "Error: --junit - and --json both write to standard output"),
    ):
        done = home.outcome(*words)
        assert (done.returncode, told in done.stderr.decode()) == (2, True), done.stderr
