"""Two files of raw lines become a log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import tee
from acp_trace.formats.reading.log import File, NotThisFormat, Sent
from tests.formats.reading.comparing import facts_without_times, lines_of, mutated, read_or_refused, sample
from tests.support import request, result, update

_TO, _FROM = sample("tee/to_agent"), sample("tee/from_agent")


def _file(*messages: Any) -> File:
    return File("-", b"".join(json.dumps(message).encode() + b"\n" for message in messages))


_CLIENT = _file(request(0, "initialize"))
_AGENT = _file(result(0), update("s", "plan"))


@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_session_is_as_we_recorded_it(is_swapped: bool) -> None:
    """Real: all facts but times are equal, whichever file comes first; nothing is said to be known that is not."""
    files = [File("a", _TO), File("b", _FROM)]
    files = files[::-1] if is_swapped else files
    assert tee.recognises(files)
    [log] = tee.read(files)
    assert facts_without_times(lines_of(log)) == facts_without_times(sample("tee/recorded.jsonl"))
    assert (log.verbatim, log.ordered, log.inferred, log.started_ns) == (True, False, 21, None)
    lines = [
        message.data + b"\n"
        for message in log.messages
        if isinstance(message, Sent) and message.sender == "client"
    ]
    assert b"".join(lines) == _TO


def test_lines_are_the_bytes_that_were_sent() -> None:
    """Blank ones, other text, a carriage return, and a last line without its end."""
    odd = File("b", _AGENT.data + b'\n\xff\xfe\r\n {"id": 1.0} \nwarning')
    [log] = tee.read([_CLIENT, odd])
    sent = [
        message.data for message in log.messages if isinstance(message, Sent) and message.sender == "agent"
    ]
    assert sent[2:] == [b"", b"\xff\xfe\r", b' {"id": 1.0} ', b"warning"]


@pytest.mark.parametrize(
    "files",
    [
        [],
        [_CLIENT],
        [_CLIENT, _CLIENT],
        [_CLIENT, _AGENT, _AGENT],
        [_file(request(0, "initialize"), update("s", "plan")), _AGENT],
        [_file(request(0, "_x/y")), _file(result(0))],
        [_CLIENT, File("-", b"hello\n")],
        [File("-", b""), File("-", b"")],
    ],
)
def test_what_is_not_recognised(files: list[File]) -> None:
    """Another number of files, both directions in one, no method that tells."""
    assert not tee.recognises(files)


@pytest.mark.parametrize("files", [[_CLIENT], [_CLIENT, _CLIENT], [File("-", b""), File("-", b"x")]])
def test_what_cannot_be_read(files: list[File]) -> None:
    """If asked for by name, too."""
    with pytest.raises(NotThisFormat):
        tee.read(files)


def test_a_file_without_calls() -> None:
    """The other one tells."""
    files = [_file(result(0)), _CLIENT]
    assert tee.recognises(files)
    assert [message.data[:12] for message in tee.read(files)[0].messages] == [
        b'{"jsonrpc": ',
        b'{"jsonrpc": ',
    ]


_CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.integers(0, 400), st.binary(max_size=20)), max_size=4
)


@given(_CHANGES, _CHANGES, st.binary(max_size=30))
def test_any_bytes(to: Any, from_: Any, other: bytes) -> None:
    """They are refused, or read with the promises kept."""
    read_or_refused(tee, [File("a", mutated(_TO, to)), File("b", mutated(_FROM, from_))])
    read_or_refused(tee, [File("a", mutated(_TO, to)), File("b", other)])
