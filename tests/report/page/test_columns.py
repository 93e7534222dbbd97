"""Columns and pages of frames."""

from __future__ import annotations

import array
from typing import Any

import pytest

from acp_trace.report.page import columns
from tests.http_story import http_trace
from tests.support import analyzed, request, result, trace


def _rows(index: columns.Index) -> list[dict[str, int]]:
    """The blocks as the page reads them."""
    rows: list[dict[str, int]] = []
    for block in index.blocks:
        count, at, table = len(block) // sum(width for _, width in columns.LAYOUT), 0, {}
        for name, width in columns.LAYOUT:
            table[name] = array.array({1: "B", 4: "I"}[width], block[at : at + count * width])
            at += count * width
        rows += [{name: int(table[name][row]) for name in table} for row in range(count)]
    return rows


def _prompted() -> bytes:
    update: dict[str, Any] = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": "s",
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}},
        },
    }
    return trace(
        ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(1, sessionId="s")),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
        ("agent", update),
        ("agent", result(2, stopReason="end_turn")),
        ("agent", update),
    )


def test_columns_say_what_each_frame_is() -> None:
    """Side and kind, names by their numbers, requests and responses by each other, turns by their order."""
    index = columns.index(*analyzed(_prompted()))
    rows = _rows(index)
    assert [index.methods[row["method"] - 1] for row in rows] == [
        "session/new",
        "session/new",
        "session/prompt",
        "session/update",
        "session/prompt",
        "session/update",
    ]
    assert [(row["answers"], row["answered"]) for row in rows] == [
        (0, 2),
        (1, 0),
        (0, 5),
        (0, 0),
        (3, 0),
        (0, 0),
    ]
    assert [row["turn"] for row in rows] == [0, 0, 1, 1, 1, 0]
    assert [(columns.KINDS[row["kind"] >> 1], row["kind"] & 1) for row in rows][:2] == [
        ("request", 0),
        ("response", 1),
    ]
    assert [row["t"] for row in rows] == [1000] * 6
    assert [row["message"] for row in rows] == [0, 0, 0, 4, 0, 6]


def test_times_that_do_not_fit_are_given_whole() -> None:
    """A step back, or one of more than four seconds, stands beside the columns."""
    lines = _prompted().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"t":3000', b'"t":9000000000')
    index = columns.index(*analyzed(b"".join(lines)))
    assert index.far == [(3, 9_000_000_000), (4, 4000)]


def test_pages_hold_the_frames_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every frame is in its page, whatever the size of pages."""
    facts, frames = analyzed(_prompted())
    monkeypatch.setattr(columns, "PAGE_FRAMES", 4)
    monkeypatch.setattr(columns, "BLOCK", 2)
    index = columns.index(facts, frames)
    pages = list(columns.pages(frames, index.pages))
    assert (index.pages, len(index.blocks)) == ([1, 5], 3)
    assert [frame for page in pages for frame in page] == frames


def test_a_trace_without_frames_has_no_pages() -> None:
    """Nothing to show is not an error."""
    index = columns.index(*analyzed(trace()))
    assert (index.frames, index.pages, list(columns.pages([], index.pages))) == (0, [], [])


def test_a_frame_has_its_stream() -> None:
    """Over pipes there is none."""
    assert [row["stream"] for row in _rows(columns.index(*analyzed(http_trace())))] == [
        1, 1, 3, 2, 5, 4, 4, 6, 7,
    ]  # fmt: skip
    assert {row["stream"] for row in _rows(columns.index(*analyzed(_prompted())))} == {0}
