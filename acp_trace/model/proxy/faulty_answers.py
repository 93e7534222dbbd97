"""Answers with deliberate faults: a provider that refuses, fails, breaks off or is slow. No I/O.

Wraps the answers from a recording. A call that gets an error matches none of its calls: if the agent asks
again, it gets what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from http import HTTPStatus

from acp_trace.model.matching.shapes import ModelRequest
from acp_trace.model.proxy.answers import Answers, ServedAnswer, TimedPiece
from acp_trace.model.proxy.settings import ModelFault
from acp_trace.model.recognition import recognise
from acp_trace.model.serving.refusals import refusal, socket_refusal

#: Returns the pieces that are left of an answer, at least one.
Half = Callable[[Sequence[TimedPiece]], list[TimedPiece]]
MESSAGE = "acp-trace: a fault on purpose"
_STATUS = {"model-429": HTTPStatus.TOO_MANY_REQUESTS, "model-500": HTTPStatus.INTERNAL_SERVER_ERROR}


class FaultyAnswers(Answers):
    """See `Answers`. Counts the calls of the model, from 1."""

    faults: Sequence[ModelFault] = ()
    _asked = 0

    def answer(self, request: ModelRequest) -> ServedAnswer:
        """Return the answer to a complete request."""
        recognised = recognise(*request)
        if recognised is None:
            return super().answer(request)
        faults = self._due()
        for fault in faults:
            if (status := _STATUS.get(fault.kind)) is not None:
                refused = refusal(recognised.form.name, MESSAGE)
                return ServedAnswer({}, status, refused.headers, [TimedPiece(0, refused.body)])
        return _broken(super().answer(request), faults, half_of_bytes)

    def message(self, request: ModelRequest) -> ServedAnswer | None:
        """Return the answer to a message of a WebSocket."""
        if not self.asks(request):
            return None
        faults = self._due()
        if any(fault.kind in _STATUS for fault in faults):
            return ServedAnswer({}, HTTPStatus.OK, pieces=[TimedPiece(0, socket_refusal(MESSAGE))])
        answer = super().message(request)
        return None if answer is None else _broken(answer, faults, half_of_messages)

    def _due(self) -> list[ModelFault]:
        """Return the faults of the next call."""
        self._asked += 1
        return [fault for fault in self.faults if fault.nth in (0, self._asked)]


def _broken(answer: ServedAnswer, faults: Sequence[ModelFault], half: Half) -> ServedAnswer:
    """Return an answer that breaks off after its first half, or is slow, if a fault says so."""
    for fault in faults:
        if fault.kind == "model-slow":
            answer = replace(answer, slow_ns=fault.time_ns)
        elif fault.kind == "model-break" and answer.pieces:
            kept = half(answer.pieces)
            answer = replace(answer, pieces=kept, ending="cut", cut_ns=kept[-1].after_ns)
    return answer


def half_of_bytes(pieces: Sequence[TimedPiece]) -> list[TimedPiece]:
    """Return the first half of a body: the number of pieces in which it was recorded is chance."""
    left = sum(len(piece.data) for piece in pieces) // 2
    kept: list[TimedPiece] = []
    for piece in pieces:
        kept.append(replace(piece, data=piece.data[:left]))
        left -= len(piece.data)
        if left <= 0:
            break
    return kept


def half_of_messages(pieces: Sequence[TimedPiece]) -> list[TimedPiece]:
    """Return the first half of the messages of a WebSocket, which arrive whole; of one, half of its bytes."""
    return half_of_bytes(pieces) if len(pieces) == 1 else list(pieces[: (len(pieces) + 1) // 2])
