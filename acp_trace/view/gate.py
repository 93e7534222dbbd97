"""Which requests are answered, and what their paths mean. Pure.

Other programs of this machine, and every page that a browser has open, can send requests to a port of
127.0.0.1. They do not know the token, which is the first part of each path. `acp_trace.gate` refuses all
requests of other pages.

    /TOKEN/            the list of all traces
    /TOKEN/12/         a trace
    /TOKEN/12-15/      two traces, compared
    …part/NAME         a part of that page

Two paths accept POST: nothing else can be changed.

    /TOKEN/open        a trace or a log, to look at: kept in memory or in a temporary file
    /TOKEN/12/notes    a note on a frame of a trace, kept beside it

A request that writes must come from a page of this server: it names its `Origin`, and has a header that a
form of another page cannot send. It declares its length in advance.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection
from typing import NamedTuple

from acp_trace.gate.requests import Listener

#: The most bytes of a log or a trace, and of a note.
LARGEST, LARGEST_NOTE = 128 << 20, 64 << 10
#: A header that a page of another origin can send only if this server allows it, and it never does.
_OWN = b"x-acp-trace"
_WRITTEN = re.compile(r"/([A-Za-z0-9_-]{1,100})/(?:open|([0-9]{1,9})/notes)")
_PATH = re.compile(
    r"/([A-Za-z0-9_-]{1,100})/(?:([0-9]{1,9})(?:-([0-9]{1,9}))?/)?(?:part/([A-Za-z0-9_./-]{1,200}))?"
)


class AskedFor(NamedTuple):
    """What a request asks for: the page of no, one or two traces, or a part of it."""

    traces: tuple[int, ...]
    part: str | None = None


class Written(NamedTuple):
    """What a request writes: to a trace, or a new one if `trace` is None; and how many bytes it has."""

    trace: int | None
    length: int


class NotAnswered(NamedTuple):
    """That it is not answered: the status, and why."""

    status: int
    why: str


def wanted(
    method: str, target: str, headers: Collection[tuple[str, str]], token: str, port: int
) -> AskedFor | Written | NotAnswered:
    """Return what a request asks for, or writes.

    `target` and `headers` are those of the request, each header as often as it came. `port` is that of the
    server.
    """
    if method == "POST":
        return _written(target, headers, token, port)
    if method != "GET":
        return NotAnswered(405, "only GET is answered")
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    if refused := Listener("127.0.0.1", port).refusal(method, target.encode("latin-1"), raw):
        return NotAnswered(*refused)
    if any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0") for name, value in raw
    ):
        return NotAnswered(413, "a request with a body")
    match = _PATH.fullmatch(target.partition("?")[0])
    if match is None or not hmac.compare_digest(match[1].encode(), token.encode()):
        return NotAnswered(404, "there is nothing here")
    return AskedFor(tuple(int(number) for number in match.group(2, 3) if number is not None), match[4])


def _written(
    target: str, headers: Collection[tuple[str, str]], token: str, port: int
) -> Written | NotAnswered:
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    if refused := Listener("127.0.0.1", port).refusal("POST", target.encode("latin-1"), raw):
        return NotAnswered(*refused)
    match = _WRITTEN.fullmatch(target)
    if match is None or not hmac.compare_digest(match[1].encode(), token.encode()):
        return NotAnswered(405, "only GET is answered")
    names = [name for name, _ in raw]
    if b"origin" not in names or _OWN not in names:
        return NotAnswered(403, "only a page from this server may write")
    lengths = [value for name, value in raw if name == b"content-length"]
    if len(lengths) != 1 or not re.fullmatch(rb"[0-9]{1,12}", lengths[0]) or b"transfer-encoding" in names:
        return NotAnswered(411, "a request that writes must state its length")
    trace = None if match[2] is None else int(match[2])
    most = LARGEST if trace is None else LARGEST_NOTE
    if (length := int(lengths[0])) > most:
        return NotAnswered(
            413, f"at most {most >> 20} MB can be opened here" if trace is None else "a note is too long"
        )
    return Written(trace, length)
