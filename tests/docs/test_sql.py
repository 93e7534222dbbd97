"""Every query that a page shows is run: on real traces, and beside one that lacks its header."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.docs.pages import PAGES, command_lines
from tests.support import REPOSITORY, Home

_COMMANDS = [line for page in PAGES for line in command_lines(page)]
#: Without the pipe to the next line's command, which only the page needs.
_QUERIES = [
    line.removeprefix("acp-trace ").removesuffix(" |")
    for line in _COMMANDS
    if line.startswith("acp-trace query ")
]


def test_there_are_some() -> None:
    """A pattern that finds nothing would pass everything."""
    assert len(_QUERIES) > 20
    assert any("\n" in one for one in _QUERIES)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the samples, and one that lacks its header: loaded once, and copied for each query."""
    home = Home(tmp_path_factory.mktemp("loaded") / "home")
    samples = sorted((REPOSITORY / "sample_traces").glob("*.jsonl"))
    headless = home.path.parent / "headless.jsonl"
    headless.write_bytes(samples[0].read_bytes().partition(b"\n")[2])
    home.run("load", *map(str, samples), str(headless))
    home.run("push", str(home.path.parent / "team"), "--as-is")
    home.run("lake", "build", str(home.path.parent / "team"))
    return home.path


@pytest.mark.slow
@pytest.mark.parametrize("command", _QUERIES)
def test_each_query_runs(commands: Commands, loaded: Path, command: str) -> None:
    """DuckDB takes it, whatever traces there are; and a place with the same traces gives the same rows."""
    shutil.copytree(loaded, commands.home.path, dirs_exist_ok=True)
    place = str(loaded.parent / "team")
    words = [word.replace("sample_traces/", f"{REPOSITORY}/sample_traces/") for word in shlex.split(command)]
    words = [place if word == "s3://traces/team" else word for word in words]
    said = commands.passes(*words)
    if not {"--at", "--trace", "--schema"} & set(words):
        words = [word.replace("SELECT * FROM", "SELECT * EXCLUDE (day) FROM") for word in words]
        at_place = commands.passes(*words, "--at", place)
        assert sorted(at_place.splitlines()) == sorted(said.splitlines())
