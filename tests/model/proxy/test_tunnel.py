"""Who is said to have ended a connection."""

from __future__ import annotations

import asyncio

import pytest

from acp_trace.model.proxy.tunnel import pass_on
from acp_trace.model.wire.events import Side


class _Ended:
    """A side that has hung up, in order or not."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self._is_broken = is_broken
        self.is_aborted = False

    async def read(self) -> bytes:
        if self._is_broken:
            raise ConnectionResetError
        return b""

    def send(self, data: bytes) -> None:
        raise AssertionError(data)

    async def drain(self) -> None:
        raise AssertionError

    async def close(self) -> None:
        """Nothing is left to close."""

    def abort(self) -> None:
        self.is_aborted = True


@pytest.mark.parametrize("is_broken", [False, True])
def test_of_two_ends_at_once_the_orderly_one_and_the_providers_counts(*, is_broken: bool) -> None:
    """An agent that hangs up with the end of a stream has not broken it off."""
    heard: list[tuple[Side, bytes]] = []
    agent, provider = _Ended(is_broken=is_broken), _Ended()
    for _ in range(8):
        asyncio.run(pass_on(agent, provider, lambda side, data: heard.append((side, data))))
    assert heard == [("provider", b""), ("agent", b"")] * 8
    assert not agent.is_aborted
