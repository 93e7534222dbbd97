"""The engine: the time and the peer's lines go in, the player's lines come out. Does no I/O.

The driver passes in each line as it comes (`receive`), asks after each for what is due (`due`), and asks when
to look again although nothing came (`wake`). All times are ns of one clock. The engine never raises, for any
input, and never waits; `waits` describes what it is waiting for. The `scheduler` decides when a step is due,
`inbound_requests` which recorded request an inbound one matches, `rewriting` inserts the run's ids: this
module connects them (docs/architecture.md, The path of a request in a replay).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_trace.compare.pairing.request_keys import POLLS
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.replay.conversation.explain import too_short, waiting, waits
from acp_trace.replay.conversation.inbound_notifications import Notifications
from acp_trace.replay.conversation.inbound_requests import Match, RecordedRequests
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.conversation.scheduler import Decision, Scheduler, StepState
from acp_trace.replay.conversation.sender import MessageSender
from acp_trace.replay.declared import Unmatched
from acp_trace.replay.incidents import Incident, late, not_written, stalled, unused
from acp_trace.replay.plan.recording import RecordedMessage
from acp_trace.replay.plan.steps import Plan, Stall, Step
from acp_trace.replay.timeouts import TERMINAL_LOOK_NS
from acp_trace.trace import jsontext

#: The result of a request that takes time; None until it is available.
Later = Callable[[], dict[str, Any] | None]
#: Serves a request from another source than the recording: its result, or None if not available.
Serve = Callable[[str, dict[str, Any]], dict[str, Any] | Later | None]
#: Writes the file that a request names, as the recorded client did; returns why it failed, or None.
Write = Callable[[dict[str, Any]], str | None]

_METHOD_NOT_FOUND, _INVALID_PARAMS, _INTERNAL_ERROR = -32601, -32602, -32603


@dataclass(slots=True)
class Options:
    """How to play. `pace`: the share of the recorded pauses to keep, 0 for none."""

    pace: float = 0.0
    unmatched: Unmatched = "fail"
    serve: Mapping[str, Serve] = field(default_factory=dict)  #: by method
    write: Write | None = None  #: if files are to be written


class Conversation:
    """One side of a plan, played.

    For each line, call `receive` and send what it returns, then send what is due:

        for line in lines:
            send(conversation.receive(line, now()))
            send(conversation.due(now()))
    """

    def __init__(self, plan: Plan, rewriter: Rewriter, patience: Patience, options: Options) -> None:
        self.plan = plan
        self.peer = PeerState(plan, patience.most)
        self.incidents: list[Incident] = []
        self.gone = False  #: the peer closed its output
        self.patience = patience
        self.sent = 0  #: number of steps sent
        self._options = options
        self._peer_side = plan.peer
        self._later: list[tuple[Any, Later]] = []  #: results that take time, by the id of their request
        self._looked = 0  #: when those were last checked
        self._rewriter = rewriter
        self._scheduler = Scheduler(plan, self.peer, patience, options.pace)
        self._sender = MessageSender(plan, self.peer, rewriter)
        self._requests = RecordedRequests(plan)
        self._notifications = Notifications(plan, rewriter.frame_of)

    def begin(self, now: int) -> None:
        """Begin the conversation: inactivity counts from now on."""
        self.peer.on_step(now)

    # -- what comes

    def receive(self, line: bytes, now: int) -> list[bytes]:
        """Process a line of the peer; return what to send at once, apart from what is `due`."""
        message = read(line)
        sound = message.kind in (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION)
        self.peer.on_line(now, len(line), sound=sound)
        if message.kind is MessageKind.RESPONSE:
            self._on_response(message)
        elif message.kind is MessageKind.REQUEST:
            return self._on_request(message, now)
        elif message.kind is MessageKind.NOTIFICATION:
            self._on_notification(message)
        return []

    def on_closed(self) -> None:
        """Note that the peer closed its output: nothing more comes."""
        self.gone = True

    def give_up(self, id_: str | None, now: int) -> None:
        """See `PlayedSide`: continue as if an own request had been refused."""
        for open_ in [id_] if id_ is not None else self._sender.open_ids:
            if (request := self._sender.on_response(open_)) is not None:
                self._scheduler.look_at(request.session)
                self.peer.on_response(request.frame, stopped=True)
                self.peer.on_step(now)

    def move(self, directories: Mapping[str, str]) -> None:
        """Set which directory of the recording corresponds to which of the run."""
        for recorded, actual in directories.items():
            self._rewriter.directories.pair(recorded, actual)
        self._requests.move(self._rewriter.directories.places)

    def _on_response(self, message: Message) -> None:
        request = self._sender.on_response(message.id)
        if request is None:
            return
        self._scheduler.look_at(request.session)
        response_frame = self.plan.recording.exchanges[request.frame].response_frame
        recorded = None if response_frame is None else self.plan.recording.at(response_frame)
        result = message.part("result")
        stops = "stopReason" in result and (recorded is None or "stopReason" not in recorded.part("result"))
        self.peer.on_response(request.frame, stopped=message.is_error or stops)
        if recorded is not None and not message.is_error:
            self._rewriter.learn(recorded, recorded.value, {"result": result})

    def _on_request(self, message: Message, now: int) -> list[bytes]:
        """Match a request; return the line for one that is refused, served or polled again.

        A step answers any other request, when it is due.
        """
        method, params = message.method or "", message.part("params")
        session = self._rewriter.recorded_session(message.session_id)
        self.peer.on_message(message, session)
        match = self._requests.match(
            method,
            params,
            self.peer.tool_kind(session, params.get("toolCall")),
            session=session,
            turns=self.peer.open_turns(session),
            nearest=self._options.unmatched == "nearest",
        )
        id_ = jsontext.value_or_none((message.id or "null").encode())
        if not match.fits:
            served = self._serve(method, params)
            if callable(served):
                self._later.append((id_, served))
                return []
            if served is not None:
                return [_result(id_, served)]
            self._report_unmatched(method, session, match)
        if match.request is None:
            return [_line({"jsonrpc": "2.0", "id": id_, "error": _refusal(method, match)})]
        return self._on_recorded(match.request, match, message, id_, now)

    def _on_recorded(
        self, request: RecordedMessage, match: Match, message: Message, id_: Any, now: int
    ) -> list[bytes]:
        """Process a request that the recording has; return the line for one that is answered again."""
        self._scheduler.look_at(request.session)
        if (opened := self.plan.recording.opened.get(request.frame)) is not None:
            self._scheduler.look_at(opened)
        step = self.plan.answers.get(request.frame)
        answer = None if step is None else step.message
        if request.method == methods.WRITE_FILE and match.fits and answer is not None:
            self._write(request, answer, message.part("params"))
        if match.again:
            return [] if answer is None else [self._rewriter.rewrite(answer, id=id_)[0] + b"\n"]
        self.peer.received.add(request.frame)
        params = message.part("params")
        self._rewriter.learn_request(request, params, chosen=match.chosen, same_params=match.fits)
        if request.method in methods.OPENERS:
            recorded, actual = request.part("params").get("cwd"), params.get("cwd")
            if isinstance(recorded, str) and isinstance(actual, str):
                self.move({recorded: actual})
        self._rewriter.on_request(request, message.id, id_)
        if step is not None:
            self._scheduler.on_request(step, now, moved=match.moved)
        return []

    def _write(self, request: RecordedMessage, answer: RecordedMessage, params: dict[str, Any]) -> None:
        """Write what the recorded client wrote before its answer: agents look at the disk, too."""
        if self._options.write is None or "result" not in answer.value:
            return
        why = self._options.write(params)
        if why is not None:
            actual = self._peer_side, self.peer.count
            self.incidents.append(not_written(request, params.get("path"), why, actual))

    def _report_unmatched(self, method: str, session: str | None, match: Match) -> None:
        near, reason, comma = match.nearest, match.why, ": "
        if near is not None:
            reason, comma = f"nearest #{near.frame}: {match.why}", ", "
        incident = Incident(
            "request-unmatched",
            f"{method} is not in the recording{comma}{reason}",
            session,
            expected=None if near is None else near.frame,
            got=(self._peer_side, self.peer.count),
            now=method,
            reason=reason,
        )
        self.incidents.append(incident)

    def _serve(self, method: str, params: dict[str, Any]) -> dict[str, Any] | Later | None:
        serve = self._options.serve.get(method) if self._options.unmatched == "workspace" else None
        return None if serve is None else serve(method, params)

    def _on_notification(self, message: Message) -> None:
        session = self._rewriter.recorded_session(message.session_id)
        session = self._notifications.session(message, session)
        self.peer.on_message(message, session)
        self._scheduler.look_at(session)
        frame = self._notifications.match(message.method or "", session)
        if frame is not None:
            self.peer.received.add(frame)

    # -- what goes out

    def due(self, now: int) -> Iterator[bytes]:
        """Yield the lines to send now, in order, each with its newline.

        Send each line before requesting the next, and request lines until none is left.
        """
        yield from self._served_later(now)
        for decision in self._scheduler.due(now):
            line = self._carry_out(decision)
            if line is not None:
                yield line

    def _served_later(self, now: int) -> list[bytes]:
        """Return the lines of results that took time and are available now."""
        self._looked = now
        results = [(id_, later, later()) for id_, later in self._later]
        self._later = [(id_, later) for id_, later, result in results if result is None]
        return [_result(id_, result) for id_, _, result in results if result is not None]

    def _carry_out(self, decision: Decision) -> bytes | None:
        """Carry out a decision before the next one is made; return the line to send, if any."""
        step, state, over, stall = decision
        if stall is not None:
            why = waiting(self.plan, self.peer, stall.step, stall.absent)
            self.incidents.append(stalled(stall, why, self._peer_side, self._refused(stall)))
        if state is StepState.GIVEN_UP:
            self._give_up(step)
            return None
        if step.message is None:
            return None
        if over is not None:
            aim = self.plan.recording.at(over)
            short = too_short(self.peer, step)
            self.incidents.append(late(step.message, aim, skipped=state is StepState.SKIPPED, short=short))
        if state is StepState.SKIPPED:
            self.peer.on_skipped(step.message.frame)
            return None
        self.sent += 1
        self.peer.on_barrier()
        if step.answers is None:
            return self._sender.send(step.message, step.target) + b"\n"
        absent = self._scheduler.cancel_left_out(step)
        return self._answer(step.message) + b"\n" if absent is None else self._not_cancelled(step, absent)

    def _answer(self, message: RecordedMessage) -> bytes:
        """Return the response to a request that came."""
        top = {} if message.id is None else {"id": self._rewriter.id_of(message.answers or 0)}
        return self._rewriter.rewrite(message, **top)[0]

    def _refused(self, stall: Stall) -> tuple[int, ...]:
        """Return the answers that are withheld because the request was never cancelled."""
        targets = (self.plan.recording.cancels.get(frame) for frame in stall.absent)
        responses = (self.plan.recording.exchanges[target].response_frame for target in targets if target)
        return tuple(frame for frame in responses if frame is not None)

    def _not_cancelled(self, step: Step, absent: int) -> bytes:
        """Return the error for a request that the recorded client cancelled and this client did not."""
        request, cancel = (self.plan.recording.at(frame) for frame in (step.answers or 0, absent))
        message = (
            f"acp-trace: {cancel.method} (#{absent} of the recording) did not come, so there is no answer to "
            f"this {request.method}"
        )
        error = {"code": _INTERNAL_ERROR, "message": message}
        return _line({"jsonrpc": "2.0", "id": self._rewriter.id_of(request.frame), "error": error})

    def _give_up(self, step: Step) -> None:
        request = self.plan.recording.at(step.answers or 0)
        self._requests.drop(request.frame)
        if request.method not in POLLS:
            self.incidents.append(unused(request))

    # -- how far it is

    def wake(self) -> int | None:
        """Return when (ns) to ask for due lines even without input; None if only a line changes anything."""
        wake = self._scheduler.wake
        if not self._later:
            return wake
        look = self._looked + TERMINAL_LOOK_NS
        return look if wake is None else min(wake, look)

    @property
    def closed(self) -> bool:
        """Whether the last step has been reached: nothing more is sent."""
        return self._scheduler.closed

    @property
    def whole_at(self) -> int | None:
        """The number of the peer's line that completed everything in the recording; None if none did."""
        return self._scheduler.whole_at

    @property
    def is_over(self) -> bool:
        """Whether the recording is played to its end."""
        return self._scheduler.is_over

    @property
    def is_flooded(self) -> bool:
        """Whether more came than anything recorded explains."""
        return self.patience.is_flooded(self.peer)

    @property
    def is_drowned(self) -> bool:
        """Whether far more came since the last step than was recorded, instead of the awaited messages."""
        return self.patience.is_drowned(self.peer)

    @property
    def deadline(self) -> int | None:
        """Return when it has waited too long, in ns.

        None for an agent that neither owes nor awaits anything: people take their time.
        """
        owes = self._sender.is_owed or self._scheduler.owes
        return None if self.plan.own == "agent" and not owes else self._scheduler.deadline

    def waits(self) -> str:
        """Return its waits in words: `session/prompt (#5) waits for the answer to session/new (#3)`."""
        return waits(self.plan, self.peer, self._scheduler)


def _refusal(method: str, match: Match) -> dict[str, Any]:
    """Return the JSON-RPC error for a request without an answer."""
    near = f" (nearest is frame {match.nearest.frame}: {match.why})" if match.nearest is not None else ""
    code = _METHOD_NOT_FOUND if match.nearest is None else _INVALID_PARAMS
    return {"code": code, "message": f"acp-trace: the recording has no answer for this {method}{near}"}


def _result(id_: Any, result: dict[str, Any]) -> bytes:
    return _line({"jsonrpc": "2.0", "id": id_, "result": result})


def _line(message: dict[str, Any]) -> bytes:
    return jsontext.text(message) + b"\n"
