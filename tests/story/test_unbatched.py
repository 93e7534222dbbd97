"""What is said in arrays is told as what is said without them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from acp_trace.report.page import transcript
from acp_trace.story.transcript import TranscriptItem, transcripts
from tests.reading.arrays import in_arrays
from tests.support import TRACES, analyzed


def _told(item: TranscriptItem) -> tuple[Any, ...]:
    fact = item.fact
    about = [getattr(fact, name, None) for name in ("id", "title", "stop_reason", "outcome")]
    return item.kind, item.text, about, item.is_history, item.count


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in TRACES])
def test_a_conversation_in_arrays(path: Path, history: bool) -> None:
    """Of real agents: the same sessions, the same items in the same order."""
    file = path.read_bytes()
    (plain, frames), (packed, arrays) = analyzed(file), analyzed(in_arrays(file))
    alone = transcripts(plain, frames, history=history)
    assert {named: list(map(_told, items)) for named, items in alone.items()} == {
        named: list(map(_told, items))
        for named, items in transcripts(packed, arrays, history=history).items()
    }


#: What says where something stands: other frames, and other times.
_PLACES = {"frame", "t_ns", "wait_ns", "duration_ns", "took", "history", "by", "slices"}


def _shown(document: Any) -> Any:
    if isinstance(document, dict):
        return {
            key: _shown(value)
            for key, value in document.items()
            if key not in _PLACES and not key.endswith("_frame")
        }
    if isinstance(document, str):
        return re.sub(r"#\d+", "#", document)
    return [_shown(item) for item in document] if isinstance(document, list) else document


def _page(file: bytes) -> list[Any]:
    facts, frames = analyzed(file)
    parts = [msgspec.json.decode(data) for _, data in transcript.parts(facts, lambda: iter(frames))]
    return [_shown(item) for part in parts[:-1] for item in part]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in TRACES])
def test_a_page_of_arrays(path: Path) -> None:
    """Tool calls keep their content and terminals, permissions their options."""
    file = path.read_bytes()
    assert _page(in_arrays(file)) == _page(file)
