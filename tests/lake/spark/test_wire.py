"""A unit and its outcome come back as they were sent."""

from __future__ import annotations

from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.spark import task, wire
from acp_trace.team.lake.unit import UnitDone
from tests.lake.test_plan import kept
from tests.lake.test_snapshot import group


def test_units_come_back() -> None:
    """With all that they have; packed, their names take little."""
    traces = tuple(kept(*(f"{number:05}" for number in range(1000))))
    unit = Unit("2026-11-20", traces, (group("a1", ["1"]),), frozenset({"x", "é"}), frozenset({"a1"}))
    assert wire.unit_of(wire.packed_unit(unit)) == unit
    assert len(wire.packed_unit(unit)) < 20_000
    empty = Unit("unknown")
    assert wire.unit_of(wire.packed_unit(empty)) == empty


def test_outcomes_come_back() -> None:
    """What was done, with the unit that the driver has; and why something was not done."""
    unit = Unit("2026-11-20", tuple(kept("a")))
    done = UnitDone(unit, group("a1", ["1"]), [("key", 'is "damaged"')], ["other"])
    assert wire.outcome_of(wire.encoded(done)).of(unit) == done
    nothing = UnitDone(unit, None, [], [])
    assert wire.outcome_of(wire.encoded(nothing)).of(unit) == nothing
    assert wire.outcome_of(task.problem_of('a "line"')).problem == 'a "line"'
