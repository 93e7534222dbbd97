"""What an executor does: a unit of a plan, as `unit.do` does it, and before the first one a look around.

The module needs nothing but Python until a unit is done: an executor that lacks a package has to be able to
say so.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_trace.places import door

if TYPE_CHECKING:
    from acp_trace.places.place import SharedPlace

#: What an executor imports, besides this package, which comes with the job.
NEEDED = ("duckdb", "msgspec", "pyarrow", *(name for name in door.PACKAGES if name != "fsspec"))

#: Gives the driver what a task found, with the number of its unit, as soon as the task has ended.
Giver = Callable[[list[tuple[int, bytes]]], object]


class Surroundings(NamedTuple):
    """What an executor has."""

    host: str
    lacking: list[str]  #: packages
    problem: str  #: why it cannot reach the place, in one line; "" if it can


def look(url: str) -> Surroundings:
    """What this executor has, and whether it reaches a place."""
    missing = door.lacking(NEEDED)
    problem = ""
    if not missing:
        from acp_trace.places.place import PlaceError

        try:
            place(url)
        except PlaceError as error:
            problem = str(error)
    return Surroundings(socket.gethostname(), missing, problem)


def lacks(names: list[str]) -> str:
    """Says that a machine lacks packages, after its name."""
    return f"lacks {', '.join(names)}: pip install 'acp-trace[team]' pyarrow there"


def work(batches: Iterable[Any], url: str, give: Giver, *, is_last: bool) -> Iterator[Any]:
    """Does the units in some batches of Arrow, for `DataFrame.mapInArrow`.

    A batch has the columns `unit`, a number, and `data`; what comes back has the same: what became of each.
    What goes wrong is raised, so that Spark tries again elsewhere; the last time, it comes back.
    """
    import pyarrow as pa

    for batch in batches:
        numbers, outcomes = batch["unit"].to_pylist(), []
        for number, packed in zip(numbers, batch["data"].to_pylist(), strict=True):
            outcomes.append(_outcome(packed, url, is_last=is_last))
            give([(number, outcomes[-1])])
        yield pa.RecordBatch.from_arrays(
            [pa.array(numbers, pa.int64()), pa.array(outcomes, pa.binary())],
            names=["unit", "data"],
        )


def _outcome(packed: bytes, url: str, *, is_last: bool) -> bytes:
    """The result of a unit. Raises its error, except the last time."""
    try:
        if missing := door.lacking(NEEDED):
            raise ImportError(lacks(missing))
        return _done(packed, url)
    except Exception as error:
        if not is_last:
            raise
        reason = str(error).partition("\n")[0] or type(error).__name__
        return problem_of(f"{socket.gethostname()}: {reason}")


def _done(packed: bytes, url: str) -> bytes:
    from acp_trace.team.lake import unit
    from acp_trace.team.lake.spark import wire
    from acp_trace.trace.scratch import scratch

    with scratch() as directory:
        return wire.encoded(unit.do(wire.unit_of(packed), place(url), directory, jobs=_tasks_here()))


def problem_of(line: str) -> bytes:
    """Why a unit could not be done, as `wire.outcome_of` reads it."""
    return json.dumps({"problem": line}).encode()


def _tasks_here() -> int:
    """How many tasks may run on this machine at once: Spark gives one to each core."""
    return os.cpu_count() or 1


_places: dict[str, SharedPlace] = {}


def place(url: str) -> SharedPlace:
    """A place, opened once in each process. Raises PlaceError."""
    from acp_trace.places.opening import open_place

    if url not in _places:
        _places[url] = open_place(url)
    return _places[url]
