"""Who is said to have ended a connection, and how long a tap may keep the others waiting."""

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


class _Saying(_Ended):
    """A provider that says something, then hangs up."""

    def __init__(self, *reads: bytes) -> None:
        super().__init__()
        self._reads = [*reads, b""]

    async def read(self) -> bytes:
        return self._reads.pop(0)


class _Hearing(_Ended):
    """An agent that never says anything."""

    got = b""

    async def read(self) -> bytes:
        await asyncio.Event().wait()
        raise AssertionError

    def send(self, data: bytes) -> None:
        self.got += data

    async def drain(self) -> None:
        """All is through."""


def test_a_read_that_stands_for_much_is_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a part took long, others have as much time after each; what is quick again is taken whole again."""
    now, sizes, turns = 0.0, list[int](), list[int]()
    first, second = bytes(range(256)) * 256, bytes(1 << 16)
    monkeypatch.setattr("acp_trace.model.proxy.tunnel.time.perf_counter", lambda: now)

    def heard(_: Side, data: bytes) -> None:
        nonlocal now
        sizes.append(len(data))
        now += 0.011 if data.startswith(bytes([0, 1])) else 0.0

    async def other() -> None:
        while True:
            turns.append(len(sizes))
            await asyncio.sleep(0)

    async def story() -> None:
        beside = asyncio.ensure_future(other())
        await pass_on(agent, _Saying(first, first, second, second), heard)
        beside.cancel()

    agent = _Hearing()
    asyncio.run(story())
    assert agent.got == first * 2 + second * 2
    assert sizes[:3] == [1 << 14, 1 << 12, 1 << 10]
    assert min(turns.count(1), turns.count(2), turns.count(3)) > 1  # more than one turn of the loop
    assert sum(sizes) == len(agent.got)
    assert sizes[-3] == 1 << 16
