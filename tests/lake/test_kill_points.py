"""Kill points of the proof: a plan that reaches every phase, builds that are halted where they should be."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from acp_trace.team.bucket.objects import ObjectStorage
from acp_trace.team.lake import log, parquet, unit
from acp_trace.team.lake.build import build
from tests.faults.stage import Lie, Stage
from tests.lake.proof import halts, kills, phases
from tests.lake.proof.ground import Ground
from tests.lake.proof.kill_points import KillPoint, KillPoints
from tests.lake.proof.phases import PHASES
from tests.lake.test_build import committed, lake_files
from tests.lake.traces import made_traces, place_at, push


def test_a_plan_has_every_phase() -> None:
    """In thirty kills as often as the table says, in seven once, always in another order."""
    thirty = phases.plan(30, random.Random(1))
    assert Counter(each.name for each in thirty) == {each.name: each.shares for each in PHASES.values()}
    assert sorted(each.name for each in phases.plan(7, random.Random(1))) == sorted(PHASES)
    assert thirty != phases.plan(30, random.Random(2))


def test_a_kill_that_cannot_be_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a lie, and counts for nothing."""
    ground = Ground(Stage(tmp_path / "stage"), 0)
    monkeypatch.setattr(Ground, "place", lambda *_: None)
    monkeypatch.setattr(Ground, "corpus", _Empty())
    killed = kills._Killed(ground, "x", KillPoints(tmp_path / "points"))
    monkeypatch.setattr(kills._Killed, "_killed_in", lambda *_, **__: False)
    with pytest.raises(Lie, match=r"^5 builds were not "):
        killed.all(1)
    assert not killed.hits


class _Empty:
    traces: tuple[Path, ...] = ()


def test_a_build_that_ends_before(tmp_path: Path) -> None:
    """Nothing stands there, and so it is not killed."""
    ended = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    ended.wait()
    for phase in PHASES.values():
        assert KillPoint(tmp_path, phase, 0).wait(ended) is None


@pytest.mark.slow
@pytest.mark.parametrize("phase", [each for each in PHASES.values() if each.name != phases.STARTING])
def test_halted_in_every_phase(phase: phases.Phase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place looks so meanwhile. Then the build goes on, and leaves nothing."""
    place = place_at(str(tmp_path / "team"))
    push(place, made_traces(tmp_path / "traces", 3))
    points = KillPoints(tmp_path / "points")
    point = points.ask(phase, 1, random.Random(phase.name))
    for owner, name in (*((ObjectStorage, name) for name in ("put", "pieces")), *_WRITERS):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # so that it is undone
    monkeypatch.setenv(halts.VARIABLE, points.environment[halts.VARIABLE])
    halts.wrap(unit)
    builder = threading.Thread(target=build, args=(place, 1))
    builder.start()
    halted = point.wait(_Running())
    assert halted is not None
    assert halted.pid == os.getpid()
    assert phase.shows(place, halted.name)
    assert log.newest(place).number == (phase.name == "after a commit")
    point.go()
    builder.join()
    assert not phase.shows(place, halted.name) or phase.name in ("deriving", "after a commit")
    assert log.newest(place).number == 1
    assert lake_files(place) == committed(place)
    assert not list(tmp_path.rglob("*#*"))


_WRITERS = ((parquet, "write_tables"), (parquet, "copy_tables"))


class _Running(subprocess.Popen[bytes]):
    """A process that runs on."""

    def __init__(self) -> None:
        self._child_created = False

    def poll(self) -> None:
        return None

    def __del__(self) -> None:
        pass
