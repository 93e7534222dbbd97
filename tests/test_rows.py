"""Tables that one test checks."""

from __future__ import annotations

import pytest

from tests.rows import each


def _is_even(row: int) -> None:
    assert row % 2 == 0


def test_every_row_that_fails_is_named() -> None:
    """Not the first alone, and each with its own error."""
    with pytest.raises(ExceptionGroup, match="2 of 4 rows: <1>; <3>") as failed:
        each([1, 2, 3, 4], _is_even, lambda row: f"<{row}>")
    assert [type(error) for error in failed.value.exceptions] == [AssertionError] * 2
    each([2, 4], _is_even)


def test_a_table_without_rows_is_an_error() -> None:
    """It would prove nothing."""
    with pytest.raises(AssertionError, match="no rows"):
        each([], _is_even)
