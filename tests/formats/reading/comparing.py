"""What tests of readers need: sample files, a log as a trace, and facts without what a format does not hold."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from acp_trace.formats.reading import trace_lines
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Reader
from tests.support import analyzed

DATA = Path(__file__).parent.parent / "data"


def sample(name: str) -> bytes:
    """A file of `data`; one that is packed, unpacked."""
    data = (DATA / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def lines_of(log: Log) -> bytes:
    """The log as a trace."""
    [trace] = trace_lines.traces([log], "test")
    return trace.data


#: Members of facts that follow from times, or from how long an id is.
_LEFT_OUT = ("trace", "silence_frame", "request_bytes")


def facts_without_times(lines: bytes) -> dict[str, Any]:
    """All facts of a trace but its header, its end, its times, and what follows from those."""
    facts = asdict(analyzed(lines)[0])
    facts.pop("trace")
    return {
        table: [
            {key: value for key, value in row.items() if not (key.endswith("_ns") or key in _LEFT_OUT)}
            for row in rows
        ]
        for table, rows in facts.items()
    }


def read_or_refused(reader: Reader, files: Sequence[File]) -> list[Log]:
    """What a reader makes of files: its logs, which keep the promises of `log`, or none if it refuses them."""
    reader.recognises(files)
    try:
        logs = reader.read(files)
    except NotThisFormat as error:
        refusal = str(error)
    else:
        _check(logs)
        return logs
    assert refusal
    assert "\n" not in refusal
    return []


def _check(logs: list[Log]) -> None:
    assert logs
    for log in logs:
        times = [message.t for message in log.messages]
        assert all(t is None for t in times) or all(t is not None and 0 <= t < 1 << 63 for t in times)
        assert all(b"\n" not in message.data for message in log.messages)
        assert log.messages


def mutated(data: bytes, changes: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Data with pieces of it replaced: where, how many bytes, by what."""
    for place, length, piece in changes:
        at = place % (len(data) + 1)
        data = data[:at] + piece + data[at + length :]
    return data
