"""Parts of a page."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.frame import Frame
from acp_trace.report.page import columns, html
from acp_trace.report.page.frame_parts import LONGEST_GIST, Again, AtOnce
from acp_trace.report.page.parts import Part, ShownTrace, trace_parts
from acp_trace.store.sources import FileSource
from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import Parser
from tests.support import REPOSITORY, request, result, trace


def test_pages_have_frames_verbatim_and_their_gists() -> None:
    """A line for each frame, and for each a few words; a long one is cut."""
    analyzer = Analyzer()
    prompt = [{"type": "text", "text": "x" * 1000}]
    data = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=prompt)),
        ("agent", result(1, stopReason="end_turn")),
    )
    frames = [frame for entry in Parser().entries(data) if (frame := analyzer.feed(entry)) is not None]
    shown = ShownTrace("a", analyzer.facts(), lambda: frames)
    parts = {part.name: part.data for part in trace_parts(shown, Again(shown))}
    assert parts["a/frames/0"].split(b"\n") == [frame.data for frame in frames]
    gists = json.loads(parts["a/gists/0"])
    assert [len(gists[0]), *gists[1:]] == [LONGEST_GIST, "end_turn"]


@pytest.mark.parametrize("frames_a_page", [columns.PAGE_FRAMES, 7])
def test_a_trace_that_is_read_once_has_the_same_parts(
    monkeypatch: pytest.MonkeyPatch, frames_a_page: int
) -> None:
    """In the same order, byte for byte; for each part as it is, the trace is read three times."""
    monkeypatch.setattr(columns, "PAGE_FRAMES", frames_a_page)
    source = FileSource(REPOSITORY / "sample_traces" / "opencode-story.jsonl")
    reads: list[int] = []

    def read() -> Iterator[Frame | Entry]:
        reads.append(1)
        return source.frames_and_logs()

    shown = ShownTrace("a", source.facts(), read, entries=source.entries)
    parts = list(trace_parts(shown, Again(shown)))
    assert len(reads) == 3
    again = list(trace_parts(shown, AtOnce(shown, lambda data: lambda: html.packed(data))))
    assert len(reads) == 4
    assert [part.name for part in parts if part.is_packed] == []
    assert parts == [
        Part(part.name, zlib.decompress(part.data)) if part.is_packed else part for part in again
    ]
    source.close()
