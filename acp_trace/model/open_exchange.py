"""One exchange in progress: what of it is written, and what waits until that is known. Pure.

Whether a request asks a model may show only in its body, and its response may come before the body has ended.
`journal` holds all open exchanges.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from acp_trace.model import providers
from acp_trace.model.records import Record, document, pieces
from acp_trace.model.secrets import Cutting, Secrets
from acp_trace.model.wire.events import Body, Headers, RequestHead, Side
from acp_trace.trace import codings
from acp_trace.trace.capture_layout import MODEL_RESPONSE
from acp_trace.trace.codings import Decoder, Undecodable

#: Bytes of a response that are kept until the purpose of its request is known, or whether it holds keys.
_UNDECIDED = 1 << 20
#: Digits of a Content-Length. A longer number is ignored.
_LONGEST_NUMBER = 19


class OpenExchange:
    """One exchange in progress. `is_model`: it is known to ask a model."""

    def __init__(self, head: RequestHead, secrets: Secrets, *, whole: bool) -> None:
        self.number, self.host = head.exchange, head.host
        self.sizes: dict[Side, int] = {"agent": 0, "provider": 0}
        self.done: set[Side] = set()
        self.is_socket = False
        self.wants_socket = any(
            name == "upgrade" and value.lower() == "websocket" for name, value in head.headers
        )
        self.is_model = providers.by_path(head.method, head.target) is not None
        is_written = whole or self.is_model or providers.lists_models(head.method, head.target)
        self.whole: bool | None = True if is_written else None
        if (
            head.method == "CONNECT"
        ):  # a WebSocket in HTTP/2 (RFC 8441): its frames are masked, and so are keys
            self.whole = False
        if self.whole is None and not self.wants_socket and not _may_ask(head):
            self.whole = False
        self._sent: list[bytes] = []
        self._sent_problem = ""
        self._sent_decoder = _decoder(head.headers)
        self._secrets = secrets
        self._received_decoder: Decoder | None = None
        self._received_problem = ""
        self._cutting: Cutting | None = None
        self._login: list[bytes] | None = None  #: of an answer that may bring keys, not yet known
        self._waiting: list[Record] = []
        self._waiting_size = self._received = 0

    def count(self, side: Side, size: int) -> None:
        """Count more bytes of a body, as they were on the wire."""
        self.sizes[side] += size

    def answered(self, status: int, headers: Headers) -> None:
        """Process the head of the response."""
        self._received_decoder = _decoder(headers)
        self._received_problem = codings.is_too_long(_stated_length(headers))  # then nothing of it is written
        self._cutting = Cutting(self._secrets)
        if self.whole and not self.is_model and _may_be_login(headers):
            self._login = []
        self.is_socket = self.wants_socket and status == HTTPStatus.SWITCHING_PROTOCOLS
        if self.is_socket:
            self.done.clear()  # the request has ended, and the conversation has only begun
        if not self.is_socket and self.wants_socket:
            self.decide(b"")

    def decide(self, body: bytes) -> None:
        """Decide whether the exchange is written whole, now that the request is known."""
        if self.whole is not False:
            self.is_model = self.is_model or providers.by_body(body) is not None
            self.whole = self.whole or self.is_model

    def learn(self, body: bytes) -> None:
        """Learn the secrets of a request that does not ask a model, such as a login. Call `decide` first."""
        if not self.is_model and len(body) <= _UNDECIDED:
            self._secrets.learn_body(body)

    def decided(self) -> Iterator[Record]:
        """Return what waited of the response for the decision."""
        if self.whole is not None:
            if self.whole:
                yield from self._waiting
            self._waiting = []

    def body(self, body: Body) -> Iterator[Record]:
        """Process a piece of either body: that of a request is kept until it ends."""
        self.count(body.side, len(body.data))
        if self.whole is False:
            return
        if body.side == "agent":
            self._keep(body.data)
        else:
            yield from self._receive(body.data)

    def request_body(self) -> tuple[bytes, str]:
        """Return the body of the request, decoded, or the reason why it is not written."""
        body = b"".join(self._sent)
        self._sent = []
        if not self._sent_problem:
            try:
                body = self._sent_decoder.whole(body)
            except Undecodable as error:
                self._sent_problem = str(error)
            else:
                return body, ""
        return b"", self._sent_problem

    def received_all(self) -> Iterator[Record]:
        """End the response and return what was held back of it."""
        if self.whole is False or self._cutting is None:
            return
        yield from self._write(self._of_login() + self._cutting.finish())
        words = {"omitted": self._received_problem} if self._received_problem else {"size": self._received}
        yield from self._later(document(self.number, received_end=words))

    def _keep(self, data: bytes) -> None:
        if why := codings.is_too_long(self.sizes["agent"]):
            self._sent, self._sent_problem = [], why
        elif not self._sent_problem:
            self._sent.append(data)

    def _receive(self, data: bytes) -> Iterator[Record]:
        if self._received_problem or self._received_decoder is None or self._cutting is None:
            return
        try:
            for decoded in self._received_decoder.pieces(data):
                yield from self._decoded(self._cutting, decoded)
        except Undecodable as error:
            self._received_problem = str(error)

    def _decoded(self, cutting: Cutting, data: bytes) -> Iterator[Record]:
        if self._login is not None:
            self._login.append(data)
            if sum(map(len, self._login)) <= _UNDECIDED:
                return
            data, self._login = b"".join(self._login), None
        yield from self._write(cutting.feed(data))

    def _of_login(self) -> bytes:
        """Return what was kept of an answer, now that it is whole, without its keys."""
        body, self._login = b"".join(self._login or ()), None
        self._secrets.learn_body(body)
        return self._secrets.cut(body)

    def _write(self, data: bytes) -> Iterator[Record]:
        self._received += len(data)
        for record in pieces(MODEL_RESPONSE, self.number, data):
            yield from self._later(record)

    def _later(self, record: Record) -> Iterator[Record]:
        """Return a record of the response if it is known to be written, else keep it."""
        if self.whole:
            yield record
        elif self.whole is None:
            self._waiting.append(record)
            self._waiting_size += len(record.data)
            if self._waiting_size > _UNDECIDED:
                self.whole, self._waiting = False, []


def _may_ask(head: RequestHead) -> bool:
    """Whether the body of a request is worth keeping until its end, to see what it asks for."""
    kind = dict(head.headers).get("content-type", "json")
    return head.method == "POST" and "json" in kind


def _may_be_login(headers: Headers) -> bool:
    """Whether an answer may bring keys: only if it is known in advance not to be a model's."""
    kind = dict(headers).get("content-type", "json")
    return "json" in kind or "x-www-form-urlencoded" in kind


def _decoder(headers: Headers) -> Decoder:
    return Decoder(",".join(value for name, value in headers if name == "content-encoding"))


def _stated_length(headers: Headers) -> int:
    """Return the length of a body as its head states it; 0 if it does not."""
    length = dict(headers).get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < _LONGEST_NUMBER else 0
