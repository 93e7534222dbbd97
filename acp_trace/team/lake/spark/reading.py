"""What an executor reads for a question: files of a table of a place, as batches of Arrow's. No Spark here.

It reads through obstore, as a build writes: a cluster needs no connector for buckets of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_trace.store.schema import Table
from acp_trace.team.lake import columns, names
from acp_trace.team.lake.ranges import ObjectFile
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.spark.ddl import columns_of

if TYPE_CHECKING:
    from acp_trace.places.place import SharedPlace

#: What an executor imports to read, besides this package.
NEEDED = ("obstore", "pyarrow")
#: Files of this many bytes together are one task; a larger file is its own task.
_TASK_BYTES = 64 << 20
#: Of a batch: rows have very different sizes, a value that comes often is in the file once, and Spark has a
#: batch in memory several times.
_BATCH_BYTES, _MOST_ROWS = 16 << 20, 2_000
#: Conditions on the day, by the name of Spark's class of them, that say which files are not needed.
_TESTS: dict[str, Callable[[str, Any], bool]] = {
    "EqualTo": operator.eq,
    "EqualNullSafe": operator.eq,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqual": operator.ge,
    "LessThan": operator.lt,
    "LessThanOrEqual": operator.le,
    "In": lambda day, days: day in days,
    "StringStartsWith": str.startswith,
}


class DayFile(NamedTuple):
    """A file of a table."""

    day: str
    group: str
    bytes: int


def files_of(table: Table, snapshot: LakeSnapshot) -> list[DayFile]:
    """The files that a table has at a commit, by day."""
    found = ((group, group.files.get(table.name)) for group in snapshot.groups.values())
    return sorted(DayFile(group.day, group.name, file.bytes) for group, file in found if file is not None)


def may_have(files: Iterable[DayFile], conditions: Iterable[Any]) -> list[DayFile]:
    """The files of days that conditions of Spark's leave over; conditions on other columns say nothing."""
    tests = [
        (_TESTS[type(one).__name__], one.value)
        for one in conditions
        if type(one).__name__ in _TESTS and one.attribute == (columns.DAY.name,)
    ]
    return [file for file in files if all(test(file.day, value) for test, value in tests)]


def tasks(files: Sequence[DayFile]) -> list[list[DayFile]]:
    """The files, in their order, cut into what one task reads."""
    made: list[list[DayFile]] = []
    room = 0
    for file in files:
        if room < file.bytes:
            made.append([])
            room = _TASK_BYTES
        made[-1].append(file)
        room -= file.bytes
    return made


def batches(place: SharedPlace, table: Table, file: DayFile) -> Iterator[Any]:
    """The rows of a file: all columns, NULL where an older layout has none. Raises PlaceError."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {"VARCHAR": pa.string(), "BIGINT": pa.int64(), "BOOLEAN": pa.bool_(), "BLOB": pa.binary()}
    wanted = pa.schema([(one.name, types[one.type]) for one in columns_of(table)])
    part = partial(place.part, names.data(table.name, file.day, file.group))
    with parquet.ParquetFile(pa.PythonFile(ObjectFile(part, file.bytes), "r")) as opened:
        has = set(opened.schema_arrow.names)
        rows = _rows_of_a_batch(opened.metadata)
        for batch in opened.iter_batches(rows, columns=[name for name in wanted.names if name in has]):
            made = {name: batch[name] for name in batch.schema.names}
            made[columns.DAY.name] = pa.repeat(file.day, len(batch))
            missing = (pa.nulls(len(batch), each.type) for each in wanted)
            arrays = [
                made[each.name].cast(each.type) if each.name in made else nulls
                for each, nulls in zip(wanted, missing, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=wanted)


def _rows_of_a_batch(metadata: Any) -> int:
    size: int = sum(metadata.row_group(each).total_byte_size for each in range(metadata.num_row_groups))
    rows: int = metadata.num_rows
    return max(1, min(_MOST_ROWS, _BATCH_BYTES * rows // max(size, 1)))
