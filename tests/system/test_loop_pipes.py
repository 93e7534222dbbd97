"""acp_trace/system/loop_pipes: both implementations, on pipes of this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator

import pytest

from acp_trace.system.choice import VARIABLE
from acp_trace.system.loop_pipes import Outlet, PolledOutlet, ThreadedOutlet, outlet, receive

_DEADLINE_S = 60


@pytest.fixture(autouse=True, params=["", "portable"])
def choice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test runs with both implementations."""
    monkeypatch.setenv(VARIABLE, request.param)
    return str(request.param)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe: the end to read, and the end to write."""
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            pass


class _Input:
    """What came through a pipe so far, in pieces."""

    def __init__(self, fd: int) -> None:
        self.pieces: list[bytes] = []
        self._changed = asyncio.Event()
        receive(fd, asyncio.get_running_loop(), self._receive)

    def _receive(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self._changed.set()

    async def until(self, is_enough: Callable[[list[bytes]], bool]) -> bytes:
        """Wait for it; return what came."""
        async with asyncio.timeout(_DEADLINE_S):
            while not is_enough(self.pieces):
                self._changed.clear()
                await self._changed.wait()
        return b"".join(self.pieces)


def test_who_chooses(choice: str, pipe: tuple[int, int]) -> None:
    """The variable that chooses all of the portable implementations."""

    async def run() -> None:
        chosen = outlet(pipe[1], asyncio.get_running_loop())
        assert isinstance(chosen, ThreadedOutlet if choice else PolledOutlet)

    asyncio.run(run())


def test_input_comes_until_its_end(pipe: tuple[int, int]) -> None:
    """The end is an empty piece, once."""

    async def run() -> None:
        got = _Input(pipe[0])
        os.write(pipe[1], b"one")
        assert await got.until(lambda pieces: len(pieces) > 0) == b"one"
        os.write(pipe[1], b"two" * 5000)
        os.close(pipe[1])
        assert await got.until(lambda pieces: pieces[-1] == b"") == b"one" + b"two" * 5000
        assert got.pieces.count(b"") == 1

    asyncio.run(run())


def test_output_that_does_not_fit_waits(pipe: tuple[int, int]) -> None:
    """`write` returns at once; `ready` is called when the reader has made room."""
    sent = bytes(range(256)) * 40_000

    async def run() -> None:
        left = memoryview(sent)
        out = outlet(pipe[1], asyncio.get_running_loop())

        def write() -> None:
            nonlocal left
            while left and (count := out.write(left)):
                left = left[count:]
            out.when_writable(write if left else None)

        write()
        assert left
        got = _Input(pipe[0])
        assert await got.until(lambda pieces: sum(map(len, pieces)) == len(sent)) == sent
        os.close(pipe[1])
        await got.until(lambda pieces: pieces[-1] == b"")

    asyncio.run(run())


def test_output_at_the_end_waits_for_its_reader(pipe: tuple[int, int]) -> None:
    """After `wait`, no byte is left behind."""
    sent = b"0123456789" * 100_000
    received = bytearray()

    def read() -> None:
        while piece := os.read(pipe[0], 1 << 16):
            received.extend(piece)

    async def run() -> None:
        left = memoryview(sent)
        out = outlet(pipe[1], asyncio.get_running_loop())
        left = left[out.write(left) :]
        reading = asyncio.get_running_loop().run_in_executor(None, read)
        out.wait()
        while left:
            left = left[out.write(left) :]
        os.close(pipe[1])
        await reading

    asyncio.run(run())
    assert received == sent


def test_a_reader_that_is_gone(pipe: tuple[int, int]) -> None:
    """Is an error of a later write at the latest."""

    async def write(out: Outlet) -> None:
        async with asyncio.timeout(_DEADLINE_S):
            while True:
                out.write(memoryview(b"x"))
                await asyncio.sleep(0)

    async def run() -> None:
        out = outlet(pipe[1], asyncio.get_running_loop())
        os.close(pipe[0])
        with pytest.raises(BrokenPipeError):
            await write(out)

    asyncio.run(run())
