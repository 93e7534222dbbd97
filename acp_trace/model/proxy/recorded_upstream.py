"""The recording in the providers' place: what is connected to ends here, in memory.

Nothing here, nor in what this imports, can open a connection. Hosts that could not be reached when it was
recorded cannot be reached now; any other one is there, so that it can be read what an agent asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from acp_trace.model.calls import model_calls
from acp_trace.model.exchange import ModelExchanges
from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.proxy.answers import Answers
from acp_trace.model.proxy.connections import Unreachable
from acp_trace.model.proxy.faulty_answers import FaultyAnswers
from acp_trace.model.proxy.recorded_model import RecordedModel
from acp_trace.model.proxy.recorded_provider import RecordedProvider
from acp_trace.model.proxy.settings import Address, Serve
from acp_trace.model.proxy.streams import Stream
from acp_trace.model.secrets import Secrets
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.trace.files import TraceFile, open_trace


class RecordedUpstream:
    """See `Connections`. `tell` writes what an exchange, by its number, was answered from."""

    def __init__(self, serve: Serve, secrets: Secrets, tell: Callable[[int, dict[str, Any]], None]) -> None:
        self._serve = serve
        self._read: asyncio.Future[tuple[Answers, Mapping[str, str]]] | None = None
        self._model = RecordedModel(self._answers, secrets, serve.pace, tell)

    async def connect(self, address: Address, *, straight: bool = False) -> RecordedProvider:
        """A provider of the recording; it is always there. Raises Unreachable if it was not."""
        del straight
        self.prepare()
        assert self._read is not None
        _, unreachable = await asyncio.shield(self._read)
        if (why := unreachable.get(address.host)) is not None:
            raise Unreachable(why)
        return RecordedProvider(address.host, self._model)

    def proxy(self, address: Address) -> None:
        """There is none."""

    async def to_proxy(self, proxy: str) -> tuple[RecordedProvider, str]:
        """Never asked for: there is none."""
        raise Unreachable(proxy)

    async def tls(self, stream: Stream, host: str, protocols: tuple[str, ...]) -> RecordedProvider:
        """The provider as it is, now that the agent has said whom it takes it for."""
        del protocols
        assert isinstance(stream, RecordedProvider)
        stream.host = host
        return stream

    def prepare(self) -> None:
        """Begins to read the recording, while the agent starts."""
        if self._read is None:
            self._read = asyncio.ensure_future(asyncio.to_thread(_read, self._serve))

    def cancelled(self) -> None:
        """The client has sent a cancel to the agent."""
        self._model.cancelled()

    async def _answers(self) -> Answers:
        self.prepare()
        assert self._read is not None
        answers, _ = await asyncio.shield(self._read)
        return answers


def _read(serve: Serve) -> tuple[Answers, Mapping[str, str]]:
    """The answers of a recording, and the hosts that could not be reached, with why. Raises Unreachable."""
    try:
        return _read_recording(serve)
    except Exception as error:  # whatever it is: the agent hears it, and its trace says it
        raise Unreachable(f"the recording cannot be read: {error}") from None


def _read_recording(serve: Serve) -> tuple[Answers, Mapping[str, str]]:
    reader = ModelExchanges()
    name, lines = open_trace(serve.recording)
    with lines:
        for entry in TraceFile(lines, name).entries():
            reader.feed(entry)
    exchanges = list(reader.exchanges.values())
    calls = model_calls(exchanges)
    matcher = Matcher(calls, MovedPlaces.of(serve.places), loose=serve.loose)
    cancels = {cancel.call: cancel for cancel in serve.cancels}
    answers = FaultyAnswers(exchanges, calls, matcher, cancels)
    answers.faults = serve.faults
    return answers, _unreachable(reader)


def _unreachable(reader: ModelExchanges) -> dict[str, str]:
    """The hosts that were never reached."""
    reached = {exchange.host.rpartition(":")[0] or exchange.host for exchange in reader.exchanges.values()}
    notes = (note.get("connection") for _, note in reader.notes)
    failed = ((note.get("host"), note.get("failed")) for note in notes if isinstance(note, dict))
    return {
        host: why
        for host, why in failed
        if isinstance(host, str) and isinstance(why, str) and host not in reached
    }
