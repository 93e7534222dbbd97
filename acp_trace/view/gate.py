"""Which requests are answered, and what their paths mean. Pure.

Other programs of this machine, and every page that a browser has open, can send requests to a port of
127.0.0.1. What they do not know is the token, which is the first part of each path. `acp_trace.gate` refuses
requests of other pages, whatever their path.

    /TOKEN/            the list of all traces
    /TOKEN/12/         a trace
    /TOKEN/12-15/      two traces, compared
    …part/NAME         a part of that page
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection
from typing import NamedTuple

from acp_trace.gate.requests import Listener

_PATH = re.compile(
    r"/([A-Za-z0-9_-]{1,100})/(?:([0-9]{1,9})(?:-([0-9]{1,9}))?/)?(?:part/([A-Za-z0-9_./-]{1,200}))?"
)


class AskedFor(NamedTuple):
    """What a request asks for: the page of no, one or two traces, or a part of it."""

    traces: tuple[int, ...]
    part: str | None = None


class NotAnswered(NamedTuple):
    """That it is not answered: the status, and why."""

    status: int
    why: str


def wanted(
    method: str, target: str, headers: Collection[tuple[str, str]], token: str, port: int
) -> AskedFor | NotAnswered:
    """Return what a request asks for.

    `target` and `headers` are those of the request, each header as often as it came. `port` is that of the
    server.
    """
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
