"""`spark_tables`: the tables of a place in a session of Apache Spark."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from acp_trace.bucket.address import url_of
from acp_trace.bucket.objects import SharedPlace
from acp_trace.lake.spark.tables import make_views

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def spark_tables(spark: SparkSession, place: str, *, root: str | None = None) -> None:
    """Makes the tables of a place temporary views of a Spark session, as `query --at` has them in DuckDB.

    They are as of the newest commit; call it again for a newer one. `place`: a directory, or the address of a
    bucket. `root`: how the cluster calls the place, if not by this address; `s3://` becomes `s3a://`. Raises
    PlaceError, and BadAddress for what names no place.
    """
    make_views(spark, SharedPlace(url_of(place, os.getcwd())), root)
