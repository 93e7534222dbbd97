"""What traces take that were made to take much: one giant line, sessions by the hundred thousand."""

from __future__ import annotations

import os
from pathlib import Path

from acp_trace.trace.names import VARIABLE
from tests.bench.timing import Row, command, cost
from tests.security.test_sizes import many
from tests.support import trace, update

_MB = 1_000_000


def hostile(folder: Path, *, quick: bool) -> list[Row]:
    """Time and memory of `show FILE` and of `load FILE`."""
    scale = 10 if quick else 1
    long, crowded = 100 * _MB // scale, 100_000 // scale
    files = {
        f"a line of {long // _MB} MB": _line(long),
        f"{crowded:,} sessions": many(crowded),
    }
    rows = []
    for what, content in files.items():
        file = folder / "hostile.jsonl"
        file.write_bytes(content)
        for word in ("show", "load"):
            home = {**os.environ, VARIABLE: str(folder / f"hostile-{what}")}
            took = cost([command(), word, str(file)], 0, environment=home)
            rows.append(Row(f"{word} {what}, {len(content) / _MB:.0f} MB of trace", "s", took.seconds))
            rows.append(Row(f"{word} {what}, peak memory", "MB", took.megabytes))
    return rows


def _line(size: int) -> bytes:
    content = {"type": "text", "text": "x" * size}
    return trace(("agent", update("s", "agent_message_chunk", content=content)))
