"""docs/evidence/capture.md: its reader of captures is run, and gives what the package makes of the same captures.

The reader is taken from the page as it stands there, into a process of its own without the package.
"""

from __future__ import annotations

import ast
import json
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_trace.trace.capture_layout import (
    AGENT,
    CLIENT,
    HEAD_SIZE,
    MAGIC,
    MARK_SIZE,
    PREAMBLE_SIZE,
    RECORDER,
    STDERR,
    block,
    preamble,
)
from acp_trace.trace.entries import SENT, EntryKind
from acp_trace.trace.parse import Parser
from tests.docs.pages import DOCS, blocks
from tests.support import DEADLINE_S, HEADER, PYTHON, Home, Recording, agent, lines_of, until

(READER,) = blocks(DOCS / "evidence" / "capture.md", "python")
#: Runs the reader of the page, and writes what it gives as JSON: bytes as their hex digits.
_DRIVER = """
import sys
print(json.dumps([
    [ns, who, what if what is None or isinstance(what, dict) else what.hex()]
    for ns, who, what in read(open(sys.argv[1], "rb").read())
]))
"""
#: Says all that a line can be, and echoes the client's bytes as they come.
_ODD = agent(
    'say(b\'{"a":1}\\n\\xff\\xfe\\nno json\\n\\n{"cr":1}\\r\\n\')\n'
    "os.write(2, b'a log line\\nhalf of')\n"
    "while data := os.read(0, 65536): say(data)\n"
    "os.write(2, b' one')\n"
    "say('no newline')\n"
)
_ECHO = agent("while data := os.read(0, 65536): say(data)")


def by_the_page(capture: Path) -> list[list[Any]]:
    """What the page's reader gives: time, who, and the bytes in hex, None, or a document."""
    source = READER + _DRIVER
    done = subprocess.run(
        [*PYTHON, "-S", "-c", source, str(capture)], capture_output=True, timeout=DEADLINE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    given: list[list[Any]] = json.loads(done.stdout)
    return given


def agree(given: list[list[Any]], lines: bytes) -> None:
    """The same frames with the same times, the same losses by number, the same documents, in one order."""
    entries = [entry for entry in Parser().feed(lines) if entry.kind is not EntryKind.LOG]
    assert not [entry for entry in entries if entry.kind is EntryKind.DAMAGED]
    frames = [[ns, who, what] for ns, who, what in given if isinstance(what, str)]
    assert frames == [[entry.t, entry.sender, entry.data.hex()] for entry in entries if entry.kind in SENT]
    gaps = [json.loads(entry.data) for entry in entries if entry.kind is EntryKind.GAP]
    assert sum(what is None for _, _, what in given) == sum(gap["frames"] for gap in gaps)
    documents = [what for _, who, what in given if who == "recorder"]
    assert documents[0] == json.loads(entries[0].data)
    ends = [json.loads(entry.data) for entry in entries if entry.kind is EntryKind.END]
    if ends:
        counts = Counter(who for _, who, _ in given if who != "recorder")
        assert ends == [
            documents[-1]["end"] | {"frames": {side: counts[side] for side in ("client", "agent")}}
        ]


def exported(home: Home, capture: Path) -> bytes:
    """The lines that `acp-trace export` makes of a capture."""
    return home.outcome("export", str(capture)).stdout


def echoed(recording: Recording, data: bytes) -> None:
    """Says it, and waits until it has come back: both blocks are written then, or lost."""
    recording.say(data)
    assert recording.stdout.read(len(data)) == data


@pytest.fixture
def whole(home: Home) -> Path:
    """A capture of every kind of line, with stderr and a footer."""
    with home.start(_ODD) as recording:
        out, err, code = recording.finish(b'{"n":1}\n{"n":2}')
    assert (code, err) == (0, b"a log line\nhalf of one")
    assert out.endswith(b'{"n":2}no newline')
    (capture,) = home.spooled()
    return capture


def test_the_reader_is_plain_and_short() -> None:
    """Forty lines without its docstrings, and nothing but the standard library."""
    code = [line for line in READER.splitlines() if line.strip() and not line.strip().startswith('"""')]
    assert len(code) <= 40
    tree = list(ast.walk(ast.parse(READER)))
    assert {name.name for node in tree if isinstance(node, ast.Import) for name in node.names} == {
        "json",
        "struct",
    }
    assert not [node for node in tree if isinstance(node, ast.ImportFrom)]


def test_a_whole_capture(home: Home, whole: Path) -> None:
    """Lines that are not JSON, not UTF-8 or blank, a carriage return, a last line without its newline."""
    given = by_the_page(whole)
    agree(given, exported(home, whole))
    said = [bytes.fromhex(what) for _, who, what in given if who == "agent"]
    assert said[:5] == [b'{"a":1}', b"\xff\xfe", b"no json", b"", b'{"cr":1}\r']
    assert said[-1] == b'{"n":2}no newline'


def test_a_killed_recorder(home: Home) -> None:
    """What was seen of whole lines is there; a line that may have gone on is not a frame."""
    with home.start(_ECHO) as recording:
        echoed(recording, b'{"n":1}\n\xff\n{"n":')
        recording.process.kill()
        recording.process.wait(DEADLINE_S)
    (capture,) = home.spooled()
    given = by_the_page(capture)
    agree(given, exported(home, capture))
    assert Counter(who for _, who, _ in given) == {"recorder": 1, "client": 2, "agent": 2}
    assert b'{"n":' in capture.read_bytes().rpartition(b"\xff\n")[2]


def test_gaps(home: Home) -> None:
    """Lost are whole lines, the beginning, the middle and the end of a line; the count is the footer's."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("needs prlimit, which Linux has")
    with home.start(_ECHO) as recording:
        pid = recording.process.pid
        usual = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        echoed(recording, b'{"n":1}\n{"a')
        (capture,) = home.spooled()
        for lost, after in (
            (b'":1}\n{"n":2}\n{', b'"b":1}\n{"n":3}\n{"c'),
            (b'":', b'1}\n{"n":4}\n'),
            (b'{"n":5}\n', b'{"d'),
            (b'":1}\n', b'{"n":6}\n'),
            (b'{"e', b'":1'),
        ):
            # Room for the beginning of a block: it is taken back.
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (capture.stat().st_size + 9, usual[1]))
            echoed(recording, lost)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, usual)
            echoed(recording, after)
        out, err, code = recording.finish()
    assert (out, code, err.count(b"\n")) == (b"", 0, 1)
    given = by_the_page(capture)
    lines = exported(home, capture)
    agree(given, lines)
    kept = [bytes.fromhex(what) for _, who, what in given if who == "client" and what is not None]
    assert kept == [b'{"n":1}', b'{"n":3}', b'{"n":4}', b'{"n":6}']
    lost_ones = [what for _, who, what in given if who == "client" and what is None]
    assert len(lost_ones) == 7  # "a", 2, "b", "c", 5, "d" and "e"
    assert json.loads(lines.splitlines()[-1])["end"]["frames"] == {"client": 11, "agent": 11}


def ends_of_blocks(capture: bytes) -> Iterator[int]:
    """Where a block ends, of a capture in which none is torn."""
    at = PREAMBLE_SIZE
    while at < len(capture):
        (length,) = struct.unpack_from("<I", capture, at + 16)
        at += HEAD_SIZE + length
        yield at


def test_torn_blocks_in_the_middle(whole: Path, tmp_path: Path) -> None:
    """The beginning of a block, from its mark on, before every other one: what is whole is read all the same."""
    capture, before = whole.read_bytes(), by_the_page(whole)
    mark = capture[PREAMBLE_SIZE : PREAMBLE_SIZE + MARK_SIZE]
    torn = mark + struct.pack("<QIII", 7, 5000, 2, 0) + b'{"torn":1}\n'
    pieces = [torn[: MARK_SIZE + 3 * number % len(torn)] for number in range(20)]
    made, at = capture[:PREAMBLE_SIZE], PREAMBLE_SIZE
    for end, piece in zip(ends_of_blocks(capture), pieces, strict=False):
        made += piece + capture[at:end]
        at = end
    assert at == len(capture)
    path = tmp_path / "torn.capture"
    path.write_bytes(made)
    given = by_the_page(path)
    assert given == before
    gaps = [json.loads(line).get("gap", {}) for line in lines_of(path).split(b"\n")[:-1]]
    damaged = [gap for gap in gaps if gap.get("reason") == "the capture is damaged"]
    assert sum(gap["bytes"] for gap in damaged if not gap["frames"]) == len(made) - len(capture)
    assert any(gap["frames"] for gap in damaged)  # lines that were begun before it


@pytest.mark.parametrize("size", range(1, HEAD_SIZE))
def test_what_is_left_of_a_head(size: int) -> None:
    """However little of a head was written, the blocks around it are read, and nothing else is."""
    mark = b"\xff2345678"
    first = preamble(mark) + block(mark, 0, RECORDER, b"{}") + block(mark, 1, AGENT, b"before\n")
    torn = block(mark, 2, CLIENT, b"x" * 40)
    # As long as that the two would end at one place, if what is left of the head were taken for a head.
    after = block(mark, 3, AGENT, b"y" * (39 - size) + b"\n") + block(mark, 4, AGENT, b"{}\n")
    space: dict[str, Any] = {}
    exec(READER, space)
    given = list(space["read"](first + torn[:size] + after))
    assert given == [(1, "agent", b"before"), (3, "agent", b"y" * (39 - size)), (4, "agent", b"{}")]


def test_an_agent_that_prints_its_own_capture(home: Home) -> None:
    """Marks, heads and torn blocks in the bytes of a block are bytes like any others."""
    prints = agent("next(lines); say(open(next(lines).strip(), 'rb').read() + b'\\n'); next(lines, None)")
    with home.start(prints) as recording:
        recording.say(b"go\n")
        (capture,) = until(home.spooled, "the capture")
        out, err, code = recording.finish(bytes(capture) + b"\n")
    assert (err, code) == (b"", 0)
    assert out.startswith(MAGIC)
    (mark,) = struct.unpack_from("<16x8s", out)
    assert capture.read_bytes().count(mark) > out.count(mark) > 2
    given = by_the_page(capture)
    agree(given, exported(home, capture))
    said = [bytes.fromhex(what) for _, who, what in given if who == "agent"]
    assert b"".join(each + b"\n" for each in said) == out


def test_it_ends_where_the_file_ends(whole: Path, tmp_path: Path) -> None:
    """Cut at any byte, it gives the beginning of what the whole gives, and what the package reads there."""
    capture, all_ = whole.read_bytes(), by_the_page(whole)
    starts = [PREAMBLE_SIZE, *ends_of_blocks(capture)]
    space: dict[str, Any] = {}
    exec(READER, space)  # thousands of processes would take minutes
    path = tmp_path / "cut.capture"
    for size in range(starts[-4], len(capture)):
        given = [
            [ns, who, what.hex() if isinstance(what, bytes) else what]
            for ns, who, what in space["read"](capture[:size])
        ]
        assert given == all_[: len(given)]
        path.write_bytes(capture[:size])
        agree(given, lines_of(path))


def test_what_it_refuses_and_passes_over(whole: Path, tmp_path: Path) -> None:
    """A newer version and other files are refused; other connections and streams are passed over."""
    capture = whole.read_bytes()
    mark = capture[PREAMBLE_SIZE : PREAMBLE_SIZE + MARK_SIZE]
    space: dict[str, Any] = {}
    exec(READER, space)
    for other in (MAGIC + struct.pack("<I", 2) + capture[12:], b"{}\n" * 20):
        with pytest.raises(ValueError, match="not a capture of version 1"):
            list(space["read"](other))
    beside = [
        mark + struct.pack("<QIII", 0, 3, *numbers) + b"x\ny" for numbers in ((2, 1), (0, 1), (4, 0), (9, 9))
    ]
    first = next(ends_of_blocks(capture))
    path = tmp_path / "more.capture"
    path.write_bytes(capture[:first] + b"".join(beside) + capture[first:])
    assert by_the_page(path) == by_the_page(whole)
    agree(by_the_page(path), lines_of(path))


def test_times_and_ends_that_no_block_says(tmp_path: Path) -> None:
    """Two reads at once can be written in the other order; a footer ends lines whose stream has no end."""
    mark = b"12345678"
    documents = [json.dumps(each).encode() for each in (HEADER, {"end": {"exit_code": None, "signal": 9}})]
    path = tmp_path / "made.capture"
    path.write_bytes(
        preamble(mark)
        + block(mark, 0, RECORDER, documents[0])
        + block(mark, 900, STDERR, b"log\n")
        + block(mark, 800, AGENT, b"{}\n[")
        + block(mark, 850, CLIENT, b"no end")
        + block(mark, 1000, RECORDER, documents[1])
    )
    given = by_the_page(path)
    assert [(ns, who) for ns, who, _ in given] == [
        (0, "recorder"),
        (900, "agent"),
        (1000, "client"),
        (1000, "agent"),
        (1000, "recorder"),
    ]
    agree(given, lines_of(path))
