"""What the trace gets of the proxy's connections: their traffic, and notes about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from acp_trace.model import mistakes
from acp_trace.model.journal import Journal
from acp_trace.model.proxy.connections import Numbered
from acp_trace.model.proxy.streams import Stream, Tls
from acp_trace.model.proxy.tunnel import Heard
from acp_trace.model.records import Numbers, Record
from acp_trace.model.secrets import Secrets
from acp_trace.model.seen_traffic import is_refused
from acp_trace.model.wire.events import RequestHead, Side
from acp_trace.model.wire.tap import Tap
from acp_trace.trace.capture_layout import MODEL_HEAD
from acp_trace.trace.jsontext import text


class Traffic:
    """All connections of a proxy. `everything`: bodies of all hosts. `send` never raises."""

    def __init__(
        self, secrets: Secrets, send: Callable[[Iterable[Record]], None], *, everything: bool
    ) -> None:
        self.journal = Journal(secrets, everything=everything)
        self._secrets, self._send = secrets, send
        self._numbers = Numbers()
        self.refused = 0  #: connections on which the agent did not accept the certificate

    def tap(self, host: str, provider: Stream) -> Heard:
        """Return the function that reads a connection's traffic for the trace."""
        numbered = provider if isinstance(provider, Numbered) else None
        tap = Tap(host, self._numbers)
        is_reported = False

        def records(side: Side, data: bytes) -> Iterator[Record]:
            try:
                is_cut = side == "provider" and not data and isinstance(provider, Tls) and provider.is_cut
                for event in tap.cut(side) if is_cut else tap.feed(side, data):
                    if numbered is not None and isinstance(event, RequestHead):
                        numbered.exchange = event.exchange
                    yield from self.journal.take(event)
            except Exception as error:  # after any error, the traffic goes on
                tap.unreadable = mistakes.described(error)

        def heard(side: Side, data: bytes) -> None:
            nonlocal is_reported
            if is_reported:
                return
            self._send(records(side, data))  # in one go: all of one read has the same time
            if tap.unreadable is not None:
                is_reported = True
                self.note(host=host, unreadable=tap.unreadable)

        return heard

    def note(self, **words: Any) -> None:
        """Writes a note that does not belong to an exchange."""
        self.refused += is_refused(words)
        shown = {
            key: self._secrets.text(word) if isinstance(word, str) else word for key, word in words.items()
        }
        self._send([Record(MODEL_HEAD, 0, text({"connection": shown}))])
