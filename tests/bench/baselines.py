"""Other recorders for JSON-RPC over stdio that a registry has, each installed once, pinned, into a cache.

lsp-devtools (PyPI): its agent passes on any bytes and sends a copy to its server, another process. That one
knows LSP's framing alone: of one message a line nothing gets into its file. mcp-snoop (PyPI): two threads, line by line, everything to a file and to stderr.
mcp-flight-recorder (npm): keeps the session in memory and writes the file at its end. mcp-recorder and
mcp-sniffer (PyPI) are proxies over HTTP and cannot stand between two ends of a pipe; acp-devtools is in no
registry.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.bench.recording import echo, first_answer, flood_of, ours, spooled, trips_of
from tests.bench.timing import NOTHING, Row, compared, free_port, listens, process, rounds
from tests.bench.traffic import write_agent_side
from tests.real import packages

_KILLED_AFTER = 1000  #: round trips
_FRAME = re.compile(rb'"method": ?"session/prompt"')


@dataclass(frozen=True, slots=True)
class _Baseline:
    """One of the others, installed. `argv`: it before an agent; `written`: where it leaves its recording."""

    name: str
    argv: Callable[..., list[str]]
    written: Path | None
    ends: bool = True  #: whether it ends when its input does


def baselines(folder: Path, *, quick: bool) -> list[Row]:
    """A round trip, the start, a flood and a kill -9, beside each of them that can be installed."""
    rows: list[Row] = []
    for install in (_lsp_devtools, _mcp_snoop, _flight_recorder):
        with ExitStack() as stack:
            try:
                baseline = stack.enter_context(install(folder))
            except packages.OutOfReach as why:
                print(f"baselines: without {install.__name__.strip('_')}: {why}", file=sys.stderr)
                continue
            rows += _trips(folder, baseline, 500 if quick else 2000, 3 if quick else 7)
            rows.append(_starts(folder, baseline, 3 if quick else 7))
            if baseline.ends:  # without an end a flood has no last byte
                rows += _floods(folder, baseline, 5_000_000 if quick else 20_000_000, 1 if quick else 3)
            if baseline.written is not None:
                rows.append(_kills(folder, baseline.argv, baseline.written, baseline.name))
    return rows


def _trips(folder: Path, baseline: _Baseline, count: int, times: int) -> list[Row]:
    trips = partial(trips_of, count)
    runs = rounds(
        times,
        {
            "bare": partial(trips, lambda: ["cat"]),
            "theirs": partial(trips, lambda: baseline.argv("cat"), ends=baseline.ends),
            "ours": partial(trips, lambda: ours(folder, "cat")),
        },
    )
    rows = []
    for at, name in enumerate(("p50", "p99")):
        added = [(run["ours"][at] - run["bare"][at], run["theirs"][at] - run["bare"][at]) for run in runs]
        rows.append(compared(f"round trip {name}, added", "µs", added, baseline.name))
    return rows


def _starts(folder: Path, baseline: _Baseline, times: int) -> Row:
    ways = {
        "theirs": lambda: first_answer(baseline.argv("cat"), ends=baseline.ends),
        "ours": lambda: spooled(folder),
    }
    pairs = [(one["ours"], one["theirs"]) for one in rounds(times, ways)]
    return compared("first answer after start", "ms", pairs, baseline.name)


def _floods(folder: Path, baseline: _Baseline, size: int, times: int) -> list[Row]:
    source = folder / "baselines.txt"
    size = write_agent_side(source, size)
    ways = {
        "theirs": lambda: flood_of(lambda: baseline.argv("cat", str(source))),
        "ours": lambda: flood_of(lambda: ours(folder, "cat", str(source))),
    }
    runs = rounds(times, ways)
    what = f"flood of {size:,} bytes"
    mine, theirs = (min(run[who].came for run in runs) for who in ("ours", "theirs"))
    return [
        compared(
            f"{what}, with the start",
            "MB/s",
            [(run["ours"].whole, run["theirs"].whole) for run in runs],
            baseline.name,
        ),
        compared(
            f"{what}, peak memory",
            "MB",
            [(run["ours"].peak, run["theirs"].peak) for run in runs],
            baseline.name,
        ),
        Row(f"{what}, bytes that came through at least", "", mine, theirs, baseline.name),
    ]


def _kills(folder: Path, theirs: Callable[..., list[str]], written: Path, name: str) -> Row:
    """How much of what both sides have seen is in the recording when the recorder is killed."""
    mine = _kept(ours(folder, "cat"), folder / "ours.jsonl")
    what = f"frames kept at a kill -9, of {2 * _KILLED_AFTER:,} seen"
    return Row(what, "", mine, _kept(theirs("cat"), written), name)


def _kept(argv: list[str], file: Path) -> int:
    with process(argv, ends=False) as (running, write, read):
        for _ in range(_KILLED_AFTER):
            echo(write, read)
        running.kill()
        running.wait()
    kept, since = _frames(file), time.monotonic()
    while time.monotonic() - since < 1:  # another process may still be writing
        time.sleep(0.1)
        if (now := _frames(file)) != kept:
            kept, since = now, time.monotonic()
    return kept


def _frames(file: Path) -> int:
    return len(_FRAME.findall(file.read_bytes())) if file.exists() else 0


def _in(folder: Path, name: str) -> Path:
    """A file to write to; the last run's is removed."""
    (folder / name).unlink(missing_ok=True)
    return folder / name


@contextmanager
def _mcp_snoop(folder: Path) -> Iterator[_Baseline]:
    program = packages.python(("mcp-snoop==0.1.0",)) / "mcp-snoop"
    file = folder / "snoop.log"

    def argv(*agent: str) -> list[str]:
        words = [str(program), "--verbose", "--no-color", "--output", str(_in(folder, file.name)), "--"]
        return _quiet([*words, *agent])

    yield _Baseline("mcp-snoop", argv, file)


@contextmanager
def _flight_recorder(folder: Path) -> Iterator[_Baseline]:
    modules = packages.npm("mcp-flight-recorder@0.2.0")
    file = folder / "flight.json"
    words = ["node", str(modules / ".bin" / "mcp-flight-recorder"), "wrap", "--unsafe-raw", "--trace"]

    def argv(*agent: str) -> list[str]:
        return _quiet([*words, str(_in(folder, file.name)), "--", *agent])

    yield _Baseline("mcp-flight-recorder", argv, file)


@contextmanager
def _lsp_devtools(folder: Path) -> Iterator[_Baseline]:
    """With its server, which writes what its agent sends."""
    program = str(packages.python(("lsp-devtools==0.4.0",)) / "lsp-devtools")
    port = str(free_port())
    words = [program, "record", "--port", port, "--to-file", str(_in(folder, "lsp.json")), "--capture-raw"]
    server = subprocess.Popen(words, stdout=NOTHING, stderr=NOTHING)
    try:
        listens(int(port))
        # It did not end within 100 s of the end of its input.
        theirs = [program, "agent", "--port", port, "--"]
        yield _Baseline("lsp-devtools", lambda *agent: [*theirs, *agent], None, ends=False)
    finally:
        server.kill()
        server.wait()


def _quiet(argv: list[str]) -> list[str]:
    """What says every frame on stderr too says it to nobody."""
    return ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", *argv]
