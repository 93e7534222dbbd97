"""Measuring side by side: interleaved rounds, ratios pair by pair, processes that cannot hang."""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from acp_trace.system.processes import KILL, signal_all

_T = TypeVar("_T")
_TIMEOUT_S = 100.0
#: Runs a command and prints what it ended with, how many seconds it took, its memory at the most, and how many
#: seconds processors worked for it and for all processes that it started.
_MEASURE = """
import resource, subprocess, sys, time
since = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
took = time.perf_counter() - since
used = resource.getrusage(resource.RUSAGE_CHILDREN)
megabytes = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
print(done.returncode, took, megabytes, used.ru_utime + used.ru_stime)
"""
Aim = tuple[str, float]  #: `≤`, `≥` or `<`, and a limit
NOTHING = subprocess.DEVNULL
PIPE = subprocess.PIPE


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result. The aim is about the ratio, or about `ours` where there is none."""

    what: str
    unit: str
    ours: float
    baseline: float | None = None
    against: str = ""  #: what the baseline is
    ratio: tuple[float, float, float] | None = None  #: median, lowest and highest of the rounds
    aim: Aim | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the aim is reached; None without one."""
        if self.aim is None:
            return None
        value, (sign, limit) = self.ratio[0] if self.ratio else self.ours, self.aim
        return {"≤": value <= limit, "≥": value >= limit, "<": value < limit}[sign]


def compared(
    what: str, unit: str, pairs: Sequence[tuple[float, float]], against: str, aim: Aim | None = None
) -> Row:
    """A row from ours and the baseline's of all rounds; a baseline lost in the noise (≤ 0) has no ratio."""
    ratios = [ours / baseline for ours, baseline in pairs if baseline > 0]
    if len(ratios) < len(pairs):
        what += f" ({len(ratios)} of {len(pairs)} rounds)"
    ours, baseline = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = (statistics.median(ratios), min(ratios), max(ratios)) if ratios else None
    return Row(what, unit, ours, baseline, against, ratio, aim if ratio else None)


def rounds(count: int, ways: Mapping[str, Callable[[], _T]]) -> list[dict[str, _T]]:
    """What all ways gave in each round: one after the other, A B A B …, so that all see the same noise."""
    return [{name: way() for name, way in ways.items()} for _ in range(count)]


@contextmanager
def process(
    argv: Sequence[str],
    *,
    stdin: int = PIPE,
    stdout: int = PIPE,
    ends: bool = True,
    **options: Any,
) -> Iterator[tuple[subprocess.Popen[bytes], int, int]]:
    """A process, and the descriptors to write to it and to read from it, where they are pipes.

    Killed with its process group after a while; that, or another failure of it, fails the benchmark.
    `ends`: whether it is known to end by itself when it should; else it is killed at once.
    It gets no session of its own: Linux schedules sessions apart, and few clients start agents so.
    """
    started = subprocess.Popen(argv, bufsize=0, process_group=0, stdin=stdin, stdout=stdout, **options)
    timer = threading.Timer(_TIMEOUT_S, signal_all, (started.pid, KILL))
    timer.start()
    pipes = started.stdin, started.stdout
    try:
        write, read = (-1 if pipe is None else pipe.fileno() for pipe in pipes)
        yield started, write, read
        for pipe in pipes:
            if pipe:
                pipe.close()
        if ends and started.wait():
            raise RuntimeError(f"{argv} ended with {started.returncode}")
    finally:
        timer.cancel()
        if started.returncode is None:
            signal_all(started.pid, KILL)
            started.wait()


def whole_process(*argv: str, **options: Any) -> float:
    """How many ms a process takes, with nothing to read and its output discarded."""
    since = time.perf_counter()
    with process(argv, stdin=NOTHING, stdout=NOTHING, **options) as (running, _, _):
        running.wait()
        return (time.perf_counter() - since) * 1e3


def command() -> str:
    """`acp-trace`, as it is installed beside this Python."""
    return str(Path(sys.executable).with_name("acp-trace"))


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    megabytes: float
    processor_seconds: float  #: of all its processes


def cost(
    argv: Sequence[str],
    *codes: int,
    environment: Mapping[str, str] | None = None,
    longest: float = _TIMEOUT_S,
) -> Cost:
    """What a command takes, silent. Raises RuntimeError where it ends with none of `codes`."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _MEASURE, *argv],
        stdin=NOTHING,
        stdout=PIPE,
        env=environment,
        timeout=longest,
        check=True,
    )
    ended, *figures = done.stdout.split()
    if int(ended) not in codes:
        raise RuntimeError(f"{argv} ended with {int(ended)}")
    return Cost(*map(float, figures))


def free_port() -> int:
    """A port of this machine where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def listens(port: int) -> None:
    """Waits until somebody listens there."""
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
