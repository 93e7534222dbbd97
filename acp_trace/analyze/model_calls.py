"""The model's side of a trace: its calls, each with the session and the turn that it belongs to.

Loaded only for a trace that has such a side, because the import takes 50 ms. A call is read when it is over,
and then its bodies are dropped; what remains is small. `model_turns` decides which calls a turn waited for,
and what that shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b

import msgspec

from acp_trace.analyze.cancellation.cancellations import Cancel
from acp_trace.analyze.state import SessionState, TurnState
from acp_trace.model.call_reader import CallReader
from acp_trace.model.calls import ModelCall, Retries, comparable_request
from acp_trace.model.join import Joined, JoinKeys, SessionSpan, TurnTimes, join, named_in, places
from acp_trace.model.reading import read_prompt
from acp_trace.model.seen_traffic import SeenTraffic
from acp_trace.model.shapes import Answer, Prompt, Tokens
from acp_trace.trace.entries import Entry

#: The number of a session's latest turns that are compared with a call.
_LATEST = 50
#: Characters that are kept of a text, and fit a column, even from a hostile provider.
_LONGEST = 200
_MOST = 2**62


class CallState(msgspec.Struct, kw_only=True):
    """A call: see `facts.ModelCall`. Times are ns since the trace began."""

    exchange: int
    provider: str
    model: str | None
    started_ns: int
    first_byte_ns: int | None
    first_token_ns: int | None
    ended_ns: int | None
    status: int | None
    stop_reason: str | None
    tokens: Tokens
    tools: tuple[str, ...]
    is_aborted: bool
    is_failed: bool
    is_complete: bool  #: the answer has its end
    error: str | None
    request_digest: bytes  #: a digest of the request, for detecting a retry
    has_tools: bool  #: it offers the model tools, as the calls of a conversation do
    characters: int  #: of its output
    after: dict[int, int]  #: how many of them came after each cancel during the call, by its frame
    joined: Joined
    is_named: bool  #: it names its session
    names: tuple[tuple[str, str], ...]  #: for other calls: texts that may name a later session
    sessions: int  #: number of sessions known when it was joined
    call: int = 0
    retry_of: int | None = None


class ModelCalls:
    """Processes the entries of a trace other than its messages, and returns the calls so far at any time."""

    def __init__(
        self, sessions: Mapping[str, SessionState], cancels: Sequence[Cancel], *, has_pieces: bool = True
    ) -> None:
        self._has_pieces = has_pieces  #: otherwise an answer has one time, that of its first byte
        self._sessions = sessions
        self._cancels = cancels
        self._reader = CallReader()
        self._over: list[CallState] = []
        self._has_failed = False

    def feed(self, entry: Entry) -> None:
        """Process an entry of the model's side, or a gap."""
        self._over += [self._state(call) for call in self._reader.feed(entry)]

    @property
    def seen(self) -> SeenTraffic:
        """The part of the agent's traffic that the trace has, calls or not."""
        return self._reader.seen

    def over(self, since: int = 0) -> list[CallState]:
        """Return the calls that have ended, in that order, without the first `since`. Not numbered."""
        return self._over[since:]

    def calls(self) -> list[CallState]:
        """Return all calls so far in the order in which they began, numbered."""
        calls = [*self._over, *(self._state(call) for call in self._reader.open())]
        calls.sort(key=lambda call: (call.started_ns, call.exchange))
        retries = Retries()
        for number, call in enumerate(calls, 1):
            call.call = number
            call.retry_of = retries.take(number, partial(_request_digest, call), is_failed=call.is_failed)
            call.joined = self._joined_later(call)
        return calls

    def _state(self, call: ModelCall) -> CallState:
        answer, prompt = call.answer, read_prompt(call.recognised, call.body)
        self._has_failed |= call.is_failed
        keys = _keys(call, prompt)
        joined = join(keys, *self._spans())
        is_named = (joined.how or "").startswith(("header ", "field "))
        first_byte = answer.first_byte_ns
        if first_byte is None and not call.recognised.is_socket:
            first_byte = call.answered_ns
        return CallState(
            exchange=call.exchange,
            provider=call.recognised.provider[:_LONGEST],
            model=_cut(answer.model or prompt.model),
            started_ns=call.started_ns,
            first_byte_ns=first_byte,
            first_token_ns=answer.first_token_ns if self._has_pieces else None,
            ended_ns=call.ended_ns,
            status=call.status,
            stop_reason=_cut(answer.stop_reason),
            tokens=_tokens(answer.tokens),
            tools=tuple(tool.name[:_LONGEST] for tool in answer.tool_calls),
            is_aborted=call.is_aborted,
            is_failed=call.is_failed,
            is_complete=answer.is_complete,
            error=_cut(_error(call)),
            request_digest=blake2b(comparable_request(call)).digest() if self._has_failed else b"",
            # In a conversation that continues, the provider already has the tools.
            has_tools=bool(prompt.tools) or prompt.continues is not None,
            characters=sum(count for _, count in answer.output),
            after=self._after_cancels(call, answer) if self._has_pieces else {},
            joined=joined,
            is_named=is_named,
            names=() if is_named else tuple(_names(keys)),
            sessions=len(self._sessions),
        )

    def _spans(self) -> tuple[list[SessionSpan], list[TurnTimes]]:
        sessions = list(self._sessions.values())
        turns = [_times(session.id, turn) for session in sessions for turn in session.turns[-_LATEST:]]
        return [SessionSpan(session.id, session.cwd) for session in sessions], turns

    def _after_cancels(self, call: ModelCall, answer: Answer) -> dict[int, int]:
        after = {}
        for cancel in reversed(self._cancels):
            if cancel.t < call.started_ns:
                break
            if call.ended_ns is None or cancel.t <= call.ended_ns:
                after[cancel.frame] = answer.characters_after(cancel.t)
        return after

    def _joined_later(self, call: CallState) -> Joined:
        """Return the session of a call: it may name one that was opened after the call was joined."""
        if call.is_named or len(self._sessions) == call.sessions:
            return call.joined
        ids = list(self._sessions)
        among, how = named_in(call.names, ids[call.sessions :])
        if len(among) == 1:
            return Joined(among[0], None, how)
        if call.joined.session_id is None and len(ids) == 1:
            return Joined(ids[0], None, "only session")
        return call.joined


def _keys(call: ModelCall, prompt: Prompt) -> JoinKeys:
    headers = tuple((name.lower(), value) for name, value in call.headers)
    return JoinKeys(headers=headers, body=call.body, prompt=prompt, started_ns=call.started_ns)


def _names(keys: JoinKeys) -> Iterator[tuple[str, str]]:
    return ((where, text[:_LONGEST]) for where, text in places(keys.headers, keys.prompt.labels))


def _times(session_id: str, turn: TurnState) -> TurnTimes:
    return TurnTimes(session_id, turn.index, turn.t, turn.ended_t, turn.prompt or "")


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:_LONGEST]


def _tokens(tokens: Tokens) -> Tokens:
    """Return the counts, without impossible ones."""
    counts = msgspec.structs.asdict(tokens)
    return Tokens(
        **{name: None if count is None or count > _MOST else count for name, count in counts.items()}
    )


def _request_digest(call: CallState) -> bytes:
    return call.request_digest


def _error(call: ModelCall) -> str | None:
    """Return what went wrong, in one line."""
    error = call.answer.error
    if error is not None:
        status = None if error.status is None else f"status {error.status}"
        return error.message or error.code or error.type or status or "an error without a message"
    if call.is_failed and call.ended_ns is not None:
        return "broken off by the provider" if call.broken_by == "provider" else "ended without an end"
    return None
