"""What an agent asks its model and what that answers: all of it follows from a kind and a number.

Agent, provider and judge compute the same bytes, each for itself. Knows no sockets.
"""

from __future__ import annotations

import json
import random
import zlib
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

PATH = "/v1/chat/completions"
MB = 1 << 20
_GZIP = zlib.MAX_WBITS | 16


class Kind(NamedTuple):
    """How a provider answers."""

    status: int = 200
    pieces: int = 24
    size: int = 60  #: of a piece
    request: int = 2_000  #: bytes of the request, about
    coding: str = ""
    breaks: bool = False  #: it hangs up in the middle of a piece
    stalls: bool = False  #: it waits in the middle until the agent has what came before


KINDS = {
    "stream": Kind(),
    "gzip": Kind(coding="gzip"),
    "limited": Kind(429, pieces=1),
    "failed": Kind(500, pieces=1),
    "breaks": Kind(breaks=True),
    "stalls": Kind(stalls=True),
    "slow": Kind(pieces=64, size=MB // 4),
    "large": Kind(pieces=64, size=MB, request=64 * MB),
}


class Ask(NamedTuple):
    """One request. `again`: it is asked once more, after a 429."""

    kind: str
    n: int
    again: bool = False
    together: int = 1  #: so many are open before any is answered

    @property
    def path(self) -> str:
        """The request's target, which says all of it."""
        return f"{PATH}?kind={self.kind}&n={self.n}&again={int(self.again)}&together={self.together}"

    @classmethod
    def of(cls, path: str) -> Ask:
        """What a path asks for."""
        words = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        return cls(words["kind"], int(words["n"]), words["again"] == "1", int(words["together"]))

    @property
    def answer(self) -> Kind:
        """How it is answered: after a 429, well."""
        return KINDS["stream"] if self.again else KINDS[self.kind]


def body(ask: Ask) -> bytes:
    """The body of a request."""
    words = _words(f"ask {ask.n}", ask.answer.request)
    return json.dumps(
        {"model": "m", "stream": True, "messages": [{"role": "user", "content": words}]}
    ).encode()


def decoded(ask: Ask) -> list[bytes]:
    """The pieces of the body that answers, as the agent reads them."""
    kind = ask.answer
    if kind.status != 200:
        return [json.dumps({"error": {"message": f"no {ask.n}", "type": "fault"}}).encode()]
    text = _words(f"answer {ask.n}", kind.size)
    return [
        b"data: %b\n\n" % json.dumps({"choices": [{"delta": {"content": f"{n} {text}"}}]}).encode()
        for n in range(kind.pieces)
    ]


def pieces(ask: Ask) -> list[bytes]:
    """The same in their coding, as they are sent."""
    if ask.answer.coding != "gzip":
        return decoded(ask)
    packer = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    packed = [packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH) for piece in decoded(ask)]
    return [*packed, packer.flush()]


def headers(ask: Ask) -> list[tuple[str, str]]:
    """Those of the answer."""
    kind = ask.answer
    what = "text/event-stream" if kind.status == 200 else "application/json"
    coding = [("content-encoding", kind.coding)] if kind.coding else []
    return [("content-type", what), *coding, *([("retry-after", "0")] if kind.status == 429 else [])]


def request(ask: Ask, host: str) -> bytes:
    """All bytes of a request in HTTP/1.1."""
    content = body(ask)
    head = f"POST {ask.path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content


def answer(ask: Ask) -> list[bytes]:
    """All bytes of an answer in HTTP/1.1: the head, each piece, the end. One that breaks off has no end."""
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers(ask))
    head = f"HTTP/1.1 {ask.answer.status} Word\r\n{fields}Transfer-Encoding: chunked\r\n\r\n".encode()
    framed = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces(ask)]
    if ask.answer.breaks:
        middle = len(framed) // 2
        return [head, *framed[:middle], framed[middle][:20]]
    return [head, *framed, b"0\r\n\r\n"]


def _words(about: str, size: int) -> str:
    return f"{about} {random.Random(about).randbytes(size // 2).hex()}"
