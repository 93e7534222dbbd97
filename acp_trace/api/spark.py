"""`spark_tables`: the tables of a place in a session of Apache Spark."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from acp_trace.places.address import url_of
from acp_trace.places.door import team
from acp_trace.places.opening import open_place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def spark_tables(spark: SparkSession, place: str, *, root: str | None = None) -> None:
    """Makes the tables of a place temporary views of a Spark session, as `team query` has them in DuckDB.

    They are as of the newest commit; call it again for a newer one. `place`: a directory, which Spark reads
    itself, or the address of a bucket, which the executors read: they need `acp-trace[team]` and pyarrow, and
    access in their environment. `root`: how the cluster calls the place, if Spark's own readers are to read
    it by another name (`s3a://traces/team`). Raises PlaceError, and BadAddress for what names no place.
    """
    team("lake.spark.tables").make_views(spark, open_place(url_of(place, os.getcwd())), root)
