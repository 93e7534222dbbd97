"""Rows with named, typed columns, and what notebooks do with them: Arrow, pandas, polars, HTML.

The libraries are not dependencies: the one that is asked for must be installed. Nothing here opens a store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class _Types(NamedTuple):
    """What a column of one SQL type is elsewhere. The types of pandas know missing values."""

    arrow: str
    pandas: str
    polars: str


#: The types that columns of the store have, and those that functions of SQL make of them. Of another type,
#: each library sees for itself what is in a column.
_TYPES = {
    "BOOLEAN": _Types("bool_", "boolean", "Boolean"),
    "TINYINT": _Types("int8", "Int8", "Int8"),
    "SMALLINT": _Types("int16", "Int16", "Int16"),
    "INTEGER": _Types("int32", "Int32", "Int32"),
    "BIGINT": _Types("int64", "Int64", "Int64"),
    "UBIGINT": _Types("uint64", "UInt64", "UInt64"),
    "FLOAT": _Types("float32", "Float32", "Float32"),
    "DOUBLE": _Types("float64", "Float64", "Float64"),
    "VARCHAR": _Types("string", "string", "String"),
    "BLOB": _Types("binary", "object", "Binary"),
}
#: The type of a sum of BIGINT: 128 bits; a number of ns or bytes needs only 64.
_WIDE, _NARROW = "HUGEINT", "BIGINT"
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: the columns' names and SQL types (`BIGINT`, `VARCHAR` …), and all rows, in their order.

    NULL is None. Times in `…_ns` are ns. In a notebook it shows its first rows.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries. Of columns with one name, the last one is there."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def arrow(self) -> pa.Table:
        """The same as a `pyarrow.Table`. Raises ImportError without pyarrow."""
        arrow = _library("pyarrow")
        types = [None if of is None else getattr(arrow, of.arrow)() for of in self._kinds()]
        columns = zip(self._items(), types, self.types, strict=True)
        arrays = [
            arrow.array(_as_decimals(items) if type_ is None and of == _WIDE else items, type_)
            for items, type_, of in columns
        ]
        return arrow.Table.from_arrays(arrays, names=list(self.columns))

    def pandas(self) -> pd.DataFrame:
        """The same as a `pandas.DataFrame`. Raises ImportError without pandas.

        Its types know missing values: a NULL does not make floats of integers.
        """
        library = _library("pandas")
        types = ["object" if of is None else of.pandas for of in self._kinds()]
        series = [
            library.Series(items, dtype=type_) for items, type_ in zip(self._items(), types, strict=True)
        ]
        frame = library.concat(series, axis=1) if series else library.DataFrame()
        frame.columns = list(self.columns)
        return frame

    def polars(self) -> pl.DataFrame:
        """The same as a `polars.DataFrame`. Raises ImportError without polars.

        Raises the DuplicateError of polars if two columns have one name: name them with AS.
        """
        library = _library("polars")
        types = [None if of is None else getattr(library, of.polars) for of in self._kinds()]
        named = zip(self.columns, self._items(), types, strict=True)
        frame: pl.DataFrame
        frame = library.DataFrame([library.Series(name, items, type_) for name, items, type_ in named])
        return frame

    def _kinds(self) -> Iterator[_Types | None]:
        for at, sql_type in enumerate(self.types):
            if sql_type == _WIDE and all(
                row[at] is None or -_LARGEST <= row[at] < _LARGEST for row in self.rows
            ):
                yield _TYPES[_NARROW]
            else:
                yield _TYPES.get(sql_type)

    def _items(self) -> list[list[Any]]:
        """Column by column."""
        return [[row[at] for row in self.rows] for at in range(len(self.columns))]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<table of {len(self.rows)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from acp_trace.report.notebook.tables import table

        return table(self.columns, self.rows, self.types)


def _as_decimals(items: list[Any]) -> list[Decimal | None]:
    """Integers of more than 64 bits, which Arrow has as decimals only."""
    return [None if item is None else Decimal(item) for item in items]


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name} is not installed: pip install {name}") from None
