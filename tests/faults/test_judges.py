"""The judges of the faults suite can say no: traces that lie about what was sent are told."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from acp_trace.trace import capture_layout, encode
from acp_trace.trace.files import Lines
from acp_trace.trace.inputs import Unreadable
from tests.faults import captures, cuts, gaps, outs, stored, truth
from tests.faults.lines import said
from tests.faults.stage import Lie, Notes
from tests.support import END, header, line, lines_of

_CLIENT, _AGENT = said("client", 60), said("agent", 60)
_SENT = [
    pair for one in zip(_CLIENT, _AGENT, strict=True) for pair in (("client", one[0]), ("agent", one[1]))
]
_MARK = b"the mark"
_STREAMS = {"client": capture_layout.CLIENT, "agent": capture_layout.AGENT}
_END = {**END, "frames": {"client": 60, "agent": 60}}


class _Kind:
    """A file of lines."""

    suffix, start = ".jsonl", header(id="t")
    frame = staticmethod(lambda n, sender, one: encode.frames(sender.encode(), n, one)[0])
    end = line(t=99, end=_END)

    @staticmethod
    def gap(lost: list[tuple[str, bytes]], frames: int, size: int) -> bytes:
        """A gap for these; wrong by `frames` and `size`."""
        return encode.gap(5, len(lost) + frames, sum(len(one) - 1 for _, one in lost) + size, "full")


class _Capture(_Kind):
    """A capture."""

    suffix = ".capture"
    start = capture_layout.preamble(_MARK) + capture_layout.block(
        _MARK, 0, capture_layout.RECORDER, header(id="t")[:-1]
    )
    frame = staticmethod(lambda n, sender, one: capture_layout.block(_MARK, n, _STREAMS[sender], one))
    end = capture_layout.block(
        _MARK, 99, capture_layout.RECORDER, line(end={"exit_code": 0, "signal": None})[:-1]
    )

    @staticmethod
    def gap(lost: list[tuple[str, bytes]], frames: int, size: int) -> bytes:
        """What the recorder says of it, by stream; a wrong number is told of the agent."""
        streams = []
        for sender, stream in _STREAMS.items():
            each = [one for side, one in lost if side == sender]
            missing = {"stream": stream, "bytes": sum(map(len, each)), "lines": len(each), "rest": 0}
            streams.append(missing)
        streams[-1]["bytes"] += size + frames  # a line more is a newline more
        streams[-1]["lines"] += frames
        event = {"reason": "full", "torn": 0, "streams": streams}
        return capture_layout.block(_MARK, 5, capture_layout.RECORDER, line(gap=event)[:-1])


_KINDS = pytest.mark.parametrize("kind", [_Kind, _Capture], ids=["lines", "capture"])
_Change = Callable[[list[bytes], type[_Kind]], list[bytes]]


def _gap(kind: type[_Kind], at: int, count: int, *, frames: int = 0, size: int = 0) -> bytes:
    """A gap for `count` frames from `at` on; wrong by `frames` and `size`."""
    return kind.gap(_SENT[at : at + count], frames, size)


def _file(folder: Path, kind: type[_Kind], change: _Change = lambda each, _: each) -> Path:
    """A trace of all that was sent, in order; `change` is given its entries."""
    each = [kind.frame(n, sender, one) for n, (sender, one) in enumerate(_SENT)]
    path = folder / f"t{kind.suffix}"
    path.write_bytes(b"".join([kind.start, *change(each, kind), kind.end]))
    return path


def _notes(folder: Path, saw: bytes) -> Notes:
    folder.mkdir(exist_ok=True)
    (folder / "saw").write_bytes(saw)
    return Notes(folder / "saw", folder / "said")


_TRUE: dict[str, _Change] = {
    "all": lambda each, _: each,
    "one gap": lambda each, kind: [*each[:20], _gap(kind, 20, 6), *each[26:]],
    "two gaps": lambda each, kind: [*each[:2], _gap(kind, 2, 1), *each[3:118], _gap(kind, 118, 2)],
}
_FALSE: dict[str, _Change] = {
    "a frame missing": lambda each, _: each[:50] + each[51:],
    "the last frame missing": lambda each, _: each[:-1],
    "a frame twice": lambda each, _: [*each[:50], each[49], *each[50:]],
    "two frames of a side in another order": lambda each, _: [
        *each[:50],
        each[52],
        each[51],
        each[50],
        *each[53:],
    ],
    "a byte changed": lambda each, _: [*each[:50], each[50].replace(b"reads", b"reacs"), *each[51:]],
    "a gap of a frame more": lambda each, kind: [*each[:20], _gap(kind, 20, 6, frames=1), *each[26:]],
    "a gap of a frame less": lambda each, kind: [*each[:20], _gap(kind, 20, 6, frames=-1), *each[26:]],
    "a gap of a byte more": lambda each, kind: [*each[:20], _gap(kind, 20, 6, size=1), *each[26:]],
    "a gap of nothing": lambda each, kind: [*each[:20], _gap(kind, 20, 1), *each[20:]],
    "a gap that stands too late": lambda each, kind: [
        *each[:20],
        *each[26:40],
        _gap(kind, 20, 6),
        *each[40:],
    ],
}


@pytest.mark.parametrize("name", _TRUE)
@pytest.mark.parametrize("flood", [False, True])
@_KINDS
def test_what_is_true_passes(tmp_path: Path, kind: type[_Kind], name: str, flood: bool) -> None:
    """A trace that says exactly what it lacks."""
    _judge(_file(tmp_path, kind, _TRUE[name]), flood)


@pytest.mark.parametrize("name", _FALSE)
@pytest.mark.parametrize("flood", [False, True])
@_KINDS
def test_what_is_false_is_told(tmp_path: Path, kind: type[_Kind], name: str, flood: bool) -> None:
    """A trace that lacks something, or has it twice, or has counted wrongly."""
    with pytest.raises(Lie):
        _judge(_file(tmp_path, kind, _FALSE[name]), flood)


def _judge(path: Path, flood: bool) -> None:
    if flood:
        gaps.in_a_flood(path, {"client": _CLIENT, "agent": _AGENT})
    else:
        gaps.in_order(path, _SENT)


@_KINDS
def test_a_frame_that_was_seen_and_is_missing_is_told(tmp_path: Path, kind: type[_Kind]) -> None:
    """What a peer heard whole must be in the trace; what it heard in part need not be."""
    path = _file(tmp_path, kind, lambda each, _: each[:40])
    half = b"".join(_CLIENT[:20]) + _CLIENT[20][:-1]
    nothing = _notes(tmp_path / "nothing", b"")
    assert truth.seen(path, nothing, _notes(tmp_path / "agent", half)) == {"client": 20, "agent": 20}
    for saw in (half + b"\n", half.replace(b"reads", b"reacs", 1)):
        with pytest.raises(Lie):
            truth.seen(path, nothing, _notes(tmp_path / "agent", saw))


@_KINDS
def test_a_store_that_is_not_the_sum_is_told(tmp_path: Path, kind: type[_Kind]) -> None:
    """A frame too many or too few, a trace too many, another byte in a file."""
    home = tmp_path / "home"
    (home / "spool").mkdir(parents=True)
    file = _file(tmp_path, kind)
    (home / "spool" / file.name).write_bytes(file.read_bytes())
    assert stored.load(home) == 1
    stored.load_again(home, [file])
    stored.equal(home, [file], {"t": 120})
    for counts in ({"t": 119}, {"t": 121}, {"t": 120, "u": 1}, {}):
        with pytest.raises(Lie):
            stored.equal(home, [], counts)
    file.write_bytes(file.read_bytes().replace(b"reads", b"reacs", 1))
    with pytest.raises(Lie):
        stored.equal(home, [file], {"t": 120})


_OTHER: dict[str, Callable[[bytes], bytes]] = {
    "a frame of the client left out": lambda lines: _without(lines, b'"client"'),
    "a frame of the agent left out": lambda lines: _without(lines, b'"agent"'),
    "the last frame left out": lambda lines: b"".join(lines.splitlines(keepends=True)[:-2]),
    "a byte changed": lambda lines: lines.replace(b"reads", b"reacs", 1),
    "a frame that did not come": lambda lines: lines[: _footer(lines)] + encode.frame(b"agent", 999, b"{}"),
    "a last line that had its newline": lambda lines: (
        lines[: _footer(lines) - 2] + b',"partial":true}\n' + lines[_footer(lines) :]
    ),
}


def _footer(lines: bytes) -> int:
    """Where the last line begins."""
    return lines.rindex(b"\n", 0, -1) + 1


def _without(lines: bytes, sender: bytes) -> bytes:
    each = lines.splitlines(keepends=True)
    del each[next(n for n, one in enumerate(each) if b'"from":' + sender in one)]
    return b"".join(each)


@pytest.mark.parametrize("name", _OTHER)
def test_lines_that_are_not_those_of_the_blocks_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A reader of the package that leaves a frame of a capture out, changes one, or adds one."""
    path = _file(tmp_path, _Capture)
    assert len(list(truth.entries(path))) == len(_SENT) + 2
    changed = _OTHER[name](lines_of(path))
    assert changed != lines_of(path)

    def opened(_: Path) -> tuple[str, Lines]:
        return "", Lines(BytesIO(changed))

    monkeypatch.setattr(truth, "open_trace", opened)
    with pytest.raises(Lie, match="the blocks have"):
        list(truth.entries(path))


def test_captures_are_read_around_what_is_torn_or_missing(tmp_path: Path) -> None:
    """The independent reader: a torn block, holes in lines, a last line with and without an end."""
    gap = {"streams": [{"stream": 2, "bytes": 9, "lines": 1, "rest": 3}], "reason": "full", "torn": 30}
    blocks = [
        capture_layout.block(_MARK, 1, capture_layout.AGENT, b"1\n2\nlos"),
        capture_layout.block(_MARK, 2, capture_layout.AGENT, b"lost, and torn")[:-3],
        capture_layout.block(_MARK, 3, capture_layout.RECORDER, line(gap=gap)[:-1]),
        capture_layout.block(_MARK, 4, capture_layout.CLIENT, b"of the client\n"),
        capture_layout.block(_MARK, 5, capture_layout.AGENT, b"lost\n3\nre"),
        capture_layout.block(_MARK, 6, capture_layout.AGENT, b"st"),
    ]
    path = tmp_path / "t.capture"
    path.write_bytes(_Capture.start + b"".join(blocks))
    assert [one for one, _ in captures.frames(path, "client")] == [b"of the client"]
    whole = [(b"1", True), (b"2", True), (b"3", True)]
    assert list(captures.frames(path, "agent")) == whole
    path.write_bytes(path.read_bytes() + _Capture.end)
    assert list(captures.frames(path, "agent")) == [*whole, (b"rest", False)]


def test_a_cut_that_says_something_else_is_told(tmp_path: Path) -> None:
    """A capture whose lines are not the first ones of the whole; one that cannot be opened."""
    path = _file(tmp_path, _Capture)
    whole = lines_of(path)
    shorter = path.read_bytes()[:-200]
    path.write_bytes(shorter)
    cuts.opens(path, whole)
    with pytest.raises(Lie):
        cuts.opens(path, whole.replace(b"reads", b"reacs", 1))
    path.write_bytes(shorter.replace(b"reads", b"reacs", 1))
    with pytest.raises(Lie):
        cuts.opens(path, whole)
    path.write_bytes(b"")
    with pytest.raises((Lie, Unreadable)):
        cuts.opens(path, b"")


@_KINDS
def test_an_out_file_that_is_not_whole_is_told(tmp_path: Path, kind: type[_Kind]) -> None:
    """Half of the lines, a capture that was cut, a frame too few, no header."""
    each = [kind.frame(n, "agent", one) for n, one in enumerate(_AGENT)]
    end = kind.end.replace(b'"client":60', b'"client":0')
    path = tmp_path / "t"
    path.write_bytes(b"".join([kind.start, *each, end]))
    assert outs.whole(path, 60) == "t"
    data = path.read_bytes()
    torn = [data[:-1], data[: len(data) // 2], data.removesuffix(end), data.replace(each[7], b"")]
    for other in (*torn, data.replace(b'"acp_trace"', b'"acp_trade"'), b""):
        path.write_bytes(other)
        with pytest.raises((Lie, ValueError)):
            outs.whole(path, 60)
