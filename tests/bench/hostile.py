"""What traces take that were made to take much: one giant line, sessions and secrets by the ten thousand."""

from __future__ import annotations

import os
from pathlib import Path

from acp_trace.trace.names import VARIABLE
from tests.bench.growth import grown
from tests.bench.timing import Cost, Row, command, cost
from tests.security.test_sizes import many
from tests.support import trace, update

_MB = 1_000_000


def hostile(folder: Path, *, quick: bool) -> list[Row]:
    """Time and memory of `show FILE` and of `load FILE`; time of `redact` beside that for a tenth."""
    scale = 10 if quick else 1
    long, crowded, secrets = 100 * _MB // scale, 100_000 // scale, 20_000 // scale
    files = {
        f"a line of {long // _MB} MB": _line(long),
        f"{crowded:,} sessions": many(crowded),
    }
    rows = []
    for what, content in files.items():
        for word in ("show", "load"):
            took = _taken(folder, what, content, word)
            rows.append(Row(f"{word} {what}, {len(content) / _MB:.0f} MB of trace", "s", took.seconds))
            rows.append(Row(f"{word} {what}, peak memory", "MB", took.megabytes))
    less, took = (
        _taken(folder, "secrets", _keys(count), "redact", "--dry-run") for count in (secrets // 10, secrets)
    )
    rows.append(grown("redact", secrets, took.seconds, less.seconds, "different secrets"))
    return rows


def _taken(folder: Path, home: str, content: bytes, *words: str) -> Cost:
    file = folder / "hostile.jsonl"
    file.write_bytes(content)
    environment = {**os.environ, VARIABLE: str(folder / f"hostile-{home}")}
    return cost([command(), *words, str(file)], 0, environment=environment)


def _line(size: int) -> bytes:
    content = {"type": "text", "text": "x" * size}
    return trace(("agent", update("s", "agent_message_chunk", content=content)))


def _keys(count: int) -> bytes:
    """One key in each message."""
    keys = (f"sk-proj-{number:08d}aB3dEf6hIj9kLm2nOp5q" for number in range(count))
    return trace(*(("client", {"jsonrpc": "2.0", "method": "x", "params": {"apiKey": key}}) for key in keys))
