"""A capture becomes the lines that were always written for the same traffic; what is missing is counted."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_trace.trace import encode
from acp_trace.trace.capture_layout import AGENT, CLIENT, PREAMBLE_SIZE, RECORDER, STDERR, preamble
from acp_trace.trace.encode import Framer
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.parse import Parser
from tests.fuzz.inputs import entries
from tests.support import END, header, line
from tests.trace.capturing import MARK, block, capture, cut, rendered, said

_NAMES = {CLIENT: b"client", AGENT: b"agent"}
_LINES = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n',
    b'{"text":"Gr\xc3\xbc\xc3\x9fe \xf0\x9f\x90\x88"}\n',
    b'  {"a": [1,  2.50, 1e5]}\r\n',
    b'{"lone":"\\ud83d"}\n',
    b'{}{}\n{"a":\n1}\n',
    b"npm WARN \x1b[31mold\x1b[0m\n",
    b"\xff\xfe not UTF-8\n",
    b"\n\n\r\n \n",
    b"[" * 3000 + b"\n",
    b'{"big":"' + b"x" * 9000 + b'"}\n',
    b"NaN\n",
)


class _Lines:
    """How a recorder wrote the lines itself, read by read, before there were captures: the golden rule."""

    def __init__(self) -> None:
        self.made = [header()]
        self.counts = {"client": 0, "agent": 0}
        self._framers = {stream: Framer() for stream in (CLIENT, AGENT, STDERR)}
        self._held = 0

    def read(self, stream: int, t: int, data: bytes) -> None:
        framer, name = self._framers[stream], _NAMES.get(stream)
        if name is None:
            self._logs(framer, t, data)
        elif not data:
            if rest := framer.rest():
                self.made.append(encode.frame(name, t, rest, partial=True))
                self.counts[name.decode()] += 1
        elif lines := framer.feed(data):
            made, count = encode.frames(name, t, lines)
            self.made.append(made)
            self.counts[name.decode()] += count

    def _logs(self, framer: Framer, t: int, data: bytes) -> None:
        if lines := framer.feed(data) if data else b"":
            self.made += [encode.log(t, one) for one in lines[:-1].split(b"\n")]
            self._held = 0
        self._held += len(data) - (data.rfind(b"\n") + 1)
        if (not data or self._held > 1 << 16) and (rest := framer.rest()):
            self.made.append(encode.log(t, rest))
            self._held = 0

    def end(self, t: int, **more: object) -> bytes:
        footer = {"exit_code": 0, "signal": None, "frames": self.counts, **more}
        return b"".join(self.made) + encode.entry(t=t, end=footer)


def _reads(dice: random.Random) -> list[tuple[int, int, bytes]]:
    """Stream, time and bytes of the reads of three streams, as pipes give them."""
    left = {stream: b"".join(dice.choices(_LINES, k=12)) for stream in (CLIENT, AGENT, STDERR)}
    left[STDERR] += b"y" * dice.choice((0, 70_000, 140_000))
    for stream in left:
        left[stream] += dice.choice((b"", b"{}", b"\xff", b'{"torn":', b"\r"))
    reads, t = [], 0
    while left:
        stream, t = dice.choice(list(left)), t + dice.choice((0, 1, 10**6))
        size = dice.choice((1, 7, 100, 4096, 1 << 16))
        reads.append((stream, t, left[stream][:size]))
        if left[stream]:
            left[stream] = left[stream][size:]
        else:
            del left[stream]
    return reads


@pytest.mark.parametrize("seed", range(25))
def test_the_same_bytes_for_the_same_traffic(seed: int) -> None:
    """Every kind of line, cut anywhere, as it was before there were captures; in any pieces of the capture."""
    dice = random.Random(seed)
    lines, blocks, t = _Lines(), [], 0
    for stream, t, data in _reads(dice):
        lines.read(stream, t, data)
        blocks.append(block(stream, data, t))
    file = capture(*blocks, end=False) + said(t + 1, end={"exit_code": 0, "signal": None, "error": "x"})
    expected = lines.end(t + 1, error="x")
    assert rendered(file) == expected
    assert rendered(*cut(file, [dice.choice((1, 50, 5000)) for _ in range(400)])) == expected


def test_a_killed_recorder_leaves_a_prefix() -> None:
    """Wherever its capture ends, the lines are a prefix of all lines, in whole lines."""
    dice, lines, blocks = random.Random(7), _Lines(), []
    for stream, t, read in _reads(dice)[:60]:
        data = read[:300]
        lines.read(stream, t, data)
        blocks.append(block(stream, data, t))
    file = capture(*blocks, end=False)
    expected = b"".join(lines.made)
    assert rendered(file) == expected
    last = b""
    for size in range(0, len(file), 3):
        made = rendered(file[:size])
        assert expected.startswith(made)
        assert made.startswith(last)
        assert not made or made.endswith(b"\n")
        last = made


def test_a_time_never_goes_back() -> None:
    """Two threads may append in the other order than they read; and no time is more than fits."""
    made = rendered(
        capture(block(CLIENT, b"1\n", 5), block(AGENT, b"2\n", 3), block(AGENT, b"3\n", 2**64 - 1))
    )
    assert [one.t for one in entries(made)] == [0, 5, 5, 2**63 - 1, 2**63 - 1]


def test_what_later_recorders_may_say_passes() -> None:
    """Other streams, other connections, other documents: they change nothing; a footer's new keys are kept."""
    known = capture(block(CLIENT, b'{"a":1}\n', 4), end=False)
    later = [
        block(200, b"x\n"),
        block(CLIENT, b"[2]\n", 4, 1),
        block(RECORDER, b'{"end":{}}', 4, 7),
        said(4, later={}),
    ]
    odd = [
        block(RECORDER, data)
        for data in (b"", b"[]", b"{", b"\xff", b'{"gap":1}', b'{"end":[]}', b"[" * 5000)
    ]
    end = said(6, end={"exit_code": 3, "signal": None, "later": {"a": [1]}})
    made = rendered(known + b"".join(later + odd) + end)
    counts = {"client": 1, "agent": 0}
    footer = {"exit_code": 3, "signal": None, "frames": counts, "later": {"a": [1]}}
    assert made == rendered(known) + line(t=6, end=footer)


def test_a_second_header_is_left_out() -> None:
    """It would make whatever comes after it another trace."""
    again = said(acp_trace=1, id="other")
    assert rendered(capture(again, block(CLIENT, b"1\n"), again)) == rendered(capture(block(CLIENT, b"1\n")))


def _gap(reason: str = "full", torn: int = 0, **streams: bytes) -> bytes:
    """What the recorder says when these bytes of these streams are missing."""
    numbers = {"client": CLIENT, "agent": AGENT, "stderr": STDERR}
    return _lost({numbers[name]: data for name, data in streams.items()}, reason, torn)


def _lost(streams: dict[int, bytes], reason: str = "full", torn: int = 0) -> bytes:
    lost = [
        {
            "stream": stream,
            "bytes": len(data),
            "lines": data.count(b"\n"),
            "rest": len(data) - data.rfind(b"\n") - 1,
        }
        for stream, data in streams.items()
    ]
    return said(7, gap={"reason": reason, "torn": torn, "streams": lost})


def _told(file: bytes) -> list[Any]:
    """Frames and logs as they are, gaps as (frames, bytes), the footer's numbers."""
    made: list[Any] = []
    for text in rendered(file).splitlines()[1:]:
        one = json.loads(text)
        if "gap" in one:
            made.append((one["gap"]["frames"], one["gap"]["bytes"]))
        else:
            made.append(one.get("frame", one.get("log", one.get("text", one.get("end", {}).get("frames")))))
    return made


def test_a_gap_takes_the_line_that_it_is_in() -> None:
    """Begun before it, or going on behind it: such a line is lost whole, and counted when it ends."""
    file = capture(
        block(AGENT, b"[0]\n[1,"), _gap(agent=b"2]\n[3]\n[4,"), block(AGENT, b"5]\n[6]\n"), block(AGENT, b"")
    )
    assert _told(file) == [[0], (2, 8), (1, 5), [6], {"client": 0, "agent": 5}]


def test_a_gap_in_one_line() -> None:
    """Twice, and both ends are there: one frame; its end never comes: one frame all the same."""
    twice = capture(
        block(CLIENT, b"[1,"),
        _gap(client=b"2,"),
        block(CLIENT, b"3,"),
        _gap(client=b"4"),
        block(CLIENT, b"]\n[5]\n"),
    )
    assert _told(twice) == [(1, 9), [5], {"client": 2, "agent": 0}]
    never = capture(block(CLIENT, b"[1,"), _gap(client=b"2,"), block(CLIENT, b"3"), block(CLIENT, b""))
    assert _told(never) == [(1, 6), {"client": 1, "agent": 0}]


def test_a_gap_of_several_streams() -> None:
    """One entry for the frames of both sides; a line of stderr of which a piece is missing is cut there."""
    file = capture(
        block(STDERR, b"begun"), block(CLIENT, b"[1,"), _gap(client=b"2]\n", agent=b"[3]\n", stderr=b"lost\nlo"),
        block(STDERR, b"st\nkept\n"), block(CLIENT, b"[4]\n"),
    )  # fmt: skip
    assert _told(file) == ["begun", (2, 8), "st", "kept", [4], {"client": 2, "agent": 1}]


def test_a_gap_of_stderr_alone_is_no_entry() -> None:
    """No frame is lost."""
    assert _told(capture(_gap(stderr=b"x\n"))) == [{"client": 0, "agent": 0}]


def test_the_reason_is_the_recorders() -> None:
    """Also where the line ends much later."""
    file = capture(_gap("No space left on device", agent=b"1"), block(AGENT, b"2\n"))
    (gap,) = [json.loads(text)["gap"] for text in rendered(file).splitlines() if b'"gap"' in text]
    assert gap == {"frames": 1, "bytes": 2, "reason": "No space left on device"}


@pytest.mark.parametrize("end", [True, False], ids=["ended", "killed"])
@pytest.mark.parametrize("size", [1, 8, 27, 28, 40])
def test_bytes_of_no_block_are_told_unless_the_recorder_did(size: int, end: bool) -> None:
    """A write that failed half-way is the recorder's loss, which is told already; anything else is damage."""
    torn = block(CLIENT, b"[2]\n" * 50)[:size]
    damaged = [("the capture is damaged", 0, size)]
    for gap, told in (
        (b"", damaged),
        (_gap(torn=size, client=b"[2]\n"), [("full", 1, 3)]),
        (_gap(torn=size), []),
    ):
        file = capture(
            block(CLIENT, b"[1]\n"), torn, gap, block(CLIENT, b"[3]\n"), block(CLIENT, b""), end=end
        )
        gaps = [json.loads(text).get("gap") for text in rendered(file).splitlines()]
        assert [(gap["reason"], gap["frames"], gap["bytes"]) for gap in gaps if gap] == told
        for at in range(PREAMBLE_SIZE, len(file)):
            assert rendered(file[:at], file[at:]) == rendered(file)


@pytest.mark.parametrize("tail", [b"garbage", block(CLIENT, b"[2]\n" * 50)[:60]])
def test_bytes_behind_the_footer(tail: bytes) -> None:
    """They are told behind it, wherever the file is cut while it is read."""
    file = capture(block(CLIENT, b"[1]\n")) + tail + block(CLIENT, b"")
    kinds = [one.kind for one in entries(rendered(file))]
    assert kinds == [EntryKind.HEADER, EntryKind.FRAME, EntryKind.END, EntryKind.GAP]
    assert {rendered(file[:at], file[at:]) for at in range(len(file))} == {rendered(file)}


_TRAFFIC = st.lists(
    st.tuples(
        st.sampled_from([CLIENT, AGENT]),
        st.lists(st.sampled_from([b"\n", b"1", b"22", b"{}\n", b"\n3"]), max_size=5).map(b"".join),
        st.booleans(),
    ),
    max_size=14,
)


@pytest.mark.slow
@settings(max_examples=200)
@given(_TRAFFIC)
@example([(CLIENT, b"1", False), (CLIENT, b"\n", True), (CLIENT, b"2\n", False)])
def test_gaps_against_a_naive_count(traffic: list[tuple[int, bytes, bool]]) -> None:
    """Reads are lost by chance: the frames of a gap are the lines with a missing byte, its bytes their lengths."""
    blocks, lost = [], dict[int, list[bytes]]()
    for stream, data, is_lost in traffic:
        if not data:
            continue
        if is_lost:
            lost.setdefault(stream, []).append(data)
            continue
        if lost:
            blocks.append(_lost({one: b"".join(all) for one, all in lost.items()}))
            lost.clear()
        blocks.append(block(stream, data))
    if lost:
        blocks.append(_lost({one: b"".join(all) for one, all in lost.items()}))
    kept, gaps, counts = dict[str, list[bytes]](), 0, dict[str, int]()
    missing = 0
    for stream, name in _NAMES.items():
        reads = [(data, is_lost) for one, data, is_lost in traffic if one == stream]
        there = b"".join((b"-" if is_lost else b"+") * len(data) for data, is_lost in reads)
        whole = b"".join(data for data, _ in reads)
        ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
        spans = [
            *pairwise([0, *ends]),
            *([(ends[-1] if ends else 0, len(whole))] if not whole.endswith(b"\n") and whole else []),
        ]
        kept[name.decode()] = [whole[a:b].rstrip(b"\n") for a, b in spans if b"-" not in there[a:b]]
        holes = [len(whole[a:b].removesuffix(b"\n")) for a, b in spans if b"-" in there[a:b]]
        gaps, missing, counts[name.decode()] = gaps + len(holes), missing + sum(holes), len(spans)
    made = entries(rendered(capture(*blocks)))
    assert {name: [one.data for one in made if one.sender == name] for name in kept} == kept
    told = [json.loads(one.data) for one in made if one.kind is EntryKind.GAP]
    assert (sum(one["frames"] for one in told), sum(one["bytes"] for one in told)) == (gaps, missing)
    assert json.loads(made[-1].data)["frames"] == counts


_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 3, 9, 2**63, 10**3000, 1.5, "", "1", "\n", [], {}, [None], [[]], [{}], {"a": 1.5},
    [{"stream": 1, "bytes": 10**3000, "lines": 2**63, "rest": 10**3000}] * 3, [{"stream": [], "bytes": {}}],
    [{"stream": 2, "bytes": 1, "lines": 5, "rest": 9}],
)  # fmt: skip


#: A gap that says of itself that the rest of a line is missing.
_LOSES_THE_NEXT_LINE = json.dumps({"gap": {"streams": _ODD[-1]}}).encode()


def _hostile() -> list[bytes]:
    deep = b"[" * 990 + b"]" * 990
    made = [
        json.dumps({kind: {key: odd}}).encode()
        for kind in ("gap", "end")
        for key in ("reason", "torn", "streams", "exit_code", "signal", "frames", "later")
        for odd in _ODD
    ]
    made += [json.dumps({kind: odd}).encode() for kind in ("gap", "end", "acp_trace") for odd in _ODD]
    made += [
        b'{"%b":{"%b":%b}}' % (kind, key, deep)
        for kind in (b"gap", b"end")
        for key in (b"reason", b"later", b"exit_code")
    ]
    return [
        *made,
        b'{"end":{"error":"\\ud800"}}',
        b'{"gap":{"reason":"\\ud800\\n","streams":[]}}',
        deep,
        b'{"end":' + deep + b"}",
    ]


def test_hostile_documents_raise_nothing() -> None:
    """Wrong types anywhere: every line that comes out can be read, and what is not hostile is kept."""
    for document in _hostile():
        file = capture(block(AGENT, b"[1]\n"), block(RECORDER, document), block(AGENT, b"[2]\n", 3))
        made = entries(rendered(file))
        assert not [one for one in made if one.kind is EntryKind.DAMAGED], document
        frames = [one.data for one in made if one.kind is EntryKind.FRAME]
        assert frames[0] == b"[1]"
        assert frames[1:] == ([] if document == _LOSES_THE_NEXT_LINE else [b"[2]"]), document
        assert all(value >= 0 for one in made if one.kind is EntryKind.GAP for value in _numbers(one.data))


def _numbers(gap: bytes) -> tuple[int, int]:
    found = json.loads(gap)
    return found["frames"], found["bytes"]


@pytest.mark.parametrize(
    "document", [b"[]", b"{}", b'{"acp_trace":', b'{"acp_trace":[]}', b'{"acp_trace":0}']
)
def test_hostile_headers(document: bytes) -> None:
    """The trace has none then; its frames are read all the same."""
    made = entries(rendered(preamble(MARK) + block(RECORDER, document) + block(AGENT, b"[1]\n")))
    assert [one.data for one in made if one.kind is EntryKind.FRAME] == [b"[1]"]


def test_a_header_of_several_lines_is_one_line() -> None:
    """White space in it, as another recorder may write it."""
    document = json.dumps({"acp_trace": 1, "id": "x"}, indent=2).encode()
    parser = Parser()
    parser.feed(rendered(preamble(MARK) + block(RECORDER, document)))
    assert parser.header is not None
    assert parser.header.id == "x"


def test_nothing_is_rendered_of_a_preamble_alone() -> None:
    """A recorder that was killed at once."""
    assert rendered(preamble(MARK)) == b""
    assert rendered(*(bytes((byte,)) for byte in capture())) == header() + line(t=10**6, end=END)
