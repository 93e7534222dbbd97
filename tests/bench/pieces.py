"""Where the recorder's time goes: each thing that a pump does with one read, alone and again and again.

What is left of a whole round trip (`recording`) is the system's: waking up a thread that sleeps in a read.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from acp_trace.record import sink
from acp_trace.record.drain import BLOCK
from acp_trace.trace import encode
from acp_trace.trace.capture_layout import AGENT
from tests.bench.recording import LINE
from tests.bench.timing import Row
from tests.bench.traffic import frames

_PASSES = 9


def pieces(folder: Path, *, quick: bool) -> list[Row]:
    """A read of one frame, as in a conversation, and a read of 64 KiB, as in a flood."""
    said = b"".join(text + b"\n" for (_, text), _ in zip(frames(), range(600), strict=False))
    block = said[: said.rindex(b"\n", 0, BLOCK) + 1]
    times = 300 if quick else 2000
    return [
        *_of(folder, LINE, f"one frame of {len(LINE)} bytes", times),
        *_of(folder, block, f"{block.count(10)} frames, {len(block):,} bytes", times // 4),
    ]


def _of(folder: Path, data: bytes, what: str, times: int) -> list[Row]:
    path = folder / "pieces.capture"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    read, write = os.pipe()

    def place(fill: Callable[[int], None]) -> tuple[int, str]:
        fill(file)
        return file, str(path)

    writer = sink.Sink(place, b"{}", started=0, say=print)

    def there_and_back() -> None:
        os.write(write, data)
        os.read(read, BLOCK)

    found = {
        "write to a pipe and read from it": _median(there_and_back, times),
        "append it to a file, and nothing else": _median(lambda: os.write(file, data), times),
        "all of what comes between read and write": _median(lambda: writer.write(AGENT, data), times),
        "afterwards, by the reader: cut and checked": _median(
            lambda: encode.frames(b"agent", 1_000_000_000, data), times
        ),
    }
    for fd in (file, read, write):
        os.close(fd)
    path.unlink()
    return [Row(f"{what}: {name}", "µs", took) for name, took in found.items()]


def _median(work: Callable[[], object], times: int) -> float:
    """The µs of one call: the median of some passes."""
    passes = []
    for _ in range(_PASSES):
        since = time.perf_counter_ns()
        for _ in range(times):
            work()
        passes.append((time.perf_counter_ns() - since) / times / 1e3)
    return statistics.median(passes)
