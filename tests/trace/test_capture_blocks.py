"""A capture is cut into its blocks: in any pieces, wherever it ends, and whatever stands between them."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.trace.capture_blocks import Block, Blocks, NewerCapture
from acp_trace.trace.capture_layout import (
    AGENT,
    CLIENT,
    HEAD_SIZE,
    MAGIC,
    MARK_SIZE,
    PREAMBLE_SIZE,
    STDERR,
    VERSION,
    head,
    new_mark,
    preamble,
    read_preamble,
)
from tests.commands import Commands
from tests.trace.capturing import MARK, block, capture, cut

#: Of streams and connections: no byte of them is FF, with which a mark begins.
_NUMBER = st.integers(0, 2**32 - 1).filter(lambda number: 0xFF not in number.to_bytes(4, "little"))
#: Bytes in which the beginnings and ends of marks are frequent; whole ones stand in heads alone.
_DATA = (
    st.lists(st.sampled_from([MARK[:3], MARK[3:], b"", b"\n", b"{}", b"\xff", b"x"]), max_size=5)
    .map(b"".join)
    .filter(lambda data: MARK not in data)
)
_BLOCKS = st.lists(
    st.builds(Block, st.integers(0, 2**64 - 1), _NUMBER, _NUMBER, _DATA, st.just(0)), max_size=6
)
_SIZES = st.lists(st.integers(1, 50), max_size=20)


def _blocks(*pieces: bytes, over: bool = True) -> tuple[list[Block], int]:
    """The blocks of a capture that is read in these pieces, and what was passed over."""
    blocks = Blocks()
    cut_off = [made for piece in pieces for made in blocks.feed(piece)]
    return cut_off + (blocks.finish() if over else []), blocks.skipped


def _file(blocks: list[Block]) -> bytes:
    return preamble(MARK) + b"".join(block(one.stream, one.data, one.t, one.connection) for one in blocks)


@given(_BLOCKS, _SIZES)
def test_any_blocks_come_back_in_any_pieces(blocks: list[Block], sizes: list[int]) -> None:
    """Of any stream and connection, known or not; whatever is in them."""
    assert _blocks(*cut(_file(blocks), sizes)) == (blocks, 0)


@settings(max_examples=50)
@given(_BLOCKS)
def test_what_is_said_at_once_is_never_taken_back(blocks: list[Block]) -> None:
    """Fed byte by byte, each block comes once, and nothing is passed over by mistake on the way."""
    reading, come, file = Blocks(), list[Block](), _file(blocks)
    for at in range(len(file)):
        come += reading.feed(file[at : at + 1])
        assert come == blocks[: len(come)]
        assert reading.skipped == 0
    assert come + reading.finish() == blocks


@pytest.mark.slow
@given(_BLOCKS)
def test_a_file_cut_at_any_byte_gives_a_prefix(blocks: list[Block]) -> None:
    """That is what a kill -9 leaves: the last block is there whole, or not at all, and nothing was skipped."""
    file = _file(blocks)
    ends = [PREAMBLE_SIZE]
    for one in blocks:
        ends.append(ends[-1] + HEAD_SIZE + len(one.data))
    for size in range(len(file) + 1):
        whole = sum(end <= size for end in ends[1:])
        assert _blocks(file[:size]) == (blocks[:whole], 0)


def test_a_block_of_text_is_given_at_once() -> None:
    """Whoever follows a live trace sees it before the next one comes."""
    assert [one.data for one in _blocks(preamble(MARK) + block(AGENT, b"{}\n"), over=False)[0]] == [b"{}\n"]
    assert all(new_mark()[0] == 0xFF for _ in range(20))


def _torn(sizes: tuple[int, ...]) -> tuple[bytes, list[Block], int]:
    """A file in which, before each of its blocks and behind the last, so many bytes of another block stand."""
    whole = [Block(n, CLIENT, 0, b'{"n":%d}\n' % n) for n in range(len(sizes) - 1)]
    torn, made, skipped, blocks = block(AGENT, b"y" * 300), preamble(MARK), 0, list[Block]()
    for size, one in zip(sizes, whole, strict=False):
        skipped += size
        made += torn[:size] + block(one.stream, one.data, one.t)
        blocks.append(one._replace(skipped=skipped))
    return made + torn[: sizes[-1]], blocks, skipped


@pytest.mark.parametrize(
    "sizes", [(1, 0, 0), (0, 7, 8, 0), (27, 28, 29, 0), (200, 0, 200, 0), (40, 40, 40, 40), (0, 0, 8)]
)
def test_writes_that_failed_half_way_are_passed_over(sizes: tuple[int, ...]) -> None:
    """Their bytes are counted, at the block behind them; the one at the end of the file nobody counts."""
    file, blocks, skipped = _torn(sizes)
    assert _blocks(file) == (blocks, skipped)
    for size in (1, 7, 50):
        assert _blocks(*cut(file, [size] * len(file))) == (blocks, skipped)
    for at in range(PREAMBLE_SIZE, len(file)):
        assert _blocks(*cut(file, [at])) == (blocks, skipped)


@pytest.mark.parametrize("tear", [HEAD_SIZE, HEAD_SIZE + 1, HEAD_SIZE + 40, HEAD_SIZE + 92, HEAD_SIZE + 99])
def test_others_fill_up_a_block_that_is_torn(tear: int) -> None:
    """Where a piece of the file ends just where that block would have ended, it is not taken for a whole one."""
    torn = block(AGENT, b"y" * 100)[:tear]
    others = [block(CLIENT, b"%050d" % n) for n in range(5)]
    file = preamble(MARK) + torn + b"".join(others)
    whole, skipped = _blocks(file)
    assert ([one.data for one in whole], skipped) == ([b"%050d" % n for n in range(5)], tear)
    for at in range(PREAMBLE_SIZE, len(file)):
        assert _blocks(file[:at], file[at:]) == (whole, skipped)


@pytest.mark.parametrize("rest", [b"x", MARK[1:], b"x" * 31, b"x" * 500, MARK[:5] + b"xyz"])
def test_bytes_of_no_block_at_the_end(rest: bytes) -> None:
    """They are counted, but once, however often the end is seen; what stands before them is there."""
    blocks = Blocks()
    file = preamble(MARK) + block(CLIENT, b"{}\n") + block(CLIENT, b"") + rest
    assert [one.data for one in blocks.feed(file) + blocks.finish()] == [b"{}\n", b""]
    assert blocks.skipped == len(rest)
    assert (blocks.finish(), blocks.skipped) == ([], len(rest))
    for at in range(PREAMBLE_SIZE, len(file)):
        assert _blocks(file[:at], file[at:])[1] == len(rest)


@pytest.mark.slow
def test_hostile_lengths_take_no_quadratic_time() -> None:
    """A megabyte of heads, each of a block of 4 GB: each is looked at once, and nothing of that size is made."""
    hostile = head(MARK, 0, 2**32 - 1, CLIENT, 0)
    file = preamble(MARK) + hostile * 30_000
    counting = _Counting()
    tracemalloc.start()
    try:
        for piece in cut(file, [1 << 14] * 100):
            assert counting.feed(piece) == []
        assert counting.finish() == []
        assert tracemalloc.get_traced_memory()[1] < 8 * len(file)
    finally:
        tracemalloc.stop()
    assert counting.cuts < 100
    assert counting.skipped == 30_000 * HEAD_SIZE - HEAD_SIZE


class _Counting(Blocks):
    """Counts the passes over the buffer."""

    cuts = 0

    def _cut(self, *, over: bool) -> list[Block]:
        self.cuts += 1
        return super()._cut(over=over)


@pytest.mark.parametrize("size", range(PREAMBLE_SIZE))
def test_a_preamble_that_is_not_whole(size: int) -> None:
    """Nothing can be said of such a file; nothing is."""
    assert _blocks(preamble(MARK)[:size]) == ([], 0)


def test_the_preamble_says_version_and_mark() -> None:
    """As the docs have it: magic, version, four zeros, mark; all of it is found again."""
    assert preamble(MARK) == MAGIC + VERSION.to_bytes(4, "little") + bytes(4) + MARK
    assert read_preamble(preamble(MARK)) == (VERSION, MARK)
    assert len(MARK) == len(new_mark()) == MARK_SIZE
    assert len({new_mark() for _ in range(100)}) == 100


def _newer() -> bytes:
    return MAGIC + (VERSION + 1).to_bytes(4, "little") + capture(block(CLIENT, b"{}\n"))[len(MAGIC) + 4 :]


def test_a_newer_capture_is_not_read() -> None:
    """It may mean something else; the number is in the exception."""
    with pytest.raises(NewerCapture) as caught:
        Blocks().feed(_newer())
    assert caught.value.version == VERSION + 1


@pytest.mark.parametrize("command", ["show", "frames", "check", "export", "redact --dry-run", "load"])
def test_a_newer_capture_at_the_command_line(commands: Commands, tmp_path: Path, command: str) -> None:
    """One line that says what to do, and exit code 3."""
    path = tmp_path / "t.capture"
    path.write_bytes(_newer())
    done = commands(*command.split(), path)
    assert (done.out, done.code) == ("", 3)
    said = f"capture version {VERSION + 1} is newer than this acp-trace, which reads version {VERSION}"
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_times_and_lengths_are_little_endian() -> None:
    """Wherever the file is read."""
    made = block(STDERR, b"ab", 0x0102030405060708, 9)
    assert made == MARK + bytes((8, 7, 6, 5, 4, 3, 2, 1, 2, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0)) + b"ab"
    assert all(a < b for a, b in pairwise((0, MARK_SIZE, PREAMBLE_SIZE, HEAD_SIZE)))
