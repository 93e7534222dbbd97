"""The corpus of the proof: the same whenever it is made, and made of traces that are not all alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.places import layout
from acp_trace.store.sweep import load_files
from acp_trace.trace.home import Home
from tests.lake.proof import corpus


def test_the_same_for_one_seed(tmp_path: Path) -> None:
    """To the byte, whatever part of it is made, and other bytes for another seed."""
    whole = corpus.make(tmp_path / "a", 60, giant_frames=0, processes=1)
    first = corpus.make(tmp_path / "b", 20, giant_frames=0, processes=1)
    rest = corpus.make(tmp_path / "b", 40, first=20, giant_frames=0, processes=1)
    made = {path.name: path.read_bytes() for path in first.traces + rest.traces}
    assert made == {path.name: path.read_bytes() for path in whole.traces}
    other = corpus.make(tmp_path / "c", 60, seed=1, giant_frames=0, processes=1)
    assert {path.read_bytes() for path in other.traces} & set(made.values()) == set()
    assert len(set(made.values())) == len(made) == 60


@pytest.mark.slow
def test_what_is_in_it(tmp_path: Path) -> None:
    """Several agents and days, traces without a day, damaged ones, a giant, and what has to be refused."""
    numbers = (1, 2, 102, corpus._GIANT // 2, corpus._UNDATED - 1, corpus._REFUSED - 1)
    some = [
        corpus.make(tmp_path / "traces", 1, first=number, giant_frames=3000, processes=1)
        for number in numbers
    ]
    more = corpus.make(tmp_path / "traces", 30, first=200, processes=1)
    traces = [path for one in (*some, more) for path in one.traces]
    [refused] = [path for one in some for path in one.refused]
    swept = load_files(Home(tmp_path / "home"), [*traces, refused])
    assert [str(name) for name, _ in swept.failed] == [str(refused)]
    assert [one.trace_id for one in swept.loaded] == [path.stem for path in traces]
    days = {layout.day(path.stem) for path in traces}
    assert layout.UNKNOWN in days
    assert len(days) > 20
