"""The tables of a place as temporary views of a Spark session, under the store's names.

A view is a list of files, those that the newest commit names, each in a directory `day=…`: no file is read of
a day that a question leaves out. Spark reads a directory itself, and what it has a name for; the executors
read a bucket for it (`source`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from acp_trace.places.place import SharedPlace
from acp_trace.store import schema
from acp_trace.store.latency_sql import LATENCY, latency
from acp_trace.store.schema import Table
from acp_trace.team.lake import columns, log, names
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.spark.ddl import schema_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    FrameOf: TypeAlias = Callable[[Table, LakeSnapshot], DataFrame]

_OF_PATTERNS = re.compile(r"[\\*?{}\[\]]")


def make_views(spark: SparkSession, place: SharedPlace, root: str | None = None) -> None:
    """Makes the views, as of the newest commit. What an older layout lacks is NULL.

    `root`: how the cluster's own readers call the place, if not as this machine does. Raises PlaceError.
    """
    snapshot = log.newest_to_ask(place)
    root = root or root_of(place)
    frame_of = _by_executors(spark, place.url) if root is None else _by_path(spark, root.rstrip("/"))
    for table in schema.TABLES:
        for group in snapshot.groups.values():
            if (name := group.object(table.name)) is not None:
                place.check(name)  # Spark opens the files of a directory itself
        frame_of(table, snapshot).createOrReplaceTempView(table.name)
    for view in schema.VIEWS:
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {view.name} AS {sql_of(view)}")


def root_of(place: SharedPlace) -> str | None:
    """How Spark calls a directory: as it is, where an address has `%20`; None for a bucket."""
    directory = place.path_of("")
    return None if directory is None else f"file://{directory}"


def _by_executors(spark: SparkSession, url: str) -> FrameOf:
    from acp_trace.team.lake.spark import source

    source.install(spark)
    return partial(source.frame, spark, url)


def _by_path(spark: SparkSession, root: str) -> FrameOf:
    """Through the readers of the cluster. `root`: the place, as they call it."""

    def frame_of(table: Table, snapshot: LakeSnapshot) -> DataFrame:
        reader = spark.read.schema(schema_of(table)).option("basePath", f"{root}/{names.ROOT}/{table.name}")
        files = files_of(table, snapshot, root)
        return reader.parquet(*files) if files else spark.createDataFrame([], schema_of(table))

    return frame_of


def files_of(table: Table, snapshot: LakeSnapshot, root: str) -> list[str]:
    """The files of a table, for a reader that takes each for a pattern of many."""
    found = (group.object(table.name) for group in snapshot.groups.values())
    return [_OF_PATTERNS.sub(r"\\\g<0>", f"{root}/{name}") for name in found if name is not None]


def sql_of(view: schema.SqlView) -> str:
    """The SQL of a view, as Spark reads it."""
    return view.sql(columns.DAY.name).replace(LATENCY, latency(_nearest_rank))


def _nearest_rank(expression: str, percent: int) -> str:
    """`latency_sql.nearest_rank` for Spark, whose lists begin at 1 as well; NULLs are not collected."""
    rank = f"CAST(greatest(1, ceil(count({expression}) * {percent} / 100.0)) AS INT)"
    return f"try_element_at(array_sort(collect_list({expression})), {rank})"
