"""docs/check.md says what `check` takes and prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from acp_trace.analyze.budgets.grammar import OPS, UNITS, parse
from acp_trace.analyze.budgets.metrics import METRICS
from acp_trace.report.json.check import document
from tests.checking import facts, finding, turn, verdict
from tests.docs.pages import DOCS, blocks, inline, text_of

PAGE = DOCS / "check.md"
EXPRESSIONS = re.findall(r"--budget '([^']+)'", text_of(PAGE))


def test_every_metric_is_explained() -> None:
    """Each has its row."""
    rows = [line for line in text_of(PAGE).splitlines() if line.startswith("| `")]
    assert {name for name in METRICS if any(f"`{name}`" in row for row in rows)} == set(METRICS)


def test_the_grammar_is_whole() -> None:
    """Every operator and every unit."""
    (grammar,) = [block for block in blocks(PAGE, "text") if "METRIC STAT OP VALUE" in block]
    words = set(re.split(r"[\s,()]+", grammar))
    assert set(OPS) <= words
    assert set(UNITS) - {"μs"} <= words  # the Greek letter looks like the micro sign


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_budget_can_be_typed(expression: str) -> None:
    """What the page tells people to copy is a budget."""
    assert parse(expression, in_replay=True).text == expression


def test_there_are_budgets() -> None:
    """A pattern that finds nothing would pass everything."""
    assert len(EXPRESSIONS) > 4


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def test_every_key_of_the_json_is_explained() -> None:
    """In the table of `--json`."""
    found = facts(findings=[finding("not-json")], turns=[turn(1, 5)])
    told = document(verdict(found, budgets=("turn.duration max < 1ns", "findings count = 0")))
    assert {"value", "value_ns", "fails", "session_id", "failed"} <= set(_keys(told))
    assert set(_keys(told)) - inline(PAGE) == set()
