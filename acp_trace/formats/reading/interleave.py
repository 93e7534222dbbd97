"""The lines of two sides, each in its order -> one order that could have been. Pure.

Nothing says when a line of one side was sent between those of the other. What is certain: a response follows
its request, a session is named only after it has its id. What is likely, and what is chosen here:

- The agent goes first, as long as it has something to continue: a response that it owes, or updates of an
open turn. So its work is between the prompt and the prompt's response.
- A client that owes the agent an answer gives it at once, so the answer precedes what needed it.
- A cancel precedes the response that reports it; without such a response, the cancel came too late.
- A client sends its next prompt in a session when the last one is answered.

If neither side may go on, the agent does: no line is lost.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from acp_trace.protocol import message
from acp_trace.protocol.message import Message, MessageKind, cancelled_id
from acp_trace.protocol.methods import CANCEL, CANCEL_REQUESTS, FORK, PROMPT, REOPENERS, UPDATE
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED
from acp_trace.protocol.payloads import ResultView
from acp_trace.trace.entries import Sender

#: Updates that a session may have at any time; all others belong to a turn, or to history that is loaded.
_ANY_TIME = frozenset(
    {
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
    }
)
#: Requests that work on a session while they are open: the agent's updates come meanwhile.
_WORKS = frozenset({PROMPT, *REOPENERS, FORK})


def interleaved(client: Sequence[bytes], agent: Sequence[bytes]) -> Iterator[tuple[Sender, bytes]]:
    """All lines of both sides, each side's in its order."""
    return _Merge([message.read(line) for line in client], [message.read(line) for line in agent]).lines()


class _Side:
    """The lines of one side, and how far they are sent."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.at = 0
        #: Of each id: requests that are open, and those still to be sent; responses still to be sent.
        self.open: Counter[str] = Counter()
        self.requests_left = Counter(each.id for each in messages if _is_request(each))
        self.responses_left = Counter(each.id for each in messages if _is_response(each))

    @property
    def next(self) -> Message | None:
        """The line that is due; None at the end."""
        return self.messages[self.at] if self.at < len(self.messages) else None

    def places(self, *, method: str) -> dict[str | None, list[int]]:
        """Where each session has calls of a method."""
        places: dict[str | None, list[int]] = defaultdict(list)
        for at, each in enumerate(self.messages):
            if each.method == method:
                places[each.session_id].append(at)
        return places


class _Merge:
    def __init__(self, client: list[Message], agent: list[Message]) -> None:
        self._client, self._agent = _Side(client), _Side(agent)
        self._cancels = self._client.places(method=CANCEL)
        self._prompts = self._client.places(method=PROMPT)
        self._withdrawals: dict[str | None, list[int]] = defaultdict(list)
        for at, each in enumerate(client):
            if each.method in CANCEL_REQUESTS:
                self._withdrawals[cancelled_id(each)].append(at)
        self._known: set[str | None] = {None}
        self._named_later = Counter(_session_of(each) for each in agent)
        self._asked: dict[str | None, tuple[str | None, str | None]] = {}  #: id: method and session
        self._works: Counter[str | None] = Counter()  #: sessions with work that is open
        self._turns: Counter[str | None] = Counter()
        self._owed: set[str | None] = (
            set()
        )  #: ids of the agent's requests that are open, and will be answered

    def lines(self) -> Iterator[tuple[Sender, bytes]]:
        """See `interleaved`."""
        while self._agent.next or self._client.next:
            if self._is_clients_turn():
                yield "client", self._send_client()
            else:
                yield "agent", self._send_agent()

    def _is_clients_turn(self) -> bool:
        client, agent = self._client.next, self._agent.next
        if client is None or agent is None:
            return agent is None
        may_go = self._client_may(client)
        if may_go and (self._owes_answer() or self._is_cancelled_first(agent)):
            return True
        return may_go and not self._agent_may(agent)

    def _owes_answer(self) -> bool:
        """Whether the agent waits for an answer that the client has still to give."""
        return bool(self._owed)

    def _is_cancelled_first(self, due: Message) -> bool:
        """Whether the response that is due is of something that the client has still to cancel."""
        if not _says_cancelled(due):
            return False
        method, session = self._asked.get(due.id, (None, None))
        at = self._client.at
        if method == PROMPT:
            cancel = _following(self._cancels[session], at)
            return cancel is not None and cancel < (_following(self._prompts[session], at) or cancel + 1)
        return method is not None and _following(self._withdrawals[due.id], at) is not None

    def _client_may(self, due: Message) -> bool:
        if _is_response(due):
            return self._may_answer(due, self._agent)
        if due.session_id not in self._known and self._named_later[due.session_id]:
            return False
        return due.method != PROMPT or not self._turns[due.session_id]

    def _agent_may(self, due: Message) -> bool:
        if _is_response(due):
            return self._may_answer(due, self._client)
        is_call = due.kind in (MessageKind.REQUEST, MessageKind.NOTIFICATION)
        if not is_call or due.session_id is None:
            return True
        if due.method == UPDATE and due.update in _ANY_TIME:
            return due.session_id in self._known
        return self._works[due.session_id] > 0

    @staticmethod
    def _may_answer(due: Message, asker: _Side) -> bool:
        """Whether the request is there, or will never be."""
        return asker.open[due.id or ""] > 0 or not asker.requests_left[due.id]

    def _send_client(self) -> bytes:
        sent = self._client.messages[self._client.at]
        self._send(sent, self._client, self._agent)
        if sent.method is not None and sent.kind is MessageKind.REQUEST:
            self._asked[sent.id] = (sent.method, sent.session_id)
            self._works[sent.session_id] += sent.method in _WORKS
            self._turns[sent.session_id] += sent.method == PROMPT
            self._known.add(sent.session_id)
        if _is_response(sent) and not (
            self._agent.open[sent.id or ""] and self._client.responses_left[sent.id]
        ):
            self._owed.discard(sent.id)
        return sent.text

    def _send_agent(self) -> bytes:
        sent = self._agent.messages[self._agent.at]
        self._send(sent, self._agent, self._client)
        if _is_response(sent):
            method, session = self._asked.pop(sent.id, (None, None))
            self._works[session] -= method in _WORKS
            self._turns[session] -= method == PROMPT
            self._known.add(_session_of(sent))
        elif _is_request(sent) and self._client.responses_left[sent.id]:
            self._owed.add(sent.id)
        return sent.text

    @staticmethod
    def _send(sent: Message, side: _Side, other: _Side) -> None:
        side.at += 1
        if _is_request(sent):
            side.requests_left[sent.id] -= 1
            side.open[sent.id or ""] += 1
        elif _is_response(sent):
            side.responses_left[sent.id] -= 1
            other.open[sent.id or ""] -= other.open[sent.id or ""] > 0


def _is_request(each: Message) -> bool:
    return each.kind is MessageKind.REQUEST


def _is_response(each: Message) -> bool:
    return each.kind is MessageKind.RESPONSE


def _says_cancelled(each: Message) -> bool:
    return _is_response(each) and (
        ResultView(each.part("result")).stop_reason == CANCELLED
        or each.part("error").get("code") == REQUEST_CANCELLED
    )


def _session_of(each: Message) -> str | None:
    """The session that a response names for the first time, as those to session/new do."""
    return ResultView(each.part("result")).session_id or None if _is_response(each) else None


def _following(places: list[int], at: int) -> int | None:
    """The first of the places that is not before one."""
    index = bisect_left(places, at)
    return places[index] if index < len(places) else None
