"""Which requests are answered, and what their paths mean. Pure.

Other programs of this machine, and every page that a browser has open, can send requests to a port of
127.0.0.1. What they do not know is the token, which is the first part of each path. A page that had its own
name lead here (DNS rebinding) still sends that name as `Host`; and browsers say where a request came from.

    /TOKEN/            the list of all traces
    /TOKEN/12/         a trace
    /TOKEN/12-15/      two traces, compared
    …part/NAME         a part of that page
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from typing import NamedTuple

_PATH = re.compile(
    r"/([A-Za-z0-9_-]{1,100})/(?:([0-9]{1,9})(?:-([0-9]{1,9}))?/)?(?:part/([A-Za-z0-9_./-]{1,200}))?"
)
#: From where a browser may say that a request comes: this page, or what somebody typed.
_SITES = ("same-origin", "none")


class AskedFor(NamedTuple):
    """What a request asks for: the page of no, one or two traces, or a part of it."""

    traces: tuple[int, ...]
    part: str | None = None


class NotAnswered(NamedTuple):
    """That it is not answered: the status, and why."""

    status: int
    why: str


def wanted(
    method: str, path: str, headers: Mapping[str, str], token: str, port: int
) -> AskedFor | NotAnswered:
    """What a request asks for. `headers`: their names in small letters; `port`: that of the server."""
    if method != "GET":
        return NotAnswered(405, "only GET is answered")
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
    host = headers.get("host", "")
    if host not in hosts:
        return NotAnswered(403, "another host was asked for")
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return NotAnswered(403, "another page asks")
    if headers.get("sec-fetch-site", "none") not in _SITES:
        return NotAnswered(403, "another page asks")
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        return NotAnswered(413, "a request with a body")
    match = _PATH.fullmatch(path.partition("?")[0])
    if match is None or not hmac.compare_digest(match[1].encode(), token.encode()):
        return NotAnswered(404, "there is nothing here")
    return AskedFor(tuple(int(number) for number in match.group(2, 3) if number is not None), match[4])
