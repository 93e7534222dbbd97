"""Tables of one line a row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_trace.report.text.columns import Cell, Column, table

_COLUMNS = (Column("n", right=True), Column("what", flexible=True), Column("took", right=True))


def test_columns_line_up_and_the_flexible_one_is_cut() -> None:
    """Numbers to the right, words to the left, `…` where something is missing."""
    rows = [
        [[Cell("1")], [Cell("▸ "), Cell("short")], [Cell("3 ms")]],
        [[Cell("22")], [Cell("▸ "), Cell("a long one that has no room")], [Cell("–")]],
    ]
    assert table(_COLUMNS, rows, 30, indent=1).plain.split("\n") == [
        "  n  what                 took",
        "  1  ▸ short              3 ms",
        " 22  ▸ a long one that …     –",
        "",
    ]


def test_no_width_is_too_small() -> None:
    """A terminal of one column wraps what it is given; it does not get one letter a cell."""
    rows = [[[Cell("1")], [Cell("words")], [Cell("3 ms")]]]
    assert table(_COLUMNS, rows, 1).plain == table(_COLUMNS, rows, 20).plain


def test_nothing_at_all() -> None:
    """No rows, no headings: no text."""
    assert table((Column(), Column(flexible=True)), [], 80).plain == ""


@given(
    st.lists(st.tuples(st.text("ab😀é", max_size=30), st.text("ab😀", max_size=90)), max_size=5),
    st.integers(60, 120),
)
def test_no_line_is_wider_than_asked(rows: list[tuple[str, str]], width: int) -> None:
    """Also with characters that are two cells wide."""
    made = table((Column("x"), Column("y", flexible=True)), [[[Cell(a)], [Cell(b)]] for a, b in rows], width)
    longest = max((cell_len(a) for a, _ in rows), default=0)
    assert all(cell_len(line) <= max(width, longest + 4) for line in made.plain.split("\n"))
