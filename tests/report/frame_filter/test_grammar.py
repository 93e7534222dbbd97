"""What filters mean, what is wrong with them, and which rows they want; see `cases`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from acp_trace.report.frame_filter.fields import FIELDS, LONGEST, OPERATORS
from acp_trace.report.frame_filter.grammar import FilterError, Node, Not, Term, Word, parse, used
from acp_trace.report.frame_filter.matching import wants
from acp_trace.report.page.columns import filter_document
from tests.report.frame_filter.cases import CASES, ROWS


def _plain(tree: Node) -> list[Any]:
    if isinstance(tree, Term):
        return ["field", tree.field, tree.op, [list(v) if isinstance(v, tuple) else v for v in tree.values]]
    if isinstance(tree, Not):
        return ["not", _plain(tree.part)]
    return [type(tree).__name__.lower().rstrip("_"), *map(_plain, tree.parts)]


@pytest.mark.parametrize(("text", "tree"), CASES["trees"])
def test_a_filter_is_read(text: str, tree: list[Any]) -> None:
    """Each form once."""
    assert _plain(parse(text)) == tree


@pytest.mark.parametrize(("text", "message", "start", "end"), CASES["errors"])
def test_what_is_wrong_is_pointed_at(text: str, message: str, start: int, end: int) -> None:
    """From where to where, and why."""
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert (caught.value.message.partition("; did you mean")[0], caught.value.start, caught.value.end) == (
        message,
        start,
        end,
    )


@pytest.mark.parametrize(("text", "places"), CASES["wanted"])
def test_rows_are_wanted(text: str, places: list[int]) -> None:
    """Which of the rows."""
    fits = wants(parse(text))
    rows = [SimpleNamespace(**row, is_=row["is"]) for row in ROWS]
    assert [place for place, row in enumerate(rows) if fits(row)] == places


def test_mistakes_are_understood() -> None:
    """The nearest field, and the nearest value."""
    for text, near in (
        ("methd:x", "method"),
        ("side:agnt", "agent"),
        ("finding:cancel-errr", "cancel-error"),
    ):
        with pytest.raises(FilterError, match=f"did you mean .*{near}"):
            parse(text)
    with pytest.raises(FilterError) as caught:
        parse("took > 1s methd:x")
    assert str(caught.value).splitlines()[1:] == ["    took > 1s methd:x", "              ^~~~~"]


def test_long_and_deep_ones_are_refused() -> None:
    """Before they cost anything."""
    for text in ("x" * (LONGEST + 1), "(" * 1000 + "x" + ")" * 1000, "not " * 400 + "x"):
        with pytest.raises(FilterError):
            parse(text)


def test_fields_that_are_used() -> None:
    """With the word of `is`."""
    assert used(parse("a or not (is:error,open took>1s)")) == {"text", "is:error", "is:open", "took"}


def test_examples_are_filters() -> None:
    """Each row of the table shows its own field, and the page gets all of them."""
    for field in FIELDS.values():
        assert field.name in used(parse(field.example)) or field.name == "is"
    assert [row.name for row in filter_document()["fields"]] == list(FIELDS)
    assert all(parse(f"frame{op}3") for op in OPERATORS)
    assert Word("a") == ("a", False)
