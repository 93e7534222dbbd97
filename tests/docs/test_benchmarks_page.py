"""docs/evidence/benchmarks.md has a table for every benchmark, with the command that repeats it."""

from __future__ import annotations

import re

import pytest

from tests.bench.run import BENCHES
from tests.docs.pages import DOCS, README

_PAGE = (DOCS / "evidence" / "benchmarks.md").read_text("utf-8")
_PLACES = dict(re.findall(r"<!-- bench: ([\w-]+) -->\n(.*?)<!-- end -->", _PAGE, re.DOTALL))


def test_every_benchmark_has_its_place() -> None:
    """`growth` stands there with ten million frames, `team` with 100,000 traces."""
    assert set(_PLACES) == set(BENCHES) - {"growth", "team"}


@pytest.mark.parametrize("name", _PLACES)
def test_its_table_is_there_with_its_command(name: str) -> None:
    """Whole, not with `--quick`, and with the machine."""
    table = _PLACES[name]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) > 3
    assert len({line.count("|") for line in rows}) == 1
    assert f"`just bench --only {name}`, system " in table


def test_the_readme_quotes_the_page() -> None:
    """What it says of speed stands in a table, to the digit."""
    section = README.read_text("utf-8").partition("## What it costs")[2].partition("\n## ")[0]
    quoted = re.findall(r"[\d.,]*\d (?:µs|ms|s|MB/s|MB)\b", section)
    assert len(quoted) > 6
    assert [one for one in quoted if f"| {one} " not in _PAGE] == []
