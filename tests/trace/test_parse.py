"""Reading trace files: whole ones, damaged ones, newer ones, any bytes at all."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.trace import encode
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.parse import NewerFormat, Parser
from tests.support import TRACES, header, line, trace


def _read(data: bytes) -> tuple[list[Entry], int, Parser]:
    parser = Parser()
    entries = parser.feed(data)
    last, torn = parser.finish()
    return [*entries, *([last] if last else [])], torn, parser


def _kinds(data: bytes) -> list[str]:
    return [entry.kind for entry in _read(data)[0]]


def test_the_example_of_the_design() -> None:
    """Every kind of line of format 1."""
    data = (
        header()
        + b'{"t":1204512,"from":"client","frame":{"jsonrpc":"2.0","id":0,"method":"initialize"}}\n'
        + line(t=2, **{"from": "agent"}, text="npm WARN")
        + b'{"t":9960001,"from":"agent","base64":"/w==","partial":true}\n'
        + line(t=3, log="agent stderr line")
        + line(t=4, gap={"frames": 3, "bytes": 912, "reason": "No space left on device"})
        + line(t=5, end={"exit_code": 0, "signal": None})
        + line(t=6, later={"addition": 1})
    )
    entries, torn, parser = _read(data)
    assert [entry.kind for entry in entries] == [
        "header", "frame", "text", "base64", "log", "gap", "end", "unknown",
    ]  # fmt: skip
    assert torn == 0
    assert parser.header is not None
    assert parser.header.argv == ("opencode", "acp")
    assert entries[3].data == b"\xff"
    assert entries[3].partial
    assert b"".join(entry.raw for entry in entries) == data


@pytest.mark.parametrize("frame", [b'{"a": 1e5}', b'{"a":1}\r', b" [1]\t", rb'"\ud83d"', b"null"])
def test_frames_are_verbatim(frame: bytes) -> None:
    """Numbers, spaces, escapes and a carriage return stay as they came."""
    entry = _read(header() + b'{"t":5,"from":"agent","frame":' + frame + b"}\n")[0][1]
    assert (entry.kind, entry.data, entry.t, entry.sender) == (EntryKind.FRAME, frame, 5, "agent")
    assert entry.canonical


def test_a_lone_surrogate_in_another_layout_is_verbatim() -> None:
    """Not even a recorder that writes differently makes us change a frame."""
    odd = b'{"from": "agent", "frame" : {"a": "\\ud83d", "n": 1e5} , "t": 5}\n'
    entry = _read(header() + odd)[0][1]
    assert (entry.kind, entry.data) == (EntryKind.FRAME, b'{"a": "\\ud83d", "n": 1e5}')


@pytest.mark.parametrize(
    "frame", [b'{"a":1}\r', b"\t[1] ", rb'"\ud83d"', b'{"a":"\\ud83d"}\r', b'{"partial":true}']
)
def test_a_last_line_without_newline_is_verbatim(frame: bytes) -> None:
    """As the recorder writes it down: white space and lone surrogates stay, and that it is partial."""
    written = encode.frame(b"agent", 5, frame, partial=True)
    entry = _read(header() + written)[0][1]
    assert (entry.kind, entry.data, entry.sender, entry.partial) == (EntryKind.FRAME, frame, "agent", True)
    assert (entry.raw, entry.canonical) == (written, False)


def test_another_layout_reads_the_same_and_is_marked() -> None:
    """Other recorders order and space keys differently, or add some."""
    odd = b'{"from": "agent", "t": 5, "frame": {"b": 1}, "note": 1}\n'
    entry = _read(header() + odd)[0][1]
    assert (entry.kind, entry.data, entry.sender, entry.t) == (EntryKind.FRAME, b'{"b": 1}', "agent", 5)
    assert not entry.canonical
    assert entry.raw == odd


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b"not json\n", "is not JSON"),
        (b"\n", "is blank"),
        (b"\xff\xfe\n", "is not UTF-8 (byte 0)"),
        (b"[1]\n", "is not a JSON object"),
        (b'{"t":"x","log":"y"}\n', "has a time"),
        (b'{"t":-1,"log":"y"}\n', "has a time"),
        (b'{"t":1e3,"from":"agent","frame":{}}\n', "has a time"),
        (b'{"t":1,"from":"nobody","frame":{}}\n', "neither client nor agent"),
        (b'{"t":1,"frame":{}}\n', "neither client nor agent"),
        (b'{"t":1,"log":5}\n', "damaged content under `log`"),
        (b'{"t":1,"from":"agent","base64":"!"}\n', "damaged content under `base64`"),
        (b'{"t":1,"from":"agent","text":7}\n', "damaged content under `text`"),
        (b'{"t":1,"from":"agent","frame":"\xff"}\n', "not UTF-8"),
    ],
)
def test_a_damaged_line_is_named_and_stops_nothing(bad: bytes, problem: str) -> None:
    """What cannot be read is counted with its reason; the next line is read as ever."""
    good = line(t=9, **{"from": "agent"}, frame={})
    entries = _read(header() + bad + good)[0]
    assert [entry.kind for entry in entries] == ["header", "damaged", "frame"]
    assert problem in (entries[1].problem or "")
    assert entries[1].line == 2


def test_a_torn_last_line_is_cut_and_its_length_told() -> None:
    """A recorder that was killed in the middle of a write."""
    data = header() + b'{"t":1,"from":"agent","fra'
    entries, torn, _ = _read(data)
    assert [entry.kind for entry in entries] == ["header"]
    assert torn == len(b'{"t":1,"from":"agent","fra')


def test_a_last_line_that_lacks_only_its_newline_is_an_entry() -> None:
    """An editor may have taken the newline."""
    assert _kinds(trace(("client", {}))[:-1]) == ["header", "frame", "end"]


def test_a_newer_format_is_refused_by_name() -> None:
    """Guessing at unknown rules would tell lies."""
    with pytest.raises(NewerFormat, match="trace format 2 is newer"):
        _read(header(acp_trace=2))


def test_two_traces_in_one_file() -> None:
    """The second is not mixed into the first."""
    kinds = _kinds(trace(("client", {})) + trace(("agent", {})))
    assert kinds == ["header", "frame", "end", "damaged", "damaged", "damaged"]


def test_a_frame_that_is_nested_too_deep_for_any_parser_is_still_a_frame() -> None:
    """Its text is kept; only nobody reads inside it."""
    deep = b"[" * 5000 + b"]" * 5000
    entry = _read(header() + b'{"t":1,"from":"agent","frame":' + deep + b"}\n")[0][1]
    assert (entry.kind, entry.data) == (EntryKind.FRAME, deep)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_real_traces_have_no_damage(path: str) -> None:
    """Every recording at hand reads without a loss, and its lines add up to the file."""
    data = Path(path).read_bytes()
    entries, torn, _ = _read(data)
    assert not torn
    assert all(entry.kind is not EntryKind.DAMAGED for entry in entries)
    assert b"".join(entry.raw for entry in entries) == data


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_any_bytes_in_any_pieces(data: bytes, cuts: list[int]) -> None:
    """Never raises but for a newer format, loses no byte, and pieces do not matter."""
    try:
        whole, torn, _ = _read(data)
    except NewerFormat:
        return
    parser = Parser()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [entry for a, b in pairwise(places) for entry in parser.feed(data[a:b])]
    last, torn_too = parser.finish()
    assert [*pieces, *([last] if last else [])] == whole
    assert torn == torn_too
    assert sum(len(entry.raw) for entry in whole) + torn == len(data)


@given(st.sampled_from(TRACES), st.data())
def test_a_flipped_bit_in_a_real_trace(path: Path, data: st.DataObject) -> None:
    """A small damage costs one line, or joins two; the rest is read."""
    whole = Path(path).read_bytes()[:20_000]
    at = data.draw(st.integers(len(whole.split(b"\n")[0]) + 1, len(whole) - 1))
    bit = data.draw(st.integers(0, 7))
    broken = whole[:at] + bytes([whole[at] ^ (1 << bit)]) + whole[at + 1 :]
    before, after = _read(whole)[0], _read(broken)[0]
    assert len(after) >= len(before) - 1
