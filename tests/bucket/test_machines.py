"""Machines push at once, the same traces and others, and some are killed: every trace is there once, whole."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_trace.places import pull
from tests.bucket.test_places import SAMPLES, opened

_MACHINES = 3
_TRACES = 18


@pytest.fixture
def traces(tmp_path: Path) -> list[Path]:
    """Real ones, under other ids."""
    made = []
    for number in range(_TRACES):
        first, _, rest = SAMPLES[number % len(SAMPLES)].read_bytes().partition(b"\n")
        start = first.index(b'"id":"') + len(b'"id":"')
        id_ = f"202611{1 + number % 9:02}T120000Z-{number:06x}"
        path = tmp_path / f"{id_}.jsonl"
        path.write_bytes(first[:start] + id_.encode() + first[first.index(b'"', start) :] + b"\n" + rest)
        made.append(path)
    return made


def _machines(place: str, traces: list[Path], home: Path, seed: int) -> Iterator[subprocess.Popen[bytes]]:
    """Each with most of the traces, in an order of its own."""
    order = random.Random(seed)
    for number in range(_MACHINES):
        own = order.sample(traces, len(traces) * 3 // 4)
        command = [sys.executable, "-EP", "-m", "acp_trace", "push", place, *map(str, own), "--as-is"]
        yield subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment(home / str(number))
        )


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "ACP_TRACE_HOME": str(home)}


@pytest.mark.slow
def test_every_trace_is_there_once(place: str, traces: list[Path], tmp_path: Path) -> None:
    """Half of the machines are killed when some traces are there; a second round pushes the rest."""
    there = opened(place)
    first = list(_machines(place, traces, tmp_path, 1))
    while not pull.kept_in(there) and any(one.poll() is None for one in first):
        pass
    for one in first[::2]:
        one.kill()
    for one in first:
        one.communicate()
    for one in _machines(place, traces, tmp_path, 2):
        _, said = one.communicate(timeout=120)
        assert one.returncode == 0, said
    kept = pull.kept_in(there)
    assert sorted(each.id for each in kept) == [path.stem for path in sorted(traces)]
    files = {path.stem: path.read_bytes() for path in traces}
    for each in kept:
        assert b"".join(pull.lines(there, each)) == files[each.id]
