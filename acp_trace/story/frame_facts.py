"""The facts of a message: its prompt, tool call, permission, cancel, or the turn that it ends. Pure.

Facts name a frame by its number. A batch is one frame with several messages (`unbatched`), and each fact is
about one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from acp_trace.analyze import facts
from acp_trace.analyze.batches import BatchPlace
from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import params_in, update_in

_CANCELS = (methods.CANCEL, *methods.CANCEL_REQUESTS)


class _OfSession(Protocol):
    @property
    def session_id(self) -> str | None: ...


_Fact = TypeVar("_Fact", bound=_OfSession)


class FrameFacts:
    """The facts of a trace by their frames, which come in order. Each fact is returned once."""

    def __init__(self, of: facts.Facts) -> None:
        self._version = of.trace.protocol_version
        self._prompts = {turn.frame for turn in of.turns}
        self._cancels = _by_frame((one.frame, one) for one in of.cancellations if one.kind != "internal")
        self._ends = _by_frame((turn.settled_frame, turn) for turn in of.turns)
        self._calls = _by_frame((call.frame, call) for call in of.tool_calls)
        self._permissions = _by_frame((asked.frame, asked) for asked in of.permissions)

    def begins_turn(self, frame: Frame) -> bool:
        """Whether it is the prompt of a turn."""
        return int(frame.frame) in self._prompts and frame.method == methods.PROMPT and frame.answers is None

    def cancels(self, frame: Frame) -> list[facts.Cancellation]:
        """Return what it cancels: one row for each request, or one without a target."""
        if frame.method not in _CANCELS:
            return []
        return self._cancels.pop(int(frame.frame), [])

    def permission(self, frame: Frame) -> facts.Permission | None:
        """Return the permission that it asks for."""
        if (
            asked := self._permissions.get(int(frame.frame))
        ) is None or frame.kind is not MessageKind.REQUEST:
            return None
        call = params_in(frame.data).asked_about.tool_call_id if _is_one_of_many(frame) else None
        return _take(asked, frame, lambda one: call in (None, one.tool_call_id))

    def tool_call(self, frame: Frame) -> facts.ToolCall | None:
        """Return the tool call that begins with it."""
        if (begun := self._calls.get(int(frame.frame))) is None:
            return None
        call = updates.call_id(frame.data) if _is_one_of_many(frame) else None
        return _take(begun, frame, lambda one: call in (None, one.id))

    def ended(self, frame: Frame) -> Iterator[facts.Turn]:
        """Yield the turns of its session that end with it."""
        for turn in self._ends.get(int(frame.frame), ()):
            if turn.session_id == frame.session_id and self._ends_turn(frame, turn):
                yield turn

    def _ends_turn(self, frame: Frame, turn: facts.Turn) -> bool:
        if not _is_one_of_many(frame):
            return True
        if frame.answers == turn.frame:  # draft 2 answers a prompt before its turn ends
            return self._version != 2 or turn.error_code is not None
        return frame.update == updates.STATE and update_in(frame.data).state == "idle"


def _is_one_of_many(frame: Frame) -> bool:
    return isinstance(frame.frame, BatchPlace)


def _take(rows: list[_Fact], frame: Frame, is_meant: Callable[[_Fact], bool]) -> _Fact | None:
    """Return the first of these facts that matches, and remove it; the next message gets another one."""
    for at, fact in enumerate(rows):
        if fact.session_id == frame.session_id and is_meant(fact):
            return rows.pop(at)
    return None


def _by_frame(pairs: Iterable[tuple[int | None, _Fact]]) -> dict[int, list[_Fact]]:
    table: dict[int, list[_Fact]] = {}
    for frame, fact in pairs:
        if frame is not None:
            table.setdefault(frame, []).append(fact)
    return table
