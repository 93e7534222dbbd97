"""One test over a table of which each row is checked for its form: a case of its own costs more than the check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def each(rows: Iterable[T], check: Callable[[T], None], name: Callable[[T], object] = repr) -> None:
    """Check every row. Raises an ExceptionGroup of what the rows raised that fail, each named in a note."""
    count, failed = 0, []
    for row in rows:
        count += 1
        try:
            check(row)
        except Exception as error:
            error.add_note(f"in the row {name(row)}")
            failed.append(error)
    assert count, "there are no rows"
    if failed:
        named = "; ".join(error.__notes__[-1].removeprefix("in the row ") for error in failed)
        raise ExceptionGroup(f"{len(failed)} of {count} rows: {named}", failed)
