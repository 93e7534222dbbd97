"""A connection that is served: what the client sends waits for whoever plays the agent."""

from __future__ import annotations

import asyncio

from acp_trace.transport.served import ServedConnection
from acp_trace.transport.stream_log import NOBODY


async def _until_it_waits() -> None:
    """What can be done without another message is done."""
    for _ in range(50):
        await asyncio.sleep(0)


def test_messages_wait_at_their_requests() -> None:
    """One is in the inbox. The others are not taken yet, so their requests count them; their order stays."""

    async def run() -> None:
        connection = ServedConnection(NOBODY, in_one_stream=True)
        sending = [asyncio.ensure_future(connection.take(b"%d" % number)) for number in range(5)]
        await _until_it_waits()
        assert [each.done() for each in sending] == [True, False, False, False, False]
        connection.leave()
        received = [await connection.receive() for _ in range(6)]
        assert received == [b"0", b"1", b"2", b"3", b"4", None]
        await asyncio.gather(*sending)

    asyncio.run(asyncio.wait_for(run(), 30))


def test_nothing_waits_for_an_agent_that_has_ended() -> None:
    """Nobody receives any more: whoever sends goes on, and is dropped."""

    async def run() -> None:
        connection = ServedConnection(NOBODY, in_one_stream=True)
        sending = [asyncio.ensure_future(connection.take(b"{}")) for _ in range(3)]
        connection.leave()
        await _until_it_waits()
        connection.end()
        await asyncio.gather(*sending)

    asyncio.run(asyncio.wait_for(run(), 30))
