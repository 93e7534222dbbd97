"""Messages of ACP over HTTP and WebSocket in a capture: one block each, counted when they are lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from acp_trace.record import place
from acp_trace.record.sink import Sink
from acp_trace.trace.capture_layout import HTTP_AGENT, HTTP_CLIENT, HTTP_HEAD
from acp_trace.trace.files import open_trace
from acp_trace.trace.http_lines import facts, message
from acp_trace.trace.parse import Parser
from tests.support import HEADER, line
from tests.trace.capturing import MARK, block, capture, rendered, said


def test_messages_of_all_streams() -> None:
    """Each with the number of its stream; the footer counts them."""
    made = rendered(
        capture(
            block(HTTP_HEAD, b'{"request":{"method":"POST"}}', 1, 1),
            block(HTTP_CLIENT, b'{"a":\n1}\n', 2, 1),
            block(HTTP_AGENT, b"no JSON\n", 3, 2),
            block(HTTP_AGENT, b"\n", 4, 3),
            block(HTTP_HEAD, b"[1]", 5, 1),
        )
    )
    assert made.splitlines(keepends=True)[1:] == [
        facts(1, 1, b'{"request":{"method":"POST"}}'),
        message(b"client", 2, b'{"a":\n1}', 1),
        message(b"agent", 3, b"no JSON", 2),
        message(b"agent", 4, b"", 3),
        line(t=10**6, end={"exit_code": 0, "signal": None, "frames": {"client": 1, "agent": 2}}),
    ]


def test_a_message_that_was_split_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds the mark of its own capture; another stream comes between. No mark ends a message.

    Were a newline of chance the last byte before the cut, the first piece would seem to be whole.
    """
    monkeypatch.setattr(os, "urandom", lambda size: (b"ab\ncdef\xff" * size)[:size])
    sink = Sink(
        lambda fill: place.in_file(str(tmp_path / "x"), "id", fill),
        json.dumps(HEADER).encode(),
        started=0,
        say=print,
    )
    mark = (tmp_path / "x").read_bytes()[16:24]
    whole = b"before " + mark + b" behind"
    sink.write_beside(HTTP_AGENT, 1, None, whole + b"\n")
    sink.write_beside(HTTP_AGENT, 2, None, b"other\n")
    sink.end(None, None)
    with open_trace(tmp_path / "x")[1] as lines:
        frames = [entry for entry in Parser().feed(lines.read()) if entry.sender]
    assert [(entry.stream, entry.data) for entry in frames] == [(1, whole), (2, b"other")]


def test_lost_messages_are_counted_whole() -> None:
    """Whatever newlines are in them; what is lost of the documents is no frame."""
    lost = [
        {"stream": HTTP_HEAD, "bytes": 90, "lines": 3, "rest": 0},
        {"stream": HTTP_CLIENT, "bytes": 12, "lines": 2, "rest": 0},
        {"stream": HTTP_AGENT, "bytes": 5, "lines": 1, "rest": 0},
    ]
    made = rendered(capture(said(7, gap={"reason": "full", "torn": 0, "streams": lost})))
    gap, end = made.splitlines(keepends=True)[1:]
    assert gap == line(t=7, gap={"frames": 3, "bytes": 14, "reason": "full"})
    assert json.loads(end)["end"]["frames"] == {"client": 2, "agent": 1}


def test_the_sink_counts_a_message_once(tmp_path: Path) -> None:
    """Its newlines are part of it."""
    blocked = True

    def where(fill: object) -> tuple[int, str]:
        if blocked:
            raise OSError(28, "No space left on device")
        return place.in_file(str(tmp_path / "x"), "id", fill)  # type: ignore[arg-type]

    told: list[str] = []
    sink = Sink(where, json.dumps(HEADER).encode(), started=0, say=told.append)
    assert not sink.write_beside(HTTP_CLIENT, 1, None, b'{"a":\n1}\n')
    assert not sink.write_beside(HTTP_CLIENT, 1, None, b"2\n")
    blocked = False
    assert sink.write_beside(HTTP_CLIENT, 1, None, b"3\n")
    sink.end(None, None)
    with open_trace(tmp_path / "x")[1] as lines:
        gap, frame, end = lines.read().splitlines()[1:]
    assert json.loads(gap)["gap"] == {"frames": 2, "bytes": 9, "reason": "No space left on device"}
    assert json.loads(frame)["frame"] == 3
    assert json.loads(end)["end"]["frames"] == {"client": 3, "agent": 0}
    assert len(told) == 1


def test_the_mark_of_other_captures_is_just_bytes() -> None:
    """A message with FF in it is one block."""
    made = rendered(capture(block(HTTP_AGENT, b"\xff\x00" + MARK[1:] + b"\n", 1, 1)))
    (frame,) = [entry for entry in Parser().feed(made) if entry.sender]
    assert frame.data == b"\xff\x00" + MARK[1:]
