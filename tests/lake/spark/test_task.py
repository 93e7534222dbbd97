"""What an executor does, without one: batches in, outcomes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from acp_trace.places import door
from acp_trace.places.place import PlaceError
from acp_trace.places.pull import kept_in
from acp_trace.team.lake import log, plan, unit
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.spark import task, wire
from tests.lake.traces import made_traces, place_at, push, rows_at, rows_of_store


def batch(units: dict[int, Unit]) -> Any:
    """Some units as Spark gives them."""
    packed = [wire.packed_unit(one) for one in units.values()]
    return pa.RecordBatch.from_pydict({"unit": list(units), "data": packed})


@pytest.mark.slow
def test_batches_become_groups(place: str, tmp_path: Path) -> None:
    """A row for each unit, given to the driver as well; committed, they are the tables."""
    there, files = place_at(place), made_traces(tmp_path / "traces", 6)
    push(there, files)
    units = {3 + day: Unit(name, tuple(of.values())) for day, (name, of) in enumerate(_days(there).items())}
    given: list[tuple[int, bytes]] = []
    [made] = task.work([batch(units)], there.url, given.extend, is_last=False)
    assert list(zip(made["unit"].to_pylist(), made["data"].to_pylist(), strict=True)) == given
    assert [number for number, _ in given] == [3, 4]
    done = [wire.outcome_of(data).of(units[number]) for number, data in given]
    log.commit(there, LakeSnapshot(), done, lambda: tmp_path)
    assert rows_at(there, tmp_path / "a") == rows_of_store(files)


def _days(place: Any) -> Any:
    return plan.by_day(kept_in(place))


@pytest.mark.parametrize("wrong", [PlaceError("the place is\nfull"), OSError("no space"), KeyError("bug")])
def test_what_goes_wrong_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Exception
) -> None:
    """It is raised, so that Spark tries again; the last time it comes back, in one line with the machine."""
    there = place_at(str(tmp_path / "team"))

    def do(*_: object, **__: object) -> None:
        raise wrong

    monkeypatch.setattr(unit, "do", do)
    given: list[tuple[int, bytes]] = []
    with pytest.raises(type(wrong)):
        list(task.work([batch({1: Unit("unknown")})], there.url, given.extend, is_last=False))
    assert given == []
    list(task.work([batch({1: Unit("unknown")})], there.url, given.extend, is_last=True))
    problem = wire.outcome_of(given[0][1]).problem
    assert str(wrong).partition("\n")[0] in problem
    assert "\n" not in problem


def test_the_look_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wrong here; then the place is not there, and then a package is not."""
    there = place_at(str(tmp_path / "team"))
    assert task.look(there.url)[1:] == ([], "")
    assert "is not a place" in task.look(f"file://{tmp_path}").problem
    monkeypatch.setattr(task, "NEEDED", ())
    assert door.lacking(("json", "acp_trace_none", "acp_trace_none.below")) == [
        "acp_trace_none",
        "acp_trace_none.below",
    ]
    assert task.lacks(["a", "b"]).startswith("lacks a, b: pip install")
