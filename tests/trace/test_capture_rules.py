"""The rules by which a capture becomes lines, each with the few blocks in which it matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_trace.trace.capture_layout import AGENT, CLIENT, RECORDER, block, preamble
from acp_trace.trace.files import Lines
from tests.support import entries_in, header, line, lines_of

_MARK = b"the mark"
_START = preamble(_MARK) + block(_MARK, 0, RECORDER, header()[:-1])
_END = block(_MARK, 99, RECORDER, b'{"end":{"exit_code":0,"signal":null}}')


def _said(t: int, data: bytes, stream: int = AGENT) -> bytes:
    return block(_MARK, t, stream, data)


def _gap(t: int, size: int, lines: int, rest: int, *, torn: int = 0) -> bytes:
    streams = [{"stream": AGENT, "bytes": size, "lines": lines, "rest": rest}]
    return block(_MARK, t, RECORDER, line(gap={"reason": "full", "torn": torn, "streams": streams})[:-1])


def _entries(folder: Path, *blocks: bytes) -> list[dict[str, Any]]:
    """What the lines behind the header say."""
    path = folder / "t.capture"
    path.write_bytes(_START + b"".join(blocks))
    return entries_in(path)[1:]


@pytest.mark.parametrize("torn", [29, 40, 60, 100])
def test_what_is_torn_in_the_middle_is_passed_over(tmp_path: Path, torn: int) -> None:
    """Its length reaches into the blocks behind it: they are whole, and nothing of them is taken for its data."""
    half = _said(1, b"x" * 100)[:torn]
    found = _entries(tmp_path, half, _said(2, b"1\n"), _gap(3, 101, 1, 0, torn=torn), _said(4, b"2\n"), _END)
    assert [entry.get("frame") for entry in found] == [1, None, 2, None]
    assert [entry["gap"] for entry in found if "gap" in entry] == [
        {"frames": 1, "bytes": 100, "reason": "full"}
    ]
    assert found[-1]["end"]["frames"] == {"client": 0, "agent": 3}


def test_a_line_does_not_go_on_behind_damage(tmp_path: Path) -> None:
    """No gap tells of what is missing: half a line before it, and the end of another behind it, are no frame."""
    damaged = b"?" + _said(2, b'_yes"}\n{"answer":"')[1:]
    found = _entries(tmp_path, _said(1, b'{"answer":"'), damaged, _said(3, b'no"}\n{"n":1}\n'), _END)
    assert [entry.get("frame") for entry in found if "from" in entry] == [{"n": 1}]
    gaps = [entry["gap"] for entry in found if "gap" in entry]
    assert [(gap["frames"], gap["bytes"]) for gap in gaps] == [(0, len(damaged)), (1, 15)]
    assert found[-1]["end"]["frames"] == {"client": 0, "agent": 2}


def test_time_never_goes_back(tmp_path: Path) -> None:
    """Two threads that read at once may append in the other order."""
    found = _entries(tmp_path, _said(5, b"1\n"), _said(3, b"2\n", CLIENT), _said(7, b"3\n"), _END)
    assert [(entry["t"], entry.get("frame")) for entry in found] == [(5, 1), (5, 2), (7, 3), (99, None)]


def test_a_line_with_a_hole_is_counted_once(tmp_path: Path) -> None:
    """A piece in its middle is lost, or its beginning, or its end: one frame each, told when it is over."""
    found = _entries(
        tmp_path,
        *(_said(1, b"11"), _gap(2, 3, 0, 3), _said(3, b"1\n2\n")),
        *(_gap(4, 5, 1, 2), _said(5, b"44\n5\n6")),
        *(_gap(6, 4, 1, 0), _said(7, b"7\n")),
        _END,
    )
    told = [entry["gap"]["bytes"] if "gap" in entry else entry.get("frame") for entry in found]
    assert told == [6, 2, 2, 4, 5, 4, 7, None]
    assert {entry["gap"]["frames"] for entry in found if "gap" in entry} == {1}
    assert found[-1]["end"]["frames"] == {"client": 0, "agent": 7}


def test_what_is_not_whole_yet_is_left_for_later(tmp_path: Path) -> None:
    """A live trace: a torn block is told of by the gap that is still to come; what is behind it waits for that."""
    path = tmp_path / "t.capture"
    torn = _said(1, b"x" * 50)[:40]
    path.write_bytes(_START + torn + _said(2, b"1\n") + _said(2, b"2\n"))
    with Lines(open(path, "rb", buffering=0), live=True) as lines:
        early = lines.read()
        with open(path, "ab") as more:
            more.write(_gap(3, 51, 1, 0, torn=len(torn)) + _said(4, b"3\n") + _END)
        whole = early + lines.read()
    assert whole == lines_of(path)
    assert early == header()
    assert b"damaged" not in whole


def test_the_lines_of_a_beginning_are_the_beginning_of_the_lines(tmp_path: Path) -> None:
    """Cut at every byte: half a block says nothing, and half a line is no frame."""
    path = tmp_path / "t.capture"
    data = _START + _said(1, b"1\n2") + _said(2, b"2\n3") + _gap(3, 4, 1, 0) + _said(4, b"last") + _END
    path.write_bytes(data)
    whole = lines_of(path)
    assert b'"partial":true' in whole
    seen = set()
    for size in range(len(_START), len(data)):
        path.write_bytes(data[:size])
        rendered = lines_of(path)
        assert whole.startswith(rendered)
        seen.add(rendered.count(b"\n"))
    assert seen == {1, 2, 3, 4}
