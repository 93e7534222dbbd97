"""What a build has to do, for places as they may be."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from acp_trace.places import layout
from acp_trace.places.layout import Kept
from acp_trace.team.lake import plan
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import LakeSnapshot, TableGroup
from tests.lake.test_snapshot import group

_VERSIONS = (1, 1)


def kept(*ids: str, size: int = 1000, agent: str = "a") -> list[Kept]:
    """Traces of a place, of the day 2026-11-20 unless the id is longer."""
    full = [id_ if "T" in id_ else f"20261120T000000Z-{id_}" for id_ in ids]
    return [Kept(id_, layout.day(id_), agent, layout.key(id_, agent), size) for id_ in full]


def of(
    *groups: tuple[str, list[Kept]], rules: int = 1, size: int = 10
) -> tuple[LakeSnapshot, dict[str, set[str]]]:
    """A snapshot with groups of some traces, and which traces each has."""
    made = [group(name, [t.id for t in traces], traces[0].day, size, rules) for name, traces in groups]
    return LakeSnapshot().replaced([], made), {
        name: {trace.id for trace in traces} for name, traces in groups
    }


def planned(
    snapshot: LakeSnapshot, ids: dict[str, set[str]], traces: Iterable[Kept], failed: Collection[str] = ()
) -> list[Unit]:
    """The plan, with what it asks for."""
    days = plan.by_day(traces)
    looked = {one.name: ids[one.name] for one in plan.to_look_into(snapshot, days, _VERSIONS)}
    return plan.plan(snapshot, days, looked, _VERSIONS, failed=failed)


def derived(units: Iterable[Unit]) -> list[list[str]]:
    """The ends of the ids that each unit derives."""
    return [[trace.id.rpartition("-")[2] for trace in unit.derive] for unit in units]


def test_new_traces() -> None:
    """All of an empty place; then nothing; then what came."""
    first, nothing = kept("b", "a"), (LakeSnapshot(), dict[str, set[str]]())
    assert derived(planned(*nothing, first)) == [["a", "b"]]
    assert planned(*of(("g", first)), first) == []
    more = kept("c", "20261121T000000Z-d")
    units = planned(*of(("g", first)), first + more)
    assert derived(units) == [["c"], ["d"]]
    assert [unit.replaces for unit in units] == [frozenset(), frozenset()]
    assert derived(planned(*of(("g", first)), first + more, failed={more[0].id})) == [["d"]]


def test_no_file_is_looked_into_for_days_that_are_as_they_were() -> None:
    """A year of data is not read for one new trace."""
    traces = [trace for day in range(10, 30) for trace in kept(f"202611{day}T000000Z-a")]
    snapshot, _ = of(*((f"g{number}", [trace]) for number, trace in enumerate(traces)))
    days = plan.by_day(traces + kept("20261112T000000Z-b"))
    assert [one.name for one in plan.to_look_into(snapshot, days, _VERSIONS)] == ["g2"]


def test_one_trace_under_two_names() -> None:
    """It is built once."""
    assert derived(planned(LakeSnapshot(), {}, kept("a", agent="x") + kept("a", agent="y"))) == [["a"]]


def test_removed_traces() -> None:
    """Their rows are taken out; of a group without any other, all of it."""
    ab, c = kept("a", "b"), kept("c")
    snapshot, ids = of(("g", ab), ("h", c))
    [first, second] = planned(snapshot, ids, ab[1:])
    assert [one.name for one in first.copy] == ["g"]
    assert first.without == {ab[0].id}
    assert [first.replaces, second.replaces] == [{"g"}, {"h"}]
    assert (second.copy, second.derive) == ((), ())
    assert [unit.replaces for unit in planned(snapshot, ids, [])] == [{"g"}, {"h"}]


def test_older_rules() -> None:
    """What they derived is derived again, in the place of the old; beside it, what is new."""
    ab = kept("a", "b", "c")
    units = planned(*of(("g", ab[:2]), rules=0), ab)
    assert derived(units) == [["a", "b"], ["c"]]
    assert [unit.replaces for unit in units] == [{"g"}, frozenset()]
    assert derived(planned(*of(("g", ab[:2]), rules=0), ab[1:])) == [["b"], ["c"]]


def test_many_small_groups_are_merged() -> None:
    """Few are left alone, and so are large ones; what is replaced otherwise is not merged."""
    traces = kept(*map(str, range(20)))
    groups = [(f"g{number}", [trace]) for number, trace in enumerate(traces)]
    few = plan.MERGED_FROM - 1
    assert planned(*of(*groups[:few]), traces[:few]) == []
    [unit] = planned(*of(*groups), traces)
    assert unit.replaces == {name for name, _ in groups}
    assert (len(unit.copy), unit.traces, unit.derive) == (20, 20, ())
    assert planned(*of(*groups, size=plan.SMALL_BYTES), traces) == []
    units = planned(*of(*groups), traces[1:])
    assert [unit.replaces for unit in units] == [{"g0"}, {name for name, _ in groups[1:]}]


def test_parts() -> None:
    """As many as there are processes for small days, more for large ones; a giant trace is alone."""
    small = kept(*(f"{number:03}" for number in range(100)), size=100_000)
    assert [
        len(unit.derive) for unit in plan.plan(LakeSnapshot(), plan.by_day(small), {}, _VERSIONS, jobs=4)
    ] == [25] * 4
    tiny = kept(*(f"{number:03}" for number in range(100)), size=100)
    assert len(plan.plan(LakeSnapshot(), plan.by_day(tiny), {}, _VERSIONS, jobs=4)) == 1
    large = kept("a", "b", size=10) + kept("c", size=plan.UNIT_BYTES * 3) + kept("d")
    assert derived(planned(LakeSnapshot(), {}, large)) == [["c"], ["a", "b", "d"]]
    some = kept(*(f"{number:02}" for number in range(20)), size=100_000) + kept("10a", size=3_000_000)
    units = plan.plan(LakeSnapshot(), plan.by_day(some), {}, _VERSIONS, jobs=3)
    assert [len(unit.derive) for unit in units] == [1, 10, 10]


def test_groups_stay_whole() -> None:
    """No trace and no group is in two units."""
    traces = kept(*(f"{number:02}" for number in range(40)))
    old: list[tuple[str, list[Kept]]] = [(f"g{at}", traces[at * 3 : at * 3 + 3]) for at in range(12)]
    snapshot, ids = of(*old)
    units = planned(snapshot, ids, traces[1:])
    replaced = [name for unit in units for name in unit.replaces]
    again = [trace.id for unit in units for trace in unit.derive]
    copied: list[TableGroup] = [one for unit in units for one in unit.copy]
    assert len(replaced) == len(set(replaced)) == len(copied) == 12
    assert sorted(again) == [trace.id for trace in traces[36:]]
