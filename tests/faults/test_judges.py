"""The judges of the faults suite can say no: traces that lie about what was sent are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_trace.trace import encode
from tests.faults import gaps, stored, truth
from tests.faults.lines import said
from tests.faults.stage import Lie, Notes
from tests.support import END, header, line

_CLIENT, _AGENT = said("client", 60), said("agent", 60)
_SENT = [
    pair for one in zip(_CLIENT, _AGENT, strict=True) for pair in (("client", one[0]), ("agent", one[1]))
]
_END = {**END, "frames": {"client": 60, "agent": 60}}


def _gap(at: int, count: int, *, frames: int = 0, size: int = 0) -> bytes:
    """A gap for `count` frames from `at` on; wrong by `frames` and `size`."""
    lost = sum(len(one) - 1 for _, one in _SENT[at : at + count])
    return encode.gap(5, count + frames, lost + size, "full")


def _file(path: Path, change: Callable[[list[bytes]], list[bytes]] = lambda each: each) -> Path:
    """A trace of all that was sent, in order; `change` is given its entries."""
    each = [encode.frames(sender.encode(), n, one)[0] for n, (sender, one) in enumerate(_SENT)]
    path.write_bytes(b"".join([header(id="t"), *change(each), line(t=99, end=_END)]))
    return path


def _notes(folder: Path, saw: bytes) -> Notes:
    folder.mkdir(exist_ok=True)
    (folder / "saw").write_bytes(saw)
    return Notes(folder / "saw", folder / "said")


_TRUE: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "all": lambda each: each,
    "one gap": lambda each: [*each[:20], _gap(20, 6), *each[26:]],
    "two gaps": lambda each: [*each[:2], _gap(2, 1), *each[3:118], _gap(118, 2)],
}
_FALSE: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "a frame missing": lambda each: each[:50] + each[51:],
    "the last frame missing": lambda each: each[:-1],
    "a frame twice": lambda each: [*each[:50], each[49], *each[50:]],
    "two frames of a side in another order": lambda each: [
        *each[:50],
        each[52],
        each[51],
        each[50],
        *each[53:],
    ],
    "a byte changed": lambda each: [*each[:50], each[50].replace(b"reads", b"reacs"), *each[51:]],
    "a gap of a frame more": lambda each: [*each[:20], _gap(20, 6, frames=1), *each[26:]],
    "a gap of a frame less": lambda each: [*each[:20], _gap(20, 6, frames=-1), *each[26:]],
    "a gap of a byte more": lambda each: [*each[:20], _gap(20, 6, size=1), *each[26:]],
    "a gap of nothing": lambda each: [*each[:20], _gap(20, 1), *each[20:]],
    "a gap that stands too late": lambda each: [*each[:20], *each[26:40], _gap(20, 6), *each[40:]],
}


@pytest.mark.parametrize("name", _TRUE)
@pytest.mark.parametrize("flood", [False, True])
def test_what_is_true_passes(tmp_path: Path, name: str, flood: bool) -> None:
    """A trace that says exactly what it lacks."""
    _judge(_file(tmp_path / "t.jsonl", _TRUE[name]), flood)


@pytest.mark.parametrize("name", _FALSE)
@pytest.mark.parametrize("flood", [False, True])
def test_what_is_false_is_told(tmp_path: Path, name: str, flood: bool) -> None:
    """A trace that lacks something, or has it twice, or has counted wrongly."""
    with pytest.raises(Lie):
        _judge(_file(tmp_path / "t.jsonl", _FALSE[name]), flood)


def _judge(path: Path, flood: bool) -> None:
    if flood:
        gaps.in_a_flood(path, {"client": _CLIENT, "agent": _AGENT})
    else:
        gaps.in_order(path, _SENT)


def test_a_frame_that_was_seen_and_is_missing_is_told(tmp_path: Path) -> None:
    """What a peer heard whole must be in the trace; what it heard in part need not be."""
    path = _file(tmp_path / "t.jsonl", lambda each: each[:40])
    half = b"".join(_CLIENT[:20]) + _CLIENT[20][:-1]
    nothing = _notes(tmp_path / "nothing", b"")
    assert truth.seen(path, nothing, _notes(tmp_path / "agent", half)) == {"client": 20, "agent": 20}
    for saw in (half + b"\n", half.replace(b"reads", b"reacs", 1)):
        with pytest.raises(Lie):
            truth.seen(path, nothing, _notes(tmp_path / "agent", saw))


def test_a_store_that_is_not_the_sum_is_told(tmp_path: Path) -> None:
    """A frame too many or too few, a trace too many, another byte in a file."""
    home = tmp_path / "home"
    (home / "spool").mkdir(parents=True)
    file = _file(tmp_path / "t.jsonl")
    (home / "spool" / "t.jsonl").write_bytes(file.read_bytes())
    assert stored.load(home) == 1
    stored.load_again(home, [file])
    stored.equal(home, [file], {"t": 120})
    for counts in ({"t": 119}, {"t": 121}, {"t": 120, "u": 1}, {}):
        with pytest.raises(Lie):
            stored.equal(home, [], counts)
    file.write_bytes(file.read_bytes().replace(b"reads", b"reacs", 1))
    with pytest.raises(Lie):
        stored.equal(home, [file], {"t": 120})
