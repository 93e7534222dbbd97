"""What a round trip through the recorder costs, on an idle machine and on a busy one.

Four ways to reach an agent that echoes live side by side and take turns: the agent alone, `tee` on both sides, the
least that a recorder in Python can do, and ours. What an idle machine takes longest for is to wake a thread up, what a
busy one takes longest for is to give it a processor; neither says anything about the other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from tests.bench.recording import echo, fresh, ours, with_tee
from tests.bench.timing import NOTHING, Row, compared, process

_TEE, _PUMP = "tee → agent → tee", "two Python threads that write each read down"
#: The least that a recorder in Python can do: a head and what was read, then on it goes.
_LEAST = """
import os, struct, subprocess, sys, threading, time
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
head = struct.Struct("<QII").pack
def copy(source, target, stream):
    while data := os.read(source, 65536):
        os.writev(file, (head(time.monotonic_ns(), len(data), stream), data))
        os.write(target, data)
    os.close(target)
agent = subprocess.Popen(sys.argv[2:], stdin=-1, stdout=-1)
ways = (0, agent.stdin.fileno(), 1), (agent.stdout.fileno(), 1, 2)
[threading.Thread(target=copy, args=way).start() for way in ways]
"""
_SPINNING = "while True: pass"
_WARM_UP = 200
#: A machine is idle while others use less than this share of it, looked at for so long before and after a round.
_IDLE, _LOOK_S = 0.05, 0.05
#: So long are idle moments waited for; then the rounds count that there are.
_PATIENCE_S = 60.0


class _Trip(NamedTuple):
    """µs."""

    p50: float
    p99: float


def round_trip(folder: Path, *, quick: bool) -> list[Row]:
    """One line to an agent that echoes, and back. `added`: on top of the agent alone."""
    argvs = {
        "bare": ["cat"],
        "tee": with_tee(folder, "cat"),
        "pump": [sys.executable, "-I", "-S", "-c", _LEAST, fresh(folder, "least"), "cat"],
        "ours": ours(folder, "cat"),
    }
    count, trips = (5, 300) if quick else (31, 1000)
    rows = []
    with ExitStack() as stack:
        ends = {name: stack.enter_context(process(argv))[1:] for name, argv in argvs.items()}
        for write, read in ends.values():
            _trips(_WARM_UP, write, read)
        busy: Callable[[], AbstractContextManager[None]]
        for state, busy in (("idle", nullcontext), ("busy", _busy)):
            with busy():
                wants_idle = state == "idle"
                runs = list(_rounds(count, trips, ends, wants_idle=wants_idle))
            if not runs:
                print(f"roundtrip: the machine was never {state} enough", file=sys.stderr)
                continue
            said = f" ({len(runs)} of {count} rounds)" if len(runs) < count else ""
            rows += _rows(f"round trip, {state}{said}", runs)
    return rows


def _rows(what: str, runs: list[dict[str, _Trip]]) -> list[Row]:
    added = {
        (name, at): [run[name][at] - run["bare"][at] for run in runs] for name in runs[0] for at in (0, 1)
    }
    rows = []
    for at, name, aim in ((0, "p50", 1.3), (1, "p99", 1.6)):
        mine = added["ours", at]
        to_pump, to_tee = (list(zip(mine, added[other, at], strict=True)) for other in ("pump", "tee"))
        rows.append(compared(f"{what}: {name}, added", "µs", to_pump, _PUMP, None if at else ("≤", 1.15)))
        rows.append(compared(f"{what}: {name}, added", "µs", to_tee, _TEE, ("≤", aim)))
    whole = [(run["ours"].p50, run["tee"].p50) for run in runs]
    return [*rows, compared(f"{what}: p50, whole", "µs", whole, _TEE)]


def _rounds(
    count: int, trips: int, ends: Mapping[str, tuple[int, int]], *, wants_idle: bool
) -> Iterator[dict[str, _Trip]]:
    """All ways one after the other, again and again; if so wanted, only while nobody else uses the machine."""
    until = time.monotonic() + _PATIENCE_S
    while count and time.monotonic() < until:
        if wants_idle and not _is_idle():
            continue
        run = {name: _trips(trips, write, read) for name, (write, read) in ends.items()}
        if not wants_idle or _is_idle():
            count -= 1
            yield run


def _trips(count: int, write: int, read: int) -> _Trip:
    times, now = [], time.perf_counter_ns
    for _ in range(count):
        since = now()
        echo(write, read)
        times.append((now() - since) / 1e3)
    times.sort()
    return _Trip(times[count // 2], times[count * 99 // 100])


def _is_idle() -> bool:
    """Whether nobody uses the machine for a moment; where nobody tells (it is not Linux), it is."""
    before = _used()
    time.sleep(_LOOK_S)
    after = _used()
    return after is None or before is None or after[0] - before[0] <= _IDLE * (after[1] - before[1])


def _used() -> tuple[int, int] | None:
    """What all processors worked, and all of their time, in ticks (proc_stat(5): the first eight are disjoint)."""
    try:
        words = Path("/proc/stat").read_text().split(None, 9)[1:9]
    except OSError:
        return None
    ticks = [int(word) for word in words]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


@contextmanager
def _busy() -> Iterator[None]:
    """Every processor has something else to do."""
    argv = [sys.executable, "-I", "-S", "-c", _SPINNING]
    spinning = [subprocess.Popen(argv, stdin=NOTHING) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for each in spinning:
            each.kill()
            each.wait()
