"""Tables: columns that line up, what is cut, and what goes on below itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from acp_trace.report.text.columns import Cell, Column, table, wrap

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


_WRAPPING = (Column("n", right=True), Column("what", flexible=True, wraps=True), Column("took", right=True))


def test_what_wraps_goes_on_below_itself() -> None:
    """Between words, and within one that is longer than the column. Behind nothing, it has the whole line."""
    rows = [
        [[Cell("1")], [Cell("one two three four")], [Cell("3 ms")]],
        [[Cell("2")], [Cell("abcdefghijklmnopqrs")], [Cell("4 ms")]],
        [[], [Cell("all of this line is"), Cell(" free")], []],
    ]
    assert table(_WRAPPING, rows, 22, indent=1).plain.split("\n") == [
        " n  what          took",
        " 1  one two       3 ms",
        "    three four",
        " 2  abcdefghijkl  4 ms",
        "    mnopqrs",
        "    all of this line",
        "    is free",
        "",
    ]


def test_glue_holds_a_number_and_its_unit_together() -> None:
    """And is printed as a blank."""
    row = [[Cell("1")], [Cell("tools 3\u00a0ms · rest 30\u00a0ms")], []]
    assert table(_WRAPPING, [row], 20).plain.split("\n")[1:3] == [" 1  tools 3 ms ·", "    rest 30 ms"]


@given(st.text("ab 😀é", max_size=60), st.integers(2, 30))
def test_wrapping_loses_nothing(text: str, room: int) -> None:
    """No line is too wide, and the words are all there."""
    lines = wrap(Text(text), room)
    assert max(line.cell_len for line in lines) <= max(room, 2)
    assert "".join(line.plain for line in lines).replace(" ", "") == text.replace(" ", "")
