"""The name under which a place keeps a trace, and what a name says. Pure. docs/team.md, "Layout".

    traces/day=2026-11-20/agent=opencode/20261120T130501Z-7f3a9c.jsonl.zst

Day and agent come from the trace, so every machine gives one trace the same name. `KEY=VALUE` is how DuckDB,
Spark and others know partitions.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

#: The object which shows that a directory or a prefix is a place, and its layout.
MARKER = "acp-trace.json"
VERSION = 1
TRACES = "traces"
#: Younger objects are not removed as unused: a push, a build or a query may be using them.
LEAST_AGE = timedelta(days=1)
_ENDING = ".jsonl.zst"
#: Of a trace that does not say when it began, as some that were imported.
UNKNOWN = "unknown"
_LONGEST = 60
_DATED = re.compile(r"(\d{4})(\d\d)(\d\d)T\d{6}Z-[0-9a-f]+")
_ID = re.compile(r"[\w.-]{1,200}", re.ASCII)
_KEY = re.compile(
    rf"{TRACES}/day=(?P<day>[\w-]+)/agent=(?P<agent>[\w.-]+)/(?P<id>{_ID.pattern}){re.escape(_ENDING)}",
    re.ASCII,
)
_ODD = re.compile(r"[^a-z0-9.-]+")


class Kept(NamedTuple):
    """A trace in a place."""

    id: str
    day: str  #: `2026-11-20`, or UNKNOWN
    agent: str  #: as it appears in the name
    key: str
    size: int = 0  #: of the object, in bytes


def key(id_: str, agent: str) -> str:
    """The name of a trace's object. Raises ValueError for an id that is not allowed in a name."""
    if not _ID.fullmatch(id_) or id_.strip(".") == "":
        raise ValueError(f"the id {id_[:60]!r} cannot be the name of an object")
    return f"{prefix(day(id_))}agent={slug(agent)}/{id_}{_ENDING}"


def prefix(of_day: str) -> str:
    """What the names of all traces of a day begin with."""
    return f"{TRACES}/day={of_day}/"


def day(id_: str) -> str:
    """The day in UTC on which a trace began, as its id says; or UNKNOWN."""
    dated = _DATED.fullmatch(id_)
    return "-".join(dated.groups()) if dated else UNKNOWN


def began(id_: str) -> datetime | None:
    """The second in UTC in which a trace began, as its id says."""
    try:
        return datetime.strptime(id_.partition("-")[0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def slug(agent: str) -> str:
    """An agent's name in small letters, digits, dots and dashes: `OpenCode` and `opencode` are one."""
    return _ODD.sub("-", agent.lower()).strip("-.")[:_LONGEST].strip("-.") or UNKNOWN


def kept(name: str, size: int = 0) -> Kept | None:
    """What an object's name says; None if it is not a trace's name."""
    found = _KEY.fullmatch(name)
    return None if found is None else Kept(found["id"], found["day"], found["agent"], name, size)
