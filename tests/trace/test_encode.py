"""From pipe bytes to trace lines: nothing lost, nothing changed, every line classified."""

from __future__ import annotations

import base64
import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_trace.trace import encode
from acp_trace.trace.encode import Framer
from acp_trace.trace.jsontext import is_json

#: Lines in which newline-blind decoders see something else than what stands there.
_TRICKY = [
    b"{}",
    b"{}{}",
    b"{} {}",
    b'{"a":',
    b"1}",
    b"",
    b" ",
    b"\r",
    b"{}\r",
    b" 1",
    b'"\xc3',
    b"\xff",
    b"x",
]


def _rebuilt(lines: bytes) -> bytes:
    """The pipe's bytes from the trace lines, read with the standard library."""
    out = b""
    for entry in lines.split(b"\n")[:-1]:
        found = json.loads(entry, parse_float=str)
        if "text" in found:
            out += found["text"].encode()
        elif "base64" in found:
            out += base64.b64decode(found["base64"])
        else:
            start = entry.index(b'"frame":') + len(b'"frame":')
            out += entry[start:-1]
        out += b"\n"
    return out


@given(
    st.lists(st.sampled_from(_TRICKY) | st.binary(max_size=8).filter(lambda b: b"\n" not in b), min_size=1)
)
@example([b'{"a":', b"1} {}"])
@example([b"{}{}", b"", b"{}"])
def test_every_line_comes_back_and_only_json_is_a_frame(lines: list[bytes]) -> None:
    """The fast path must never take two lines for one text, or one line for two."""
    written, count = encode.frames(b"agent", 7, b"".join(line + b"\n" for line in lines))
    assert count == len(lines)
    assert _rebuilt(written) == b"".join(line + b"\n" for line in lines)
    entries = written.split(b"\n")[:-1]
    assert [b'"frame":' in entry for entry in entries] == [is_json(line) for line in lines]
    assert all(entry.startswith(b'{"t":7,"from":"agent","') for entry in entries)


@given(st.binary(max_size=60).map(lambda b: b.replace(b"x", b"\n")), st.lists(st.integers(0, 60)))
def test_pieces_make_the_same_lines_as_the_whole(data: bytes, cuts: list[int]) -> None:
    """A read may end anywhere, also in the middle of a character."""
    framer = Framer()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    whole = b"".join(framer.feed(data[a:b]) for a, b in pairwise(places))
    assert whole + framer.rest() == data
    assert not framer.rest()


def test_a_character_split_at_any_byte_is_one_frame() -> None:
    """Each cut of a message full of multi-byte characters gives the same bytes."""
    message = '{"text":"é € 😀 ∅"}'.encode() + b"\n"
    for cut in range(1, len(message)):
        framer = Framer()
        lines = framer.feed(message[:cut]) + framer.feed(message[cut:])
        assert (
            encode.frames(b"client", 1, lines)[0]
            == b'{"t":1,"from":"client","frame":' + message[:-1] + b"}\n"
        )


@pytest.mark.parametrize(
    ("line", "key", "content"),
    [
        (b'{"a":1e5}', "frame", b'{"a":1e5}'),
        (b"npm WARN", "text", b'"npm WARN"'),
        (b"", "text", b'""'),
        (b"\xff", "base64", b'"/w=="'),
    ],
)
def test_kinds(line: bytes, key: str, content: bytes) -> None:
    """The three kinds of the format, and the mark of a line without newline."""
    written = encode.frame(b"agent", 9, line)
    assert written == b'{"t":9,"from":"agent","%b":%b}\n' % (key.encode(), content)
    assert encode.frame(b"agent", 9, line, partial=True) == written[:-2] + b',"partial":true}\n'


def test_arguments_that_are_no_utf8_make_a_readable_header() -> None:
    """The system's undecodable bytes must not make the header unreadable."""
    assert json.loads(encode.entry(argv=["caf\udce9"])) == {"argv": ["caf?"]}


def test_a_log_line_keeps_bytes_that_are_no_utf8_as_escapes() -> None:
    """Stderr is for reading, and still nothing of it is dropped."""
    assert json.loads(encode.log(1, b"\xff\x1b[31m")) == {"t": 1, "log": "\\xff\x1b[31m"}


@given(st.integers(0, 7000), st.sampled_from(["é", "€", "😀", b"\xff", b"\xe2\x82", b"\xed\xa0\x80"]))
def test_utf8_is_checked_across_pieces(before: int, char: str | bytes) -> None:
    """A character, or a broken one, at any place of a long line, also where a piece ends."""
    good = isinstance(char, str)
    line = b'"' + b"a" * before + (char.encode() if isinstance(char, str) else char) + b"b" * 100 + b'"'
    written, _ = encode.frames(b"agent", 7, line + b"\n")
    assert (b'"frame":' in written) is good
    assert _rebuilt(written) == line + b"\n"
