"""What all connections of a replay share: the answers, when each piece is due, what is written."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from acp_trace.model.proxy.answers import Answers, ServedAnswer, TimedPiece
from acp_trace.model.secrets import Secrets

_SECOND = 1_000_000_000
#: Seconds to wait for a cancel before what came after it is sent: the run may have no such cancel.
_PATIENCE_S = 10.0
#: The pause after a cancel, in ns: as recorded, but long enough for the agent to read the cancel, and short
#: enough that nothing waits. After a longer pause a call outlives its cancel, which is a finding.
_LEAST_NS, _MOST_NS = 50_000_000, 500_000_000
#: The agent never sees what it has not read when its connection is cut off, so it gets this much time first.
#: Pieces that came within this time before the cut, in ns, are sent with the cut.
_BEFORE_CUT_S = 1.0
_WITH_CUT_NS = 20_000_000


class RecordedModel:
    """A recording in the place of all models.

    `answers`: ready once the recording is read. `secrets`: requests are matched as they would be written.
    `pace`: the share of the recorded pauses to keep. `tell` writes where an answer to an exchange came from.
    """

    def __init__(
        self,
        answers: Callable[[], Awaitable[Answers]],
        secrets: Secrets,
        pace: float,
        tell: Callable[[int, dict[str, Any]], None],
    ) -> None:
        self.answers, self.secrets, self.tell = answers, secrets, tell
        self._pace = pace
        self._cancels = 0
        self._next_cancel = asyncio.Event()

    def cancelled(self) -> None:
        """Note that the client has sent a cancel to the agent."""
        self._cancels += 1
        self._next_cancel.set()
        self._next_cancel = asyncio.Event()

    async def paced(self, answer: ServedAnswer, began: float) -> AsyncIterator[TimedPiece]:
        """Yield the pieces of an answer, each when it is due: what came after a cancel comes after it again.

        `began`: when its request was complete, by the clock of the loop.
        """
        cancels = 0
        last_taken = None if answer.cut_ns is None else answer.cut_ns - _WITH_CUT_NS
        for piece in answer.pieces:
            await self.wait(began, piece.after_ns)
            if answer.slow_ns:
                await asyncio.sleep(answer.slow_ns / _SECOND)
            if last_taken is not None and piece.after_ns > last_taken:
                last_taken = None
                await asyncio.sleep(_BEFORE_CUT_S)
            if piece.cancels > cancels:
                cancels = piece.cancels
                await self._wait_for_cancel(piece)
            yield piece
        if last_taken is not None:
            await asyncio.sleep(_BEFORE_CUT_S)

    async def wait(self, began: float, after_ns: int) -> None:
        """Wait until something is due, by the clock of the loop; other tasks run in any case."""
        late = asyncio.get_running_loop().time() - began
        await asyncio.sleep(max(after_ns / _SECOND * self._pace - late, 0))

    async def _wait_for_cancel(self, piece: TimedPiece) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                while self._cancels < piece.cancels:
                    await self._next_cancel.wait()
                await asyncio.sleep(min(max(piece.since_cancel_ns, _LEAST_NS), _MOST_NS) / _SECOND)
