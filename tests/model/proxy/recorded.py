"""A recording made by hand, and a proxy that answers from it: nothing behind it is connected to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import h11

from acp_trace.model.exchange import ModelExchanges
from acp_trace.model.proxy import settings
from acp_trace.model.proxy.admission import Admission
from acp_trace.model.proxy.listener import Proxy
from acp_trace.model.proxy.recorded_upstream import RecordedUpstream
from acp_trace.model.proxy.settings import CancelledCall, ProxySettings, Serve
from acp_trace.model.proxy.streams import Stream
from acp_trace.model.proxy.traffic import Traffic
from acp_trace.model.records import Record
from acp_trace.model.secrets import Secrets
from acp_trace.model.wire.events import Body, BodyEnd, Broken, Event, RequestHead, ResponseHead, Side
from acp_trace.trace.capture_layout import MODEL_HEAD
from acp_trace.trace.jsontext import text
from tests.model.proxy.stage import Stage
from tests.model.writing import file, read, written

HOST = "api.model.example"
_JSON = (("content-type", "application/json"),)


class Recorded:
    """Exchanges with a host, in their order; then what a proxy is to answer from."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.notes: list[dict[str, Any]] = []
        self._numbers = count(1)

    def add(
        self,
        body: bytes = b"",
        *pieces: bytes,
        path: str = "/v1/messages",
        host: str = HOST,
        method: str = "POST",
        status: int | None = 200,
        headers: Iterable[tuple[str, str]] = (),
        asked: Iterable[tuple[str, str]] = _JSON,
        broken: Side | None = None,
        why: str = "",
        is_http_1_0: bool = False,
    ) -> int:
        """An exchange, and its number. `broken`: who broke it off after the last piece; `why` it is unread."""
        number = next(self._numbers)
        head = RequestHead(number, method, path, host, tuple(asked), "http/1.1")
        self.events += [head, Body(number, "agent", body), BodyEnd(number, "agent")]
        if status is not None:
            self.events.append(ResponseHead(number, status, tuple(headers), is_http_1_0))
        self.events += [Body(number, "provider", piece) for piece in pieces]
        self.events.append(BodyEnd(number, "provider") if broken is None else Broken(number, broken, why))
        return number

    def lines(self) -> bytes:
        """Its file."""
        notes = [Record(MODEL_HEAD, 0, text(note)) for note in self.notes]
        return file([*notes, *written(self.events)])

    def read(self) -> ModelExchanges:
        """What a reader of it sees."""
        return read(self.lines())

    def write(self, path: Path) -> str:
        """Writes it, and gives its name."""
        path.write_bytes(self.lines())
        return str(path)


class Replaying(Stage):
    """A stage on which the provider is a recording."""

    def __init__(self, path: Path, recorded: Recorded) -> None:
        super().__init__(path)
        self._recording = recorded.write(path / "recording.jsonl")
        self.recorded: RecordedUpstream

    @contextlib.asynccontextmanager
    async def serving(
        self,
        *,
        pace: float = 0.0,
        loose: bool = True,
        base: str | None = None,
        cancels: tuple[CancelledCall, ...] = (),
        places: tuple[tuple[str, str], ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> AsyncIterator[None]:
        """While this goes on, agents are answered: through a proxy, or in place of a base URL."""
        serve = Serve(self._recording, places, loose, pace, cancels)
        secrets = Secrets(environment or {})

        def tell(number: int, served: dict[str, Any]) -> None:
            self.records.append(Record(MODEL_HEAD, number, text({"served": served})))

        self.recorded = RecordedUpstream(serve, secrets, tell)
        self.admission = Admission()
        self.traffic = Traffic(secrets, self.records.extend, everything=False)
        self.proxy = Proxy(ProxySettings(0), self.authority, self.recorded, self.traffic, self.admission)
        serve_agent = (
            self.proxy.serve if base is None else self.proxy.serve_base(settings.base(base), self.admission)
        )
        listener = await asyncio.start_server(serve_agent, "127.0.0.1", 0, backlog=1024)
        self.proxy_port = listener.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            for stream in self._streams:
                stream.abort()
            listener.close()
            if others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others, timeout=30)

    async def agent(self, host: str = HOST) -> Agent:
        """An agent's connection to a host."""
        return Agent(await self.secure("h2", "http/1.1", host=host), host)

    def served(self) -> list[dict[str, Any] | None]:
        """What the run's trace says of each exchange, in their order."""
        return [
            None
            if each.served is None
            else {
                name: value for name in each.served.__struct_fields__ if (value := getattr(each.served, name))
            }
            for each in self.seen().exchanges.values()
        ]


class Agent:
    """Speaks HTTP/1.1 as a client."""

    def __init__(self, stream: Stream, host: str) -> None:
        self.stream = stream
        self._host = host
        self.http = h11.Connection(h11.CLIENT)

    def send(self, *events: Any) -> None:
        """Says so."""
        for event in events:
            self.stream.send(self.http.send(event) or b"")

    def ask(
        self,
        body: bytes = b"",
        path: str = "/v1/messages",
        method: str = "POST",
        headers: Sequence[tuple[str, str]] = _JSON,
    ) -> None:
        """A whole request."""
        length = ("content-length", str(len(body)))
        head = h11.Request(method=method, target=path, headers=[("host", self._host), length, *headers])
        self.send(head, *([h11.Data(data=body)] if body else []), h11.EndOfMessage())

    async def next(self) -> Any:
        """What comes next."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.stream.read())
        return event

    async def answer(self) -> tuple[h11.Response, bytes]:
        """A whole response; then another request may be sent."""
        head = await self.next()
        assert isinstance(head, h11.Response), head
        body = b""
        while isinstance(event := await self.next(), h11.Data):
            body += bytes(event.data)
        assert isinstance(event, h11.EndOfMessage), event
        if self.http.our_state is h11.DONE:
            self.http.start_next_cycle()
        return head, body
