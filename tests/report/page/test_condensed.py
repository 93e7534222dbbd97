"""The conversation in fewer frames: the parts that are made of them are the same."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.frame import Frame
from acp_trace.report.page import condensed, transcript
from acp_trace.store.sources import FileSource
from acp_trace.story.messages import chunk_of
from acp_trace.trace.entries import BETWEEN, Entry
from acp_trace.trace.parse import Parser
from tests.support import SAMPLES, line, request, result, trace, update


def _condensed(entries: list[Frame | Entry]) -> list[Frame | Entry]:
    told = ((entry, chunk_of(entry) if isinstance(entry, Frame) else None) for entry in entries)
    return list(condensed.condensed(told))


def _chunk(text: str, kind: str = "agent_message_chunk", session: str = "s", **more: Any) -> dict[str, Any]:
    return update(session, kind, content={"type": "text", "text": text}, **more)


def _read(data: bytes) -> tuple[Analyzer, list[Frame | Entry]]:
    analyzer, read = Analyzer(), list[Frame | Entry]()
    for entry in Parser().entries(data):
        if (frame := analyzer.feed(entry)) is not None:
            read.append(frame)
        elif entry.kind in BETWEEN:
            read.append(entry)
    return analyzer, read


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_the_conversation_of_a_sample_is_the_same(sample: Path) -> None:
    """Each slice, byte for byte."""
    source = FileSource(sample)
    facts, entries = source.facts(), list(source.frames_and_logs())
    source.close()
    fewer = _condensed(entries)
    assert list(transcript.parts(facts, lambda: fewer)) == list(transcript.parts(facts, lambda: entries))


@pytest.mark.parametrize("full", [1, 5, 1 << 16])
def test_whatever_comes_between_chunks(monkeypatch: pytest.MonkeyPatch, full: int) -> None:
    """Two chunks before it and two after it: of other messages, kinds and sessions; a log; an answer; a load."""
    monkeypatch.setattr(condensed, "_FULL", full)
    opening = [
        ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
        ("client", request(2, "session/load", sessionId="t", cwd="/", mcpServers=[])),
    ]
    odd: list[tuple[str, Any]] = [
        ("agent", _chunk("é\n", messageId="m")),
        ("agent", _chunk("x", "agent_thought_chunk")),
        ("agent", _chunk("x", "user_message_chunk", "t")),
        ("agent", _chunk("x", session="t")),
        ("agent", {**_chunk("x"), "id": 9}),
        ("client", _chunk("x")),
        ("agent", update("s", "agent_message_chunk", content={"type": "image"})),
        ("agent", update("s", "tool_call", toolCallId="c", title="T")),
        ("agent", result(2)),
        ("agent", result(1, stopReason="end_turn")),
    ]
    for (first, second), with_log in product(product(odd, odd), (False, True)):
        chunks = [("agent", _chunk(text)) for text in ("a", "b" * 9)]
        messages = [*opening, *chunks, first, *chunks, second, second, *chunks]
        lines = trace(*messages).splitlines(keepends=True)
        if with_log:
            lines[5:5] = lines[-1:-1] = [line(t=1, log="said")]
        analyzer, entries = _read(b"".join(lines))
        facts, fewer = analyzer.facts(), _condensed(entries)
        assert list(transcript.parts(facts, lambda: fewer)) == list(transcript.parts(facts, lambda: entries))  # noqa: B023


def test_chunks_of_a_message_become_two_frames() -> None:
    """However many they are: the first ones together, and the last as it is. A long one is cut."""
    _, entries = _read(trace(*[("agent", _chunk("x" * 10))] * 100))
    assert [entry.frame for entry in _condensed(entries) if isinstance(entry, Frame)] == [1, 100]
    _, entries = _read(trace(*[("agent", _chunk("x" * (1 << 15)))] * 6))
    assert [entry.frame for entry in _condensed(entries) if isinstance(entry, Frame)] == [1, 2, 3, 4, 5, 6]
