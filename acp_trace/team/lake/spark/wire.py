"""A unit of a plan on its way to an executor, and its result on the way back: as bytes. Pure."""

from __future__ import annotations

import msgspec

from acp_trace.places import packing
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import TableGroup
from acp_trace.team.lake.unit import UnitDone


class TaskOutcome(msgspec.Struct, frozen=True):
    """An executor's result for a unit. `problem`: why it could not be done, in one line; "" if it was.

    `task.problem_of` writes one without msgspec.
    """

    group: TableGroup | None = None
    failed: list[tuple[str, str]] = []
    damaged: list[str] = []
    problem: str = ""

    def of(self, unit: Unit) -> UnitDone:
        """The same, of the unit that it is about."""
        return UnitDone(unit, self.group, self.failed, self.damaged)


def packed_unit(unit: Unit) -> bytes:
    """A unit of five thousand traces has a megabyte of names, and a tenth of that packed."""
    return b"".join(packing.packed([msgspec.json.encode(unit)]))


def unit_of(packed: bytes) -> Unit:
    """The unit that was packed."""
    return msgspec.json.decode(b"".join(packing.unpacked([packed])), type=Unit)


def encoded(done: UnitDone) -> bytes:
    """The result of a unit, without the unit."""
    return msgspec.json.encode(TaskOutcome(done.group, done.failed, done.damaged))


def outcome_of(data: bytes) -> TaskOutcome:
    """What an executor said."""
    return msgspec.json.decode(data, type=TaskOutcome)
