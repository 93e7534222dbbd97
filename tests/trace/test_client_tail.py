"""The client's lines of a trace that grows: the agent's are passed over."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from acp_trace.trace import lock
from acp_trace.trace.capture_layout import AGENT, CLIENT, RECORDER, STDERR, block, new_mark, preamble
from acp_trace.trace.client_tail import ClientTail

_HEAD = b'{"acp_trace":1,"id":"x","started_at":"2026-11-20T13:05:01Z"}'
_MARK = new_mark()
_CAPTURE = preamble(_MARK) + b"".join(
    block(_MARK, t, stream, data)
    for t, stream, data in (
        (1, RECORDER, _HEAD),
        (2, CLIENT, b"one\ntw"),
        (3, AGENT, b"an agent's\n"),
        (4, STDERR, b"error\n"),
        (5, CLIENT, b"o\n"),
        (6, RECORDER, b'{"gap":{}}'),
        (7, CLIENT, b"three"),
    )
)
_LINES = (
    _HEAD
    + b"""
{"t":2,"from":"client","frame":[1]}
{"t":3,"from":"agent","frame":[2]}
{"t":5,"from":"client","frame":[3]}
"""
)


@pytest.mark.parametrize("step", [1, 7, 10**6])
@pytest.mark.parametrize(
    ("data", "lines"),
    [(_CAPTURE, [(2, b"one"), (5, b"two")]), (_LINES, [(2, b"[1]"), (5, b"[3]")])],
    ids=["capture", "lines"],
)
def test_the_lines_of_the_client(
    tmp_path: Path, data: bytes, lines: list[tuple[int, bytes]], step: int
) -> None:
    """Each once, however the file grows, with the time at which it was whole."""
    path = tmp_path / "t"
    path.touch()
    found: list[tuple[int, bytes]] = []
    with open(path, "ab", buffering=0) as stream, closing(ClientTail(path)) as tail:
        lock.hold(stream.fileno())
        for start in range(0, len(data), step):
            stream.write(data[start : start + step])
            found += tail.new()
        assert not tail.dead()
        stream.close()
        assert tail.dead()
    assert found == lines
    assert tail.started_at == "2026-11-20T13:05:01Z"
    assert not tail.is_ended


@pytest.mark.parametrize(
    "footer",
    [block(_MARK, 9, RECORDER, b'{"end":{"exit_code":0}}'), b'{"t":9,"end":{"exit_code":0}}\n'],
    ids=["capture", "lines"],
)
def test_how_the_agent_ended_is_the_end(tmp_path: Path, footer: bytes) -> None:
    """As soon as the footer is there, though the recorder still holds the file."""
    path = tmp_path / "t"
    path.write_bytes(_CAPTURE if footer.startswith(_MARK) else _LINES)
    with open(path, "ab", buffering=0) as stream, closing(ClientTail(path)) as tail:
        assert [*tail.new()]
        assert not tail.is_ended
        stream.write(footer)
        assert [*tail.new()] == []
        assert tail.is_ended
