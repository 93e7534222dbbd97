"""Other recorders for JSON-RPC over stdio, where they are installed: `LSP_DEVTOOLS=/path/to/lsp-devtools`.

lsp-devtools (PyPI) passes on any bytes: its agent sends a copy to its server, another process, which writes
it to a file. No flood is measured: with its input closed, as in ours, it did not end within 100 s.
mcp-recorder (PyPI) is a proxy over HTTP and cannot stand between two ends of a pipe.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.bench.recording import first_answer, ours, trips_of
from tests.bench.timing import NOTHING, Row, compared, rounds

_NAME = "lsp-devtools agent"


def rivals(folder: Path, *, quick: bool) -> list[Row]:
    """A round trip and the start, beside lsp-devtools. Nothing where that is not installed."""
    program = os.environ.get("LSP_DEVTOOLS")
    if not program:
        print("rivals: skipped, LSP_DEVTOOLS names no program", file=sys.stderr)
        return []
    with _server(program, folder / "lsp.json") as port:
        theirs = [program, "agent", "--port", port, "--"]
        return [
            *_trips(folder, theirs, 500 if quick else 2000, 3 if quick else 7),
            _starts(folder, theirs, 3 if quick else 7),
        ]


def _trips(folder: Path, theirs: list[str], count: int, times: int) -> list[Row]:
    trips = partial(trips_of, count)
    runs = rounds(
        times,
        {
            "bare": partial(trips, lambda: ["cat"]),
            "theirs": partial(trips, lambda: [*theirs, "cat"], ends=False),
            "ours": partial(trips, lambda: ours(folder, "cat")),
        },
    )
    rows = []
    for at, name in enumerate(("p50", "p99")):
        added = [(run["ours"][at] - run["bare"][at], run["theirs"][at] - run["bare"][at]) for run in runs]
        rows.append(compared(f"round trip {name}, added", "µs", added, _NAME))
    return rows


def _starts(folder: Path, theirs: list[str], times: int) -> Row:
    ways = {
        "theirs": lambda: first_answer([*theirs, "cat"], ends=False),
        "ours": lambda: first_answer(ours(folder, "cat")),
    }
    pairs = [(one["ours"], one["theirs"]) for one in rounds(times, ways)]
    return compared("first answer after start", "ms", pairs, _NAME)


@contextmanager
def _server(program: str, file: Path) -> Iterator[str]:
    """lsp-devtools' server, which writes what its agent sends; its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    argv = [program, "record", "--port", port, "--to-file", str(file), "--capture-raw"]
    server = subprocess.Popen(argv, stdout=NOTHING, stderr=NOTHING)
    try:
        _listens(int(port))
        yield port
    finally:
        server.kill()
        server.wait()


def _listens(port: int) -> None:
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
