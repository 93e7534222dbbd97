"""What tests of writers share: a trace as a writer gets it, and what it makes of it."""

from __future__ import annotations

import json
from pathlib import Path

from acp_trace.formats.writing.formats import writer
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.report.gist import gist
from acp_trace.trace.parse import Parser
from tests.support import REPOSITORY, analyzed, line

SAMPLES = REPOSITORY / "sample_traces"


def given(file: bytes | Path | str, *, content: bool = False) -> ExportedTrace:
    """A trace file, or a sample by its name."""
    if isinstance(file, str):
        file = SAMPLES / f"{file}.jsonl"
    data = file if isinstance(file, bytes) else file.read_bytes()
    facts, frames = analyzed(data)
    return ExportedTrace(facts, lambda: iter(frames), lambda: iter(Parser().feed(data)), gist, content)


def written(format: str, trace: ExportedTrace) -> bytes:
    """The whole file."""
    return b"".join(writer(format)(trace))


def without_times(name: str) -> ExportedTrace:
    """A sample, as it is if it comes from a log without times."""
    lines = [json.loads(each) for each in (SAMPLES / f"{name}.jsonl").read_bytes().splitlines()]
    lines[0] |= {"origin": "imported", "imported": {"format": "zed", "times": False}}
    for each in lines[1:]:
        each.pop("t", None)
    return given(b"".join(line(**each) for each in lines if "model" not in each))
