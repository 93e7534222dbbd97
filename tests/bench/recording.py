"""What the recorder costs: a flood, its start; a round trip is in `round_trips`. The baseline is `tee` on both sides."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from acp_trace.trace.home import Home
from acp_trace.trace.names import VARIABLE
from tests.bench.timing import NOTHING, Row, command, compared, process, rounds, whole_process
from tests.bench.traffic import write_agent_side

_TEE = "tee → agent → tee"
LINE = (
    b'{"jsonrpc":"2.0","id":12,"method":"session/prompt","params":{"sessionId":"ses_0c1f2d3e4f5a6b7c8d9e",'
    b'"prompt":[{"type":"text","text":"go on"}]}}\n'
)
_WARM_UP = 200
#: MB of a line that no buffer holds.
_GIANT = 300
#: What must stay out of a recorder: each costs more than the rest of its start.
_HEAVY = ("duckdb", "rich", "watchfiles", "pydantic")


def fresh(folder: Path, name: str) -> str:
    """A file to write to; the last run's is removed, so that nobody has to truncate it."""
    (folder / name).unlink(missing_ok=True)
    return str(folder / name)


def ours(folder: Path, *agent: str) -> list[str]:
    """Our recorder before an agent."""
    return [command(), "record", "--out", fresh(folder, "ours.jsonl"), "--", *agent]


def with_tee(folder: Path, agent: str) -> list[str]:
    return ["sh", "-c", f"tee {fresh(folder, 'a')} | {agent} | tee {fresh(folder, 'b')}"]


def echo(write: int, read: int) -> None:
    """Says a line to an agent that echoes, and hears all of it."""
    os.write(write, LINE)
    got = 0
    while got < len(LINE):
        data = os.read(read, 4096)
        if not data:
            raise RuntimeError("the echo ended early")
        got += len(data)


def trips_of(count: int, argv: Callable[[], list[str]], *, ends: bool = True) -> tuple[float, float]:
    """The µs of a round trip: p50 and p99."""
    times, now = [], time.perf_counter_ns
    with process(argv(), ends=ends) as (_, write, read):
        for _ in range(count + _WARM_UP):
            since = now()
            echo(write, read)
            times.append((now() - since) / 1e3)
    ordered = sorted(times[_WARM_UP:])
    return ordered[count // 2], ordered[count * 99 // 100]


class Flood(NamedTuple):
    """What came of a flood."""

    rate: float  #: MB/s from the first byte to the end
    whole: float  #: MB/s from the start of the process
    peak: float  #: MB of memory
    came: int  #: bytes


def flood_of(argv: Callable[[], list[str]]) -> Flood:
    """Reads and discards all that a process says."""
    room, got, reads, peak, words = [bytearray(1 << 16)], 0, 0, 0.0, argv()
    first = began = time.perf_counter()
    if sys.platform == "win32":
        raise NotImplementedError("Windows does not say how much memory a process has taken")
    else:  # noqa: RET506  (mypy would say that what follows without it is unreachable there)
        import resource

        with process(words, stdin=NOTHING) as (running, _, read):
            while count := os.readv(read, room):
                if not got:
                    first = time.perf_counter()
                if reads % 32 == 0:
                    peak = max(peak, _peak_so_far(running.pid))
                got, reads = got + count, reads + 1
            end = time.perf_counter()
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        scale = (1 if sys.platform == "darwin" else 1024) / 1e6
        whole, floor = (one.ru_maxrss * scale for one in (used, resource.getrusage(resource.RUSAGE_SELF)))
        if not peak or whole > 1.1 * floor:  # it counts from what this process had when it forked
            peak = max(peak, whole)
        return Flood(got / 1e6 / (end - first), got / 1e6 / (end - began), peak, got)


def _peak_so_far(pid: int) -> float:
    """The most memory that a process has had by now, in MB; 0 where nobody tells."""
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return 0
    found = re.search(rb"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 / 1e6 if found else 0


def flood(folder: Path, *, quick: bool) -> list[Row]:
    """An agent that says all it can, to a client that reads and discards."""
    source = folder / "frames.txt"
    size = write_agent_side(source, 20_000_000 if quick else 200_000_000)
    ways = {
        "tee": partial(flood_of, lambda: with_tee(folder, f"cat {source}")),
        "ours": partial(flood_of, lambda: ours(folder, "cat", str(source))),
    }
    runs = rounds(3 if quick else 9, ways)
    if any(way.came != size for run in runs for way in run.values()):
        raise RuntimeError("bytes were lost")
    if (folder / "ours.jsonl").stat().st_size < size:
        raise RuntimeError("the recorder did not write everything down")
    rates = [[(run["ours"][at], run["tee"][at]) for run in runs] for at in (0, 1)]
    return [
        compared("flood, first byte to last", "MB/s", rates[0], _TEE, ("≥", 1.5)),
        compared("flood, with the start", "MB/s", rates[1], _TEE),
        Row("flood, peak memory", "MB", max(run["ours"].peak for run in runs), aim=("<", 20)),
        Row(f"a line of {_GIANT} MB, peak memory", "MB", giant(folder), aim=("<", 20)),
    ]


def giant(folder: Path) -> float:
    """The most memory, in MB, of a recorder through which a line has gone there and back, as long as it runs."""
    line, got = b'"%b"\n' % (b"x" * (_GIANT * 1_000_000 - 3)), 0
    argv = [command(), "record", "--out", fresh(folder, "giant"), "--", "cat"]
    # Ended before it makes a file of lines of that: this is about what comes before.
    with process(argv, ends=False) as (running, write, read):
        feeder = threading.Thread(target=_say, args=(write, line))
        feeder.start()
        while got < len(line):
            got += len(os.read(read, 1 << 20))
        feeder.join()
        return _peak_so_far(running.pid)


def _say(write: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(write, left) :]


def first_answer(argv: list[str], *, ends: bool = True) -> float:
    """The ms from the start of a process until it has answered a line."""
    since = time.perf_counter()
    with process(argv, ends=ends) as (_, write, read):
        echo(write, read)
        return (time.perf_counter() - since) * 1e3


def start(folder: Path, *, quick: bool) -> list[Row]:
    """From the start of the recorder to the agent's first answer."""
    ways = {
        "bare": lambda: whole_process(sys.executable, "-I", "-c", "pass"),
        "ours": lambda: first_answer(ours(folder, "cat")),
    }
    ways["spooled"] = lambda: spooled(folder)
    runs = rounds(5 if quick else 25, ways)
    heavy = _heavy(folder)
    return [
        compared(
            f"first answer after start, {words}",
            "ms",
            [(run[way], run["bare"]) for run in runs],
            "python -I -c pass",
            ("≤", aim),
        )
        for way, words, aim in (("spooled", "record -- AGENT", 3.5), ("ours", "with options", 10))
    ] + [
        Row(f"imported of {', '.join(_HEAVY)}: {', '.join(heavy) or 'none'}", "", len(heavy), aim=("≤", 0)),
    ]


def spooled(folder: Path) -> float:
    """`first_answer` of the form without options; its loader is waited for, so that it burdens nobody else."""
    home = Home(folder / "home")
    os.environ[VARIABLE] = str(home.path)
    took = first_answer([command(), "record", "--", "cat"])
    deadline = time.monotonic() + 30
    while any(home.spool.glob("*.capture")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return took


def _heavy(folder: Path) -> list[str]:
    """Those of the heavy modules that a recorder has imported by its end."""
    argv = [sys.executable, "-I", "-X", "importtime", "-m", "acp_trace", *ours(folder, "cat")[1:]]
    done = subprocess.run(argv, input=LINE, capture_output=True, timeout=60, check=True)
    names = {line.rpartition(b"|")[2].strip() for line in done.stderr.splitlines()}
    if b"acp_trace.record.pump" not in names:
        raise RuntimeError("-X importtime did not say what was imported")
    return [name for name in _HEAVY if name.encode() in names]
