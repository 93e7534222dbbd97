"""Rows of any query."""

from __future__ import annotations

from acp_trace.report.text.records import records

_NAMES = ["name", "n"]
_ROWS = [("a\x1b", 1), ("long " * 6, None), ("c", 22)]


def test_a_table_where_it_fits() -> None:
    """Numbers to the right, nothing harmful, nothing cut."""
    expected = [
        "name                             n",
        "a\\e                              1",
        "long " * 6,
        "c                               22",
        "",
    ]
    for width in (None, 34, 80):
        assert [line.rstrip() for line in records(_NAMES, _ROWS, width).plain.split("\n")] == [
            line.rstrip() for line in expected
        ]


def test_records_where_it_does_not() -> None:
    """One under the other, whole."""
    assert records(_NAMES, _ROWS[:2], 32).plain.split("\n") == [
        "── 1", "name  a\\e", "n     1", "── 2", "name  long long long long long l", "      ong ", "n     ", "",
    ]  # fmt: skip


def test_no_rows() -> None:
    """The names alone."""
    assert records(_NAMES, [], 80).plain == "name  n\n"
