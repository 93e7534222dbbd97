"""A client that sends what is written, and answers requests: lines and the time in, lines out. No I/O.

`initialize`, then step after step, each when the previous one is answered and the agent has been quiet for a
moment: so the agent's messages between two turns stay between them. A step with `after` is sent in the middle
of a turn. `answers` answers the agent's own requests. `drive.player` plays this client like a recorded side.

A `strict` client fails if a conversation differs from its script: a recording of something else would be
tested ever after. Other clients continue, and report the outcome of each step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.payloads import ResultView
from acp_trace.replay.conversation.engine import Later, Serve
from acp_trace.replay.timeouts import (
    CANCELLED_MOST_NS,
    FLOOD_BYTES,
    LONGEST_TIMES,
    QUIET_MOST_NS,
    TERMINAL_LOOK_NS,
    WRITTEN_QUIET_MOST_NS,
)
from acp_trace.replay.written.answers import WrittenAnswers, line
from acp_trace.replay.written.own_requests import OwnRequest, OwnRequests
from acp_trace.replay.written.profiles import PROFILES, VERSION, introduction
from acp_trace.replay.written.sessions import WrittenSessions
from acp_trace.replay.written.steps import VERBS, After, WrittenConversation, WrittenStep
from acp_trace.trace import jsontext

#: The outcome of a step: it was sent and, if it has an answer, answered well; answered with an error; not
#: sent; or not answered.
Status = Literal["done", "refused", "skipped", "unanswered"]


class StepOutcome(NamedTuple):
    """The outcome of a step. `why`: the reason if not done, in a line that may have the agent's words."""

    step: WrittenStep
    status: Status
    why: str = ""


class WrittenClient:
    """One written conversation with one agent. `directory`: of its sessions.

    `serve`: what answers requests for files and terminals, by method. `timeout_ns`: the longest silence of
    the agent while a request is open; the request may take ten times as long.
    """

    def __init__(
        self,
        written: WrittenConversation,
        directory: str,
        serve: Mapping[str, Serve],
        timeout_ns: int,
        *,
        strict: bool = True,
    ) -> None:
        self.failure: str | None = None  #: why it cannot be recorded
        self.stops: list[str] = []  #: how the turns ended: `end_turn`
        self.outcomes: list[StepOutcome] = []  #: of the steps that were begun, in order
        self.gone = False  #: the agent closed its output
        self.closed = False
        self.is_drowned = False
        self._written, self._serve, self._timeout_ns = written, serve, timeout_ns
        self._strict = strict
        self._answers = WrittenAnswers(written, strict=strict)
        self._steps = deque(written.steps)
        if not (self._steps and self._steps[0].method == methods.INITIALIZE):
            self._steps.appendleft(
                WrittenStep("request", methods.INITIALIZE, {"params": introduction(written)})
            )
            self._is_ours = True  #: the first request
        else:
            self._is_ours = False
        self._sessions = WrittenSessions(written.steps, directory)
        self._open = OwnRequests()
        self._profile = None if written.profile is None else PROFILES[written.profile]
        self._number = -1  #: of the last request, from 0
        self._prompts = 0  #: that were sent
        self._later: list[tuple[Any, Later]] = []
        self._held: deque[tuple[int, Message]] = deque()  #: requests of the agent, and when to answer each
        self._looked = self._paused_until = 0
        self._heard = self._asked_at = self._answered_at = 0
        self._bytes = 0  #: since its last message

    def begin(self, now: int) -> None:
        """Begin the conversation."""
        self._heard = self._answered_at = (
            now - WRITTEN_QUIET_MOST_NS
        )  # nothing is awaited before the first message

    @property
    def sessions(self) -> Mapping[str, str]:
        """The ids of the sessions that were opened, by their names."""
        return self._sessions.ids

    @property
    def notes(self) -> list[str]:
        """What the agent requested in vain, one line each."""
        return self._answers.notes

    # -- what comes

    def receive(self, text: bytes, now: int) -> list[bytes]:
        """Process a line of the agent; return what to send at once."""
        self._heard = now
        self._bytes += len(text)
        message = read(text)
        if message.kind is MessageKind.RESPONSE:
            if (answered := self._open.answered(message.id)) is not None:
                self._on_answer(answered, message, now)
        elif message.kind is MessageKind.REQUEST:
            return self._on_request(message, now)
        elif message.method == methods.UPDATE:
            if (turn := self._open.turn(message.session_id)) is not None:
                turn.hear(message)
            return [*self._in_the_middle(now)]
        return []

    def on_closed(self) -> None:
        """Note that the agent closed its output: nothing more comes."""
        self.gone = True

    def give_up(self, id_: str | None, now: int) -> None:
        """See `PlayedSide`: a strict conversation without an answer cannot be recorded."""
        for open_ in [id_] if id_ is not None else self._open.ids:
            if (request := self._open.answered(open_)) is not None:
                self._answered_at = now
                self._refused(request, "its answer was given up")

    def _on_answer(self, request: OwnRequest, message: Message, now: int) -> None:
        self._answered_at = now
        if message.is_error:
            error = message.part("error")
            reason = (
                f"{error.get('message')} ({error.get('code')})" if error else "an error without a message"
            )
            self._refused(request, reason)
            return
        self.outcomes[request.at] = StepOutcome(request.step, "done")
        result = message.part("result")
        if request.step.method == methods.INITIALIZE and self._is_ours:
            if (version := result.get("protocolVersion")) != VERSION:
                self._fail(f"the agent speaks protocol {jsontext.short(version)}, not {VERSION}")
        elif VERBS[request.step.verb].opens:
            self._on_opened(request, ResultView(result).session_id)
        elif request.is_prompt:
            self.stops.append(str(result.get("stopReason")))
            self._answers.end_turn(request.session)
            if self._strict and self._is_next_for(request) and (after := self._steps[0].after) is not None:
                self._fail(_ended(request, after))

    def _refused(self, request: OwnRequest, why: str) -> None:
        self.outcomes[request.at] = StepOutcome(request.step, "refused", why)
        self._answers.end_turn(request.session)
        if self._strict or (self._is_ours and request.step.method == methods.INITIALIZE):
            self._fail(f"the agent refused {request.what}: {why}")

    def _on_opened(self, request: OwnRequest, session: str | None) -> None:
        if methods.OPENERS[request.step.method] != "result":
            session = request.session
        if not session:
            what = f"the agent's answer to {request.step.method} has no sessionId"
            self.outcomes[request.at] = StepOutcome(request.step, "refused", what)
            if self._strict:
                self._fail(what)
            return
        self._sessions.open(request.step, session)

    def _on_request(self, message: Message, now: int) -> list[bytes]:
        if (turn := self._open.turn(message.session_id)) is not None:
            turn.hear(message)
        first = [*self._in_the_middle(now)]
        takes = 0 if self._profile is None else self._profile.answers_ns.get(message.method or "", 0)
        if takes:
            self._held.append((now + takes, message))
            return first
        return [*first, *self._answered(message)]

    def _answered(self, message: Message) -> list[bytes]:
        """Return the answer to a request of the agent, as things are now; empty if it comes later."""
        method, id_ = message.method or "", jsontext.value_or_none((message.id or "null").encode())
        turn = self._open.turn(message.session_id)
        served = self._answers.of(
            method,
            message.part("params"),
            self._serve.get(method),
            cancelled=turn is not None and turn.cancelled_ns is not None,
        )
        if self._answers.failure is not None:
            self._fail(self._answers.failure)
        if callable(served):
            self._later.append((id_, served))
            return []
        return [line(id=id_, **served)]

    def _fail(self, why: str) -> None:
        self.failure = self.failure or why
        self.closed = True

    # -- what goes out

    def due(self, now: int) -> Iterator[bytes]:
        """Yield the lines to send now, each with its newline."""
        while self._held and self._held[0][0] <= now:
            yield from self._answered(self._held.popleft()[1])
        yield from self._served_later(now)
        while not self.closed:
            yield from self._in_the_middle(now)
            if not self._is_free(now):
                return
            if not self._steps:
                self.closed = not self._open
                return
            yield from self._carry_out(self._steps.popleft(), now)

    def _is_free(self, now: int) -> bool:
        """Whether the next step, or the end, is due: all requests are answered, and the agent is quiet."""
        if self._steps and self._steps[0].after is not None and self._turn_of(self._steps[0]) is not None:
            return False
        return not (self._open.is_waited_for or self._held) and now >= self._next_at

    def _in_the_middle(self, now: int) -> Iterator[bytes]:
        """Yield the steps that are due because a turn has progressed as far as they require."""
        while self._steps and not self.closed and (after := self._steps[0].after) is not None:
            turn = self._turn_of(self._steps[0])
            if turn is None or not turn.is_as_far(after, now):
                return
            yield from self._carry_out(self._steps.popleft(), now)

    def _carry_out(self, step: WrittenStep, now: int) -> Iterator[bytes]:
        """Send a step, or note why it is not sent."""
        at = len(self.outcomes)
        self.outcomes.append(StepOutcome(step, "done"))
        if step.verb == "disconnect":
            self.closed = True
        elif step.verb == "pause":
            self._paused_until = now + step.value
        elif step.verb == "send":
            yield self._said(str(step.value).encode("utf-8", "surrogatepass") + b"\n", now)
        elif step.verb == "notify":
            yield self._said(line(method=step.value, params=self._sessions.params(step)), now)
        elif step.verb == "cancel":
            yield from self._cancel(step, at, now)
        elif (why := self._sessions.lacks(step)) is not None:
            self.outcomes[at] = StepOutcome(step, "skipped", why)
        else:
            yield self._ask(step, at, now)

    def _ask(self, step: WrittenStep, at: int, now: int) -> bytes:
        self._number += 1
        self._asked_at = now
        self._prompts += step.verb == "prompt"
        session = self._sessions.of(step) or ""
        request = OwnRequest(step, at, session, self._prompts, now)
        id_ = self._id(self._number)
        key = jsontext.string(id_)  # as `Message.id` has it
        self._open.add(key, request)
        self.outcomes[at] = StepOutcome(step, "unanswered")
        if request.is_prompt:
            self._answers.begin_turn(session, step.beside.get("permission"))
        return self._said(line(id=id_, method=step.method, params=self._sessions.params(step)), now)

    def _id(self, number: int) -> int | str:
        if self._profile is not None:
            return self._profile.id(number)
        return f"acp-trace-{number}" if self._written.mixed_ids and number % 2 else number

    def _said(self, text: bytes, now: int) -> bytes:
        self._heard, self._bytes = now, 0
        return text

    def _cancel(self, step: WrittenStep, at: int, now: int) -> Iterator[bytes]:
        turn = self._turn_of(step)
        if turn is None:
            self.outcomes[at] = StepOutcome(step, "skipped", "no turn was open")
            return
        turn.cancelled_ns = now
        if step.beside.get("by") == "request":
            id_ = jsontext.value_or_none(self._open.id_of(turn).encode())
            yield self._said(line(method=methods.CANCEL_REQUEST, params={"requestId": id_}), now)
        else:
            yield self._said(line(method=methods.CANCEL, params={"sessionId": turn.session}), now)

    def _served_later(self, now: int) -> Iterator[bytes]:
        self._looked = now
        results = [(id_, later, later()) for id_, later in self._later]
        self._later = [(id_, later) for id_, later, result in results if result is None]
        if len(results) > len(self._later):
            self._heard = now  # only now can the agent continue
        for id_, _, result in results:
            if result is not None:
                yield line(id=id_, result=result)

    # -- turns

    def _turn_of(self, step: WrittenStep) -> OwnRequest | None:
        """Return the newest open prompt that a step in the middle of a turn refers to."""
        named = None if step.session is None else self._sessions.ids.get(step.session)
        return self._open.turn(named, of_any=step.session is None)

    def _is_next_for(self, request: OwnRequest) -> bool:
        """Whether the next step was to cancel this turn in its middle."""
        if not self._steps or self._steps[0].verb != "cancel" or self._steps[0].after is None:
            return False
        named = self._steps[0].session
        return request.cancelled_ns is None and (
            named is None or self._sessions.ids.get(named) == request.session
        )

    # -- how far it is

    @property
    def _next_at(self) -> int:
        """Return when the next step is sent: after this client's own pause, or when the agent is quiet."""
        step = self._steps[0] if self._steps else None
        pause = None
        if self._profile is not None and step is not None and not (step.verb == "prompt" and self._prompts):
            pause = self._profile.pauses_ns.get(step.method)
        return max(self._quiet_at if pause is None else self._answered_at + pause, self._paused_until)

    @property
    def _quiet_at(self) -> int:
        """Return when nothing has come for a moment, or the wait for that becomes too long."""
        return min(self._heard + QUIET_MOST_NS, self._answered_at + WRITTEN_QUIET_MOST_NS)

    def wake(self) -> int | None:
        """Return when to ask for due lines without input, in ns; None if only a line changes anything."""
        if self.closed:
            return None
        times: list[int] = [self._looked + TERMINAL_LOOK_NS] if self._later else []
        times += [at for at, _ in [*self._held][:1]]
        after = self._steps[0].after if self._steps else None
        if after is not None and (turn := self._turn_of(self._steps[0])) is not None:
            times += [] if after.ns is None else [turn.asked_ns + after.ns]
        elif not self._open.is_waited_for and (self._steps or not self._open):
            times.append(self._next_at)
        return min(times, default=None)

    @property
    def deadline(self) -> int | None:
        """Return when it has waited too long, in ns. A terminal command's time counts as the turn's."""
        if not self._open:
            return None
        whole = self._asked_at + LONGEST_TIMES * self._timeout_ns
        if not self._strict:
            left = min(self._timeout_ns, CANCELLED_MOST_NS)
            cancels = [each.cancelled_ns for each in self._open if each.cancelled_ns is not None]
            whole = min([whole, *(at + left for at in cancels)])
        return whole if self._later else min(whole, self._heard + self._timeout_ns)

    @property
    def is_flooded(self) -> bool:
        """Whether far more came since the client's last message than any turn explains."""
        return self._bytes > FLOOD_BYTES

    @property
    def is_answered(self) -> bool:
        """Whether every step was sent and answered."""
        return not self._steps and not self._open

    def waits(self) -> str:
        """Return what it waits for, in words: `the answer to prompt 2`."""
        request = self._open.newest
        return "the end" if request is None else f"the answer to {request.what}"


def _ended(request: OwnRequest, after: After) -> str:
    """Return that a turn was over before the step that was to cancel it."""
    if after.updates is None:
        return f"{request.what} ended before it could be cancelled (after {after})"
    return (
        f"{request.what} ended after {request.updates} text chunks, tool calls and tool-call updates, "
        f"before it could be cancelled (cancel_after = {after.updates})"
    )
