"""Builds the tables of a place, with a commit every half second: python -m tests.lake.proof.builder URL [MASTER].

So that what is killed lies between two commits. MASTER: that of a Spark cluster, or `--processes` for two
processes of this machine; otherwise two if there is enough to do.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from acp_trace.places.opening import open_place
from acp_trace.places.place import PlaceError
from acp_trace.team.lake import workers
from acp_trace.team.lake.build import Engine, build

_COMMIT_S = 0.5
_JOBS = 2
_PROCESSES = "--processes"


@contextmanager
def _engine(master: str | None) -> Iterator[Engine]:
    if master == _PROCESSES:
        workers._ALONE_BYTES = 0
        master = None
    if master is None:
        yield workers.all_done
        return
    from acp_trace.team.lake.spark.engine import SparkEngine
    from acp_trace.team.lake.spark.session import started

    with started(master, {}) as spark:
        yield SparkEngine(spark).all_done


def _main() -> None:
    url = sys.argv[1]
    master = sys.argv[2] if len(sys.argv) > 2 else None
    try:
        with _engine(master) as engine:
            built = build(open_place(url), _JOBS, commit_s=_COMMIT_S, engine=engine)
    except PlaceError as error:
        sys.exit(f"acp-trace: {error}")
    print(json.dumps(asdict(built)))


if __name__ == "__main__":  # the processes that it starts import this module
    _main()
