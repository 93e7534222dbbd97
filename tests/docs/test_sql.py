"""Every query that a page shows is run: on real traces, and beside one that lacks its header."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.support import REPOSITORY, Home

_PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
_QUERIES = [
    command
    for page in _PAGES
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)
    for command in re.findall(r"^acp-trace (query .*)$", block, re.MULTILINE)
]


def test_there_are_some() -> None:
    """A pattern that finds nothing would pass everything."""
    assert len(_QUERIES) > 8


@pytest.mark.parametrize("command", _QUERIES)
def test_each_query_runs(home: Home, command: str) -> None:
    """DuckDB takes it, whatever traces there are."""
    samples = sorted((REPOSITORY / "sample_traces").glob("*.jsonl"))
    headless = home.path.parent / "headless.jsonl"
    headless.write_bytes(samples[0].read_bytes().partition(b"\n")[2])
    home.run("load", *map(str, samples), str(headless))
    words = [word.replace("sample_traces/", f"{REPOSITORY}/sample_traces/") for word in shlex.split(command)]
    home.run(*words)
