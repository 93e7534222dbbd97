"""The tables of a place as temporary views of a Spark session, under the store's names.

A view is a list of files, those that the newest commit names, each in a directory `day=…`: Spark reads no
file of a day that a question leaves out, and of the others the columns that it asks for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from acp_trace.bucket.objects import SharedPlace
from acp_trace.lake import columns, log, names
from acp_trace.lake.snapshot import LakeSnapshot
from acp_trace.store import schema
from acp_trace.store.latency_sql import LATENCY, latency
from acp_trace.store.schema import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's name of a type; the others are the same.
_TYPES = {"VARCHAR": "STRING", "BLOB": "BINARY"}
#: How Spark's own readers call a bucket, where that is another name.
_SCHEMES = {"s3": "s3a"}
_OF_PATTERNS = re.compile(r"[\\*?{}\[\]]")


def make_views(spark: SparkSession, place: SharedPlace, root: str | None = None) -> None:
    """Makes the views, as of the newest commit. What an older layout lacks is NULL.

    `root`: how the cluster calls the place, if not as this machine does. Raises PlaceError.
    """
    snapshot = log.newest_to_ask(place)
    base = root_of(place.url) if root is None else root.rstrip("/")
    for table in schema.TABLES:
        reader = spark.read.schema(schema_of(table)).option("basePath", f"{base}/{names.ROOT}/{table.name}")
        files = files_of(table, snapshot, base)
        frame = reader.parquet(*files) if files else spark.createDataFrame([], schema_of(table))
        frame.createOrReplaceTempView(table.name)
    for view in schema.VIEWS:
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {view.name} AS {sql_of(view)}")


def root_of(url: str) -> str:
    """How Spark calls a place: with a scheme, and as it is, where an address has `%20`."""
    scheme, separator, rest = url.partition("://")
    return f"{_SCHEMES.get(scheme, scheme)}{separator}{unquote(rest)}"


def files_of(table: Table, snapshot: LakeSnapshot, base: str) -> list[str]:
    """The files of a table, for a reader that takes each for a pattern of many."""
    found = (group.object(table.name) for group in snapshot.groups.values())
    return [_OF_PATTERNS.sub(r"\\\g<0>", f"{base}/{name}") for name in found if name is not None]


def schema_of(table: Table) -> str:
    """The columns of a table, as Spark's DDL has them."""
    return ", ".join(
        f"`{column.name}` {_TYPES.get(column.type, column.type)}"
        for column in (*table.columns, columns.RULES, columns.DAY)
    )


def sql_of(view: schema.SqlView) -> str:
    """The SQL of a view, as Spark reads it."""
    return view.sql(columns.DAY.name).replace(LATENCY, latency(_nearest_rank))


def _nearest_rank(expression: str, percent: int) -> str:
    """`latency_sql.nearest_rank` for Spark, whose lists begin at 1 as well; NULLs are not collected."""
    rank = f"CAST(greatest(1, ceil(count({expression}) * {percent} / 100.0)) AS INT)"
    return f"try_element_at(array_sort(collect_list({expression})), {rank})"
