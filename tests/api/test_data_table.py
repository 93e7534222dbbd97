"""Tables in other libraries: the same types in each, and nothing lost."""

from __future__ import annotations

from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest

from acp_trace.api.data_table import DataTable

BIG = 2**62 + 1  #: no float holds it
TABLE = DataTable(
    ("n", "text", "yes", "share", "raw", "wide", "many"),
    ("BIGINT", "VARCHAR", "BOOLEAN", "DOUBLE", "BLOB", "HUGEINT", "BIGINT[]"),
    ((BIG, "ü<", True, 0.5, b"\xff", 3, [1, 2]), (None, None, None, None, None, None, None)),
)
LIBRARIES = ("pyarrow", "pandas", "polars")


def _as_rows(table: DataTable) -> dict[str, list[tuple[Any, ...]]]:
    """What each library says that its table holds."""
    pandas = table.pandas()
    missing = pandas.astype(object).where(pandas.notna(), None)
    return {
        "pyarrow": [tuple(row.values()) for row in table.arrow().to_pylist()],
        "pandas": [tuple(row) for row in missing.itertuples(index=False)],
        "polars": table.polars().rows(),
    }


@pytest.fixture(autouse=True)
def _libraries() -> None:
    for name in LIBRARIES:
        pytest.importorskip(name, exc_type=ImportError)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_has_the_same_values(library: str) -> None:
    """Also beside a NULL, where an integer could become a float."""
    found = _as_rows(TABLE)[library]
    assert found[0] == TABLE.rows[0]
    assert type(found[0][0]) is int
    assert found[1] == TABLE.rows[1]


def test_an_empty_table_keeps_its_types() -> None:
    """A query without a result can be put beside one with some."""
    empty = DataTable(TABLE.columns[:4], TABLE.types[:4], ())
    assert [str(field.type) for field in empty.arrow().schema] == ["int64", "string", "bool", "double"]
    assert [str(of) for of in empty.pandas().dtypes] == ["Int64", "string", "boolean", "Float64"]
    assert [str(of) for of in empty.polars().dtypes] == ["Int64", "String", "Boolean", "Float64"]
    nothing = DataTable((), (), ())
    assert (nothing.arrow().num_columns, nothing.pandas().shape, nothing.polars().shape) == (
        0,
        (0, 0),
        (0, 0),
    )


def test_what_no_type_is_known_of_is_seen_by_the_library() -> None:
    """A number that is too large for 64 bits, and a type without a row in the table."""
    table = DataTable(("a", "d"), ("HUGEINT", "DECIMAL(10,2)"), ((2**70, Decimal("1.50")),))
    assert table.arrow().to_pylist() == [{"a": 2**70, "d": Decimal("1.50")}]
    assert table.pandas()["a"][0] == 2**70
    assert table.polars().rows() == [(2**70, Decimal("1.50"))]


def test_two_columns_may_have_one_name() -> None:
    """Where a library can have that."""
    table = DataTable(("a", "a"), ("BIGINT", "VARCHAR"), ((1, "x"),))
    assert table.arrow().column_names == ["a", "a"]
    assert list(table.pandas().columns) == ["a", "a"]
    with pytest.raises(import_module("polars").exceptions.DuplicateError):
        table.polars()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_that_is_not_there_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what installs it, in one line."""
    monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(ImportError, match=f"^{library} is not installed: pip install {library}$"):
        getattr(TABLE, library.removeprefix("py"))()


def test_rows_are_at_hand() -> None:
    """As tuples, as dictionaries, counted."""
    table = DataTable(("a", "b"), ("BIGINT", "BIGINT"), ((1, 2), (3, None)))
    assert list(table) == [(1, 2), (3, None)]
    assert table.dicts() == [{"a": 1, "b": 2}, {"a": 3, "b": None}]
    assert (len(table), repr(table)) == (2, "<table of 2 rows: a, b>")
