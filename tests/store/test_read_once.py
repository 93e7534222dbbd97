"""What was read once: the same frames and entries, in the same order, as often as they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.store import read_once, sources
from acp_trace.store.connect import writing
from acp_trace.store.load import load
from acp_trace.trace import files
from tests.support import HEADER, Home, line, request, result, trace, update


def _file(folder: Path) -> Path:
    """A trace with a log line first, between frames and last, and a gap."""
    said = update("s", "agent_message_chunk", content={"type": "text", "text": "x"})
    head, *rest = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
        *[("agent", said)] * 5,
        ("agent", result(1, stopReason="end_turn")),
    ).splitlines(keepends=True)
    logs = line(t=1, log="one") + line(t=1, log="two")
    gap = line(t=2, gap={"frames": 1, "bytes": 9, "reason": "full"})
    path = folder / "a.jsonl"
    path.write_bytes(b"".join([head, logs, *rest[:3], gap, *rest[3:-1], logs, rest[-1]]))
    return path


@pytest.mark.parametrize("most", [1, 2, 3, 1000])
def test_frames_and_what_stands_between_them_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Also over the ends of batches."""
    monkeypatch.setattr(read_once, "_MOST", most)
    again, once = (sources.FileSource(_file(tmp_path)) for _ in range(2))
    facts = once.facts(frames_follow=lambda _: None)
    assert facts == again.facts()
    for _ in range(2):
        assert list(once.frames_and_logs()) == list(again.frames_and_logs())
    assert len(list(once.frames())) == 7
    once.close()
    again.close()


def test_frames_of_the_store_come_again(tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are kept if they follow the facts; who follows them hears of each batch."""
    monkeypatch.setattr(read_once, "_MOST", 3)
    with writing(home.store) as connection:
        load(connection, _file(tmp_path))
    again, once = (sources.StoredSource(home.store, HEADER["id"]) for _ in range(2))
    batches: list[int] = []
    assert once.facts(frames_follow=lambda kept: batches.append(len(kept.sizes))) == again.facts()
    assert batches == [1, 2, 3, 4]
    for _ in range(2):
        assert list(once.frames_and_logs()) == list(again.frames_and_logs())
    once.close()
    again.close()


def test_the_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If frames follow the facts; a trace that grew in between is shown as the facts know it."""
    source = sources.FileSource(_file(tmp_path))
    source.facts(frames_follow=lambda _: None)
    monkeypatch.setattr(files.Lines, "read", None)
    assert len(list(source.frames())) == 7
    source.close()
