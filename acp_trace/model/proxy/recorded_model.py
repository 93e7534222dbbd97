"""What all connections of a replay have in common: the answers, when each piece is due, what is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from acp_trace.model.proxy.answers import Answers, ServedAnswer, TimedPiece
from acp_trace.model.secrets import Secrets

_SECOND = 1_000_000_000


class RecordedModel:
    """A recording in the place of all models.

    `answers`: ready once the recording is read. `secrets`: requests are matched as they would be written.
    `pace`: how much of the recorded pauses is kept. `tell` writes where an answer to an exchange came from.
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

    async def paced(self, answer: ServedAnswer) -> AsyncIterator[TimedPiece]:
        """The pieces of an answer, each when it is due."""
        began = asyncio.get_running_loop().time()
        for piece in answer.pieces:
            await self.wait(began, piece.after_ns)
            yield piece

    async def wait(self, began: float, after_ns: int) -> None:
        """Waits until something is due, by the clock of the loop; lets others go on in any case."""
        late = asyncio.get_running_loop().time() - began
        await asyncio.sleep(max(after_ns / _SECOND * self._pace - late, 0))
