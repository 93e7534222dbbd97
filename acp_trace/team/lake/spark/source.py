"""The tables of a bucket as a data source of Spark's, in Python: the executors read them (`reading`).

Spark asks a reader in Python for all columns of a table; which days it needs, Spark says from 4.1 on. Needs
pyspark at once, so it is imported late.
"""

from __future__ import annotations

import atexit
import json
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from acp_trace.places import door
from acp_trace.store import schema
from acp_trace.store.schema import Table
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.spark import reading, shipped, task
from acp_trace.team.lake.spark.ddl import schema_of
from acp_trace.trace.scratch import scratch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NAME = "acp-trace"
#: Off by default; without it Spark refuses a reader that asks.
_CONDITIONS = "spark.sql.python.filterPushdown.enabled"
_TABLES = {table.name: table for table in schema.TABLES}


def install(spark: SparkSession) -> None:
    """Gives a session the source, and its executors this package, if they do not have it yet."""
    context = spark.sparkContext
    if not any(path.endswith(f"/{shipped.NAME}") for path in context.listFiles):
        kept = ExitStack()  # the driver serves the file for as long as this process lives
        atexit.register(kept.close)
        context.addPyFile(str(shipped.zipped(kept.enter_context(scratch()))))
    spark.conf.set(_CONDITIONS, "true")
    spark.dataSource.register(PlaceSource)


def frame(spark: SparkSession, url: str, table: Table, snapshot: LakeSnapshot) -> DataFrame:
    """A table at a commit. `install` comes before it."""
    files = json.dumps(reading.files_of(table, snapshot))
    return spark.read.format(_NAME).options(url=url, table=table.name, files=files).load()


class PlaceSource(DataSource):  # type: ignore[misc]  # pyspark has no types here
    """A table of a place. Options: `url`, `table`, and `files`, a JSON list of [day, group, bytes]."""

    @classmethod
    def name(cls) -> str:
        """What Spark calls the format."""
        return _NAME

    def schema(self) -> str:
        """The columns, as DDL."""
        return schema_of(_TABLES[self.options["table"]])

    def reader(self, schema: Any) -> PlaceReader:  # noqa: ARG002
        """What reads it."""
        files = [reading.DayFile(*file) for file in json.loads(self.options["files"])]
        return PlaceReader(self.options["url"], self.options["table"], files)


class PlaceReader(DataSourceReader):  # type: ignore[misc]  # pyspark has no types here
    """Reads the files of a table that a question needs."""

    def __init__(self, url: str, table: str, files: list[reading.DayFile]) -> None:
        self._url, self._table, self._files = url, table, files

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:  # noqa: N802
        """Leaves out files of other days. Spark checks each row all the same."""
        self._files = reading.may_have(self._files, filters)
        return filters

    def partitions(self) -> Sequence[InputPartition]:
        """What each task reads."""
        return [InputPartition(files) for files in reading.tasks(self._files)] or [InputPartition([])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a task's files, in batches of Arrow's."""
        if missing := door.lacking(reading.NEEDED):
            raise ImportError(f"{socket.gethostname()} {task.lacks(missing)}")
        place = task.place(self._url)
        for file in partition.value:
            yield from reading.batches(place, _TABLES[self._table], reading.DayFile(*file))
