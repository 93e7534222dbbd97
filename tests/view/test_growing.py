"""A live trace as it grows."""

from __future__ import annotations

from pathlib import Path

from acp_trace.report.page.frame_parts import Again
from acp_trace.report.page.parts import trace_parts
from acp_trace.view.growing import GrowingTrace
from tests.support import REPOSITORY


def test_calls_of_the_model_grow_as_well(tmp_path: Path) -> None:
    """What they told is there as soon as they are in the trace."""
    lines = (REPOSITORY / "sample_traces" / "gemini-model.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"".join(lines[:-1]))
    growing = GrowingTrace(path)
    growing.read_on()
    shown = growing.shown("a")
    names = {part.name for part in trace_parts(shown, Again(shown))}
    assert {f"a/model/{call.call}.json" for call in shown.facts.model_calls} < names
    growing.close()
