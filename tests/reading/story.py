"""What frames mean together: exchanges, turns, replays. Every question is asked of all frames anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reading.wire import Frame, text, whole

OPENERS = ("session/new", "session/load", "session/resume", "session/fork")
CANCELLED = -32800
#: Updates that say what a turn does.
_WORK = {
    *("user_message", "agent_message", "agent_thought"),
    *("user_message_chunk", "agent_message_chunk", "agent_thought_chunk"),
    *("tool_call", "tool_call_update", "tool_call_content_chunk", "plan", "plan_update", "plan_removed"),
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, and its response if there is one."""

    request: Frame
    response: Frame | None

    @property
    def method(self) -> str:
        return self.request.method

    @property
    def sender(self) -> str:
        return self.request.sender

    @property
    def session(self) -> str | None:
        """The session that it belongs to: named by the request, else made by its result."""
        if self.request.session is not None or self.response is None or self.method != "session/new":
            return self.request.session
        return text(self.response.result.get("sessionId"))

    @property
    def opens(self) -> str | None:
        """The session that it opened, if it is an opening that succeeded."""
        if self.sender != "client" or self.response is None or self.response.failed:
            return None
        if self.method in {"session/new", "session/fork"}:
            return text(self.response.result.get("sessionId"))
        return self.request.session if self.method in OPENERS else None

    def open_at(self, number: int) -> bool:
        """Whether it had been asked and not been answered when this frame came."""
        return self.request.number < number and (self.response is None or self.response.number > number)


@dataclass(frozen=True, slots=True)
class Turn:
    """A session/prompt of a session until it settled."""

    index: int
    session: str
    prompt: Exchange
    settled: Frame | None

    def covers(self, number: int) -> bool:
        """Whether a frame came in this turn; the one that settles it is its last."""
        return self.prompt.request.number < number and (self.settled is None or number <= self.settled.number)

    def open_at(self, number: int) -> bool:
        """Whether it had begun, and nothing had settled it before or with this frame."""
        return self.covers(number) and (self.settled is None or number < self.settled.number)

    @property
    def stop_reason(self) -> str | None:
        if self.settled is None:
            return None
        says = self.settled.update if self.settled.method else self.settled.result
        return text(says.get("stopReason"))

    @property
    def error_code(self) -> int | None:
        return None if self.settled is None else self.settled.error_code

    @property
    def cancelled(self) -> bool:
        return self.stop_reason == "cancelled" or self.error_code == CANCELLED


class Story:
    """The frames of one trace, and what can be asked about them."""

    def __init__(self, frames: list[Frame]) -> None:
        self.frames = frames
        self.exchanges = list(_pair(frames))
        self.sessions = list(dict.fromkeys(self._mentions()))
        self.turns = {one: list(self._turns(one)) for one in self.sessions}

    def version(self, number: int) -> int | None:
        """The protocol version that was negotiated when this frame came."""
        said = [
            (one.response.number, whole(one.response.result.get("protocolVersion")))
            for one in self.exchanges
            if one.method == "initialize" and one.response and one.response.number <= number
        ]
        known = [version for _, version in sorted(said, key=lambda pair: pair[0]) if version is not None]
        return known[-1] if known else None

    def answered_by(self, frame: Frame) -> Exchange | None:
        """The exchange that a response answers."""
        return next((one for one in self.exchanges if one.response is frame), None)

    def updates(self, session: str) -> list[Frame]:
        """The session/update notifications of a session."""
        return [one for one in self.frames if one.is_update and one.session == session]

    def replayed(self, session: str, number: int) -> bool:
        """Whether what opens the session with its history was open at this frame.

        That is a load, a resume that asks for history, a resume that gets work all the same while no turn is
        open, and the fork that was open when an update first named the session.
        """
        frame = next(one for one in self.frames if one.number == number)
        is_work = frame.is_update and frame.update_kind in _WORK and self.turn_at(session, number) is None
        return number in self._copied(session) or any(
            one.sender == "client"
            and one.request.session == session
            and one.open_at(number)
            and (
                one.method == "session/load"
                or (one.method == "session/resume" and (is_work or _replays(one.request)))
            )
            for one in self.exchanges
        )

    def _copied(self, session: str) -> range:
        """The frames in which the session was being forked; none if a new one may have been meant."""
        first = next(one for one in self.frames if one.session == session or self._makes(one, session))
        making = [
            one
            for one in self.exchanges
            if one.sender == "client"
            and one.method in {"session/new", "session/fork"}
            and one.open_at(first.number)
        ]
        if not (first.is_update and making) or any(one.method == "session/new" for one in making):
            return range(0)
        answer = making[0].response
        return range(making[0].request.number + 1, answer.number if answer else self.frames[-1].number + 1)

    def _makes(self, frame: Frame, session: str) -> bool:
        exchange = self.answered_by(frame)
        return exchange is not None and exchange.opens == session

    def turn_at(self, session: str, number: int) -> Turn | None:
        """The oldest turn of the session that was open at this frame."""
        return next((one for one in self.turns.get(session, ()) if one.covers(number)), None)

    def turn_index(self, session: str, frame: Frame) -> int | None:
        """The index of the turn that a frame belongs to; what is replayed belongs to none."""
        turn = self.turn_at(session, frame.number)
        replayed = frame.is_update and self.replayed(session, frame.number)
        return None if turn is None or replayed else turn.index

    def turn_of(self, exchange: Exchange) -> Turn | None:
        """The turn that a session/prompt began."""
        turns = self.turns.get(exchange.request.session or "", ())
        return next((one for one in turns if one.prompt is exchange), None)

    def _mentions(self) -> Iterator[str]:
        for frame in self.frames:
            if frame.method.startswith("session/") and frame.session is not None:
                yield frame.session
            exchange = self.answered_by(frame)
            made = exchange.opens if exchange else None
            if made is not None:
                yield made

    def _turns(self, session: str) -> Iterator[Turn]:
        prompts = [
            one
            for one in self.exchanges
            if one.method == "session/prompt" and one.sender == "client" and one.request.session == session
        ]
        for index, prompt in enumerate(prompts):
            yield Turn(index, session, prompt, self._settled(session, prompt))

    def _settled(self, session: str, prompt: Exchange) -> Frame | None:
        if self.version(prompt.request.number) != 2:
            return prompt.response
        ends = [
            one
            for one in self.updates(session)
            if one.number > prompt.request.number
            and one.update_kind == "state_update"
            and one.update.get("state") == "idle"
            and not self.replayed(session, one.number)
        ]
        if prompt.response and prompt.response.failed:
            ends.append(prompt.response)
        return min(ends, key=lambda one: one.number, default=None)


def _replays(resume: Frame) -> bool:
    asked: Any = resume.params.get("replayFrom")
    return bool(asked) and (whole(asked) != 0)


def _pair(frames: list[Frame]) -> Iterator[Exchange]:
    """Each request with the first response of the other side that is not taken by an older request."""
    taken: set[int] = set()
    for request in frames:
        if request.kind != "request":
            continue
        answer = next(
            (
                one
                for one in frames[request.number :]
                if one.kind == "response"
                and one.sender != request.sender
                and one.id == request.id
                and one.number not in taken
            ),
            None,
        )
        if answer:
            taken.add(answer.number)
        yield Exchange(request, answer)
