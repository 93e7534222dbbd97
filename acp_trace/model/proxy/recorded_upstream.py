"""The recording in the providers' place: connections end here, in memory.

Neither this module nor anything it imports can open a connection. A host that could not be reached in the
recording cannot be reached now; any other host accepts connections, so that the agent's requests are read.
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
    """See `Connections`. `tell` writes the source of the answer to an exchange, given its number."""

    def __init__(self, serve: Serve, secrets: Secrets, tell: Callable[[int, dict[str, Any]], None]) -> None:
        self._serve = serve
        self._read: asyncio.Future[tuple[Answers, Mapping[str, str]]] | None = None
        self._model = RecordedModel(self._answers, secrets, serve.pace, tell)

    async def connect(self, address: Address, *, straight: bool = False) -> RecordedProvider:
        """Return a provider of the recording. Raises Unreachable if the recording could not reach it."""
        del straight
        self.prepare()
        assert self._read is not None
        _, unreachable = await asyncio.shield(self._read)
        if (why := unreachable.get(address.host)) is not None:
            raise Unreachable(why)
        return RecordedProvider(address.host, self._model)

    def proxy(self, address: Address) -> None:
        """Return None: a replay uses no proxy."""

    async def to_proxy(self, proxy: str) -> tuple[RecordedProvider, str]:
        """Never called, because `proxy` returns None."""
        raise Unreachable(proxy)

    async def tls(self, stream: Stream, host: str, protocols: tuple[str, ...]) -> RecordedProvider:
        """Return the provider unchanged, now that the agent has named the host that it expects."""
        del protocols
        assert isinstance(stream, RecordedProvider)
        stream.host = host
        return stream

    def prepare(self) -> None:
        """Start to read the recording, while the agent starts."""
        if self._read is None:
            self._read = asyncio.ensure_future(asyncio.to_thread(_read, self._serve))

    def cancelled(self) -> None:
        """Note that the client has sent a cancel to the agent."""
        self._model.cancelled()

    async def _answers(self) -> Answers:
        self.prepare()
        assert self._read is not None
        answers, _ = await asyncio.shield(self._read)
        return answers


def _read(serve: Serve) -> tuple[Answers, Mapping[str, str]]:
    """Return a recording's answers, and the hosts that were unreachable, with reasons. Raises Unreachable."""
    try:
        return _read_recording(serve)
    except Exception as error:  # any error goes to the agent and into its trace
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
    """Return the hosts that were never reached, each with the reason."""
    reached = {exchange.host.rpartition(":")[0] or exchange.host for exchange in reader.exchanges.values()}
    notes = (note.get("connection") for _, note in reader.notes)
    failed = ((note.get("host"), note.get("failed")) for note in notes if isinstance(note, dict))
    return {
        host: why
        for host, why in failed
        if isinstance(host, str) and isinstance(why, str) and host not in reached
    }
