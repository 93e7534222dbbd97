"""The lines of ACP over HTTP and WebSocket: frames with the number of their stream, facts of HTTP. Pure.

There, a message is the content of one body, event or WebSocket message, so it may contain newlines, which
JSON allows between its tokens. A line of a trace cannot: newlines are written as spaces, and `newlines` has
their places. `original` restores them. docs/trace-format.md, "HTTP and WebSocket".
"""

from __future__ import annotations

import re

from acp_trace.trace import encode
from acp_trace.trace.document import document
from acp_trace.trace.jsontext import is_json, object_in

_TAIL = re.compile(rb',"stream":(\d{1,18})(?:,"newlines":\[[\d,]*\])?\}\Z')
_TAIL_START = b',"stream":'
_NEWLINES = re.compile(rb',"newlines":\[[\d,]*\](\}\n?)\Z')


def message(sender: bytes, t: int, data: bytes, stream: int) -> bytes:
    """Return the trace line of one message that `sender` (`client` or `agent`) sent on a stream."""
    newlines: list[int] = []
    if b"\n" in data and is_json(data):
        newlines = [at for at, byte in enumerate(data) if byte == 0x0A]
        data = data.replace(b"\n", b" ")
    more = document({"stream": stream, **({"newlines": newlines} if newlines else {})})
    return b"%b,%b\n" % (encode.frame(sender, t, data)[:-2], more[1:])


def facts(t: int, stream: int, event: bytes) -> bytes:
    """Return the trace line of an event of a stream: a JSON object."""
    more = b"" if event == b"{}" else b"," + event[1:-1]
    return b'{"t":%d,"http":{"stream":%d%b}}\n' % (t, stream, more)


def tail(line: bytes) -> tuple[bytes, int]:
    """Return a line without the part behind its frame, and the number of its stream; 0 if it names none."""
    at = line.rfind(_TAIL_START)
    found = _TAIL.match(line, at) if at >= 0 else None
    return (line[:at] + b"}", int(found[1])) if found else (line, 0)


def without_newlines(line: bytes) -> bytes:
    """Return a line without the places of its message's newlines: for a message that was changed."""
    newline = _NEWLINES.search(line, max(line.rfind(_TAIL_START), 0))
    return line if newline is None else line[: newline.start()] + newline[1]


def original(line: bytes, data: bytes) -> bytes:
    """Return the message as it was sent: `data`, parsed from a trace `line`, with its newlines."""
    places = object_in(line).get("newlines")
    whole = bytearray(data)
    for at in places if isinstance(places, list) else ():
        if isinstance(at, int) and 0 <= at < len(whole):
            whole[at] = 0x0A
    return bytes(whole)
