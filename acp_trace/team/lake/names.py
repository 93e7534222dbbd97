"""Under which names the tables of a place are kept. Pure. docs/team.md, "Tables".

    lake/commits/000000000012.json.zst                     which files are the tables, at commit 12
    lake/turns/day=2026-11-20/0f3a…c2.parquet              rows of the table `turns`, of some traces of a day

`KEY=VALUE` is how DuckDB, Spark and others know partitions.
"""

from __future__ import annotations

import re

ROOT = "lake"
#: What to do about damage: tables are made from traces, so all of them can be made again.
MENDED = f"remove {ROOT}/ from the place, and build again"
_PATTERN = frozenset("*?[")
COMMITS = f"{ROOT}/commits"
_COMMIT = re.compile(rf"{COMMITS}/(\d{{12}}|[1-9]\d{{12,}})\.json\.zst", re.ASCII)
#: The parts of the name of a file, which commits name too: none of them can lead anywhere else.
TABLE, DAY, GROUP = r"[A-Za-z0-9_]+", r"[A-Za-z0-9_-]+", r"[0-9a-f]+"
_DATA = re.compile(rf"{ROOT}/(?P<table>{TABLE})/day=(?P<day>{DAY})/(?P<group>{GROUP})\.parquet")


def is_pattern(path: str) -> bool:
    """Whether DuckDB would take a path for a pattern of many."""
    return not _PATTERN.isdisjoint(path)


def is_special(directory: str) -> bool:
    """Whether DuckDB reads more in a directory than a path: a pattern, or columns, as in `env=prod`.

    A place in such a directory is read as a bucket is.
    """
    return is_pattern(directory) or "=" in directory


def commit(number: int) -> str:
    """The name of a commit, from 1 on."""
    return f"{COMMITS}/{number:012}.json.zst"


def commit_number(name: str) -> int | None:
    """Which commit an object is; None if it is none."""
    found = _COMMIT.fullmatch(name)
    return None if found is None else int(found[1])


def data(table: str, day: str, group: str) -> str:
    """The name of a file of a table."""
    return f"{ROOT}/{table}/day={day}/{group}.parquet"


def group_of(name: str) -> str | None:
    """The group that a file of a table belongs to; None if it is not such a file."""
    found = _DATA.fullmatch(name)
    return None if found is None else found["group"]


def is_own(name: str) -> bool:
    """Whether an object is a commit or a file of a table."""
    return commit_number(name) is not None or group_of(name) is not None


def stands_in(text: str) -> bool:
    """Whether a text names a file of a table."""
    return _DATA.search(text) is not None
