"""What the store costs: loading with analysis beside DuckDB's bare JSON reader, and showing a trace.

Everything runs in processes of its own, so that imports and memory of one burden no other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from tests.bench.timing import Row, command, compared, rounds, whole_process
from tests.bench.traffic import write_trace

#: Scripts with the database and the trace file as arguments. These print how many seconds the work
#: took, without imports, and how many frames there were.
_LOAD = """
import sys, time
from pathlib import Path
from acp_trace.store import connect, load
db, trace = map(Path, sys.argv[1:])
since = time.perf_counter()
with connect.writing(db) as connection:
    found = load.load(connection, trace)
print(time.perf_counter() - since, found.frames)
"""
_READ_JSON = """
import sys, time
import duckdb
db, trace = sys.argv[1:]
since = time.perf_counter()
with duckdb.connect(db) as connection:
    connection.execute("SET enable_progress_bar = false")  # it would go to stdout
    connection.execute("CREATE TABLE t AS SELECT * FROM read_json(?, OPTIONS)", [trace])
    (lines,) = connection.execute("SELECT count(*) FROM t").fetchone()
print(time.perf_counter() - since, lines - 2)  # the header and the footer are lines, too
"""
#: The footer has keys that no line before it has, so the detection must look at every line.
_DETECTED = _READ_JSON.replace("OPTIONS", "sample_size=-1")
_GIVEN = _READ_JSON.replace("OPTIONS", "columns={t: 'BIGINT', 'from': 'VARCHAR', frame: 'JSON'}")
_OPEN = """
import sys, duckdb
duckdb.connect(sys.argv[1], read_only=True).execute("SELECT count(*) FROM traces").fetchone()
"""

#: Loads two traces of one size and removes one of them: seconds of both steps, size before, most and after.
_REMOVE = """
import sys, threading, time
from pathlib import Path
from acp_trace.store import compact, connect, load, remove
db, *traces = map(Path, sys.argv[1:])
with connect.writing(db) as connection:
    ids = [load.load(connection, trace).trace_id for trace in traces]
peak, over = 0, threading.Event()
def watch():
    global peak
    while not over.wait(0.01):
        sizes = []
        for path in db.parent.rglob("*"):
            try: sizes.append(path.stat().st_size)
            except OSError: pass
        peak = max(peak, sum(sizes))
since = time.perf_counter()
remove.remove(db, ids[:1])
removed = time.perf_counter()
watcher = threading.Thread(target=watch)
watcher.start()
done = compact.compact(db)
took = time.perf_counter() - removed
over.set()
watcher.join()
print(removed - since, took, done.before_bytes, peak, done.after_bytes)
"""


def _seconds(script: str, database: Path, trace: Path, frames: int) -> float:
    database.unlink(missing_ok=True)
    argv = [sys.executable, "-I", "-c", script, str(database), str(trace)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=100, check=True)
    seconds, count = done.stdout.split()
    if int(count) != frames:
        raise RuntimeError(f"{int(count)} of {frames} frames were loaded")
    return float(seconds)


def prepared(folder: Path, *, quick: bool) -> tuple[Path, Path, int]:
    """Where the store is to be, the trace file, and its number of frames."""
    frames = 100_000 if quick else 1_000_000
    store, trace = folder / "home" / "store.duckdb", folder / "trace.jsonl"
    store.parent.mkdir(exist_ok=True)
    if not trace.exists():
        write_trace(trace, frames)
    return store, trace, frames


def load(folder: Path, *, quick: bool) -> list[Row]:
    """A trace into a fresh store, analysed, beside the same file into a fresh table of DuckDB."""
    store, trace, frames = prepared(folder, quick=quick)
    bare = folder / "bare.duckdb"
    ways = {
        "detected": partial(_seconds, _DETECTED, bare, trace, frames),
        "given": partial(_seconds, _GIVEN, bare, trace, frames),
        "ours": partial(_seconds, _LOAD, store, trace, frames),
    }
    runs = rounds(5 if quick else 3, ways)
    what = f"load with analysis, {frames:,} frames"
    sizes = (store.stat().st_size / 1e6, trace.stat().st_size / 1e6)
    return [
        compared(what, "s", [(run["ours"], run["detected"]) for run in runs], "bare read_json", ("≤", 5)),
        compared(what, "s", [(run["ours"], run["given"]) for run in runs], "read_json with columns"),
        compared("size of the store", "MB", [sizes], "trace file"),
    ]


def show(folder: Path, *, quick: bool) -> list[Row]:
    """The report of that trace, from the store: the whole process."""
    store, trace, frames = prepared(folder, quick=quick)
    if not store.exists():
        _seconds(_LOAD, store, trace, frames)
    env = {**os.environ, "ACP_TRACE_HOME": str(store.parent)}
    ways = {
        "version": lambda: whole_process(command(), "--version"),
        "opens": lambda: whole_process(sys.executable, "-I", "-c", _OPEN, str(store)),
        "show": lambda: whole_process(command(), "show", env=env),
    }
    runs = rounds(3 if quick else 9, ways)
    what = f"show, {frames:,} frames"
    took = sorted(run["show"] for run in runs)
    return [
        Row(what, "ms", took[len(took) // 2], aim=("<", 1000)),
        compared(what, "ms", [(run["show"], run["opens"]) for run in runs], "Python that opens the store"),
        compared(what, "ms", [(run["show"], run["version"]) for run in runs], "acp-trace --version"),
    ]


def remove(folder: Path, *, quick: bool) -> list[Row]:
    """Half of a store of a million frames is removed, and the file written anew."""
    frames = 100_000 if quick else 1_000_000
    database = folder / "removing" / "store.duckdb"
    database.parent.mkdir()
    traces = [folder / f"half{number}.jsonl" for number in range(2)]
    for number, path in enumerate(traces):
        write_trace(path, frames // 2)
        header, rest = path.read_bytes().split(b"\n", 1)
        path.write_bytes(json.dumps({**json.loads(header), "id": f"half{number}"}).encode() + b"\n" + rest)
    argv = [sys.executable, "-I", "-c", _REMOVE, str(database), *map(str, traces)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=300, check=True)
    removed, compacted, *sizes = map(float, done.stdout.split())
    rows = [Row("rm of half of the frames: the rows", "s", removed)]
    rows.append(Row("rm of half of the frames: the file rewritten", "s", compacted))
    for what, size in zip(("before", "at most", "after"), sizes, strict=True):
        rows.append(Row(f"disk {what}, {frames:,} frames", "MB", size / 1e6))
    return rows
