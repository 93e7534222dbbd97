"""Messages of a WebSocket -> the calls in it, and the whole prompt of a call that continues an earlier one.

codex keeps one WebSocket to `/v1/responses` for a conversation. Each `response.create` message is a call; the
provider answers one after the other, each with the events that it would stream.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from acp_trace.model import fields
from acp_trace.model.shapes import Answer, Prompt, PromptMessage, Text
from acp_trace.trace import jsontext

_BEGINS = "response.create"
_ENDS = ("response.completed", "response.failed", "response.incomplete", "response.cancelled", "error")
_SYSTEM = ("system", "developer")


class SocketCall(msgspec.Struct):
    """One call: the message that asked, and the messages that answered, with their times in ns."""

    request: bytes
    started_ns: int
    answer: list[tuple[int, bytes]] = []


class SocketMessages:
    """The messages of a WebSocket as calls. Feed it all of them; `calls` are those so far."""

    def __init__(self) -> None:
        self.calls: list[SocketCall] = []
        self._waiting: deque[SocketCall] = deque()

    def take(self, is_agent: bool, t_ns: int, data: bytes) -> SocketCall | None:
        """Add a message of the agent or the provider; return the call that it ends."""
        kind = fields.mapping(jsontext.value_or_none(data)).get("type")
        if is_agent and kind == _BEGINS:
            self.calls.append(SocketCall(data, t_ns))
            self._waiting.append(self.calls[-1])
        elif not is_agent and self._waiting:
            self._waiting[0].answer.append((t_ns, data))
            if kind in _ENDS:
                return self._waiting.popleft()
        return None


def calls(messages: Iterable[tuple[bool, int, bytes]]) -> list[SocketCall]:
    """Return the calls of a WebSocket. `messages`: whether the agent sent it, its time in ns, its text."""
    taken = SocketMessages()
    for message in messages:
        taken.take(*message)
    return taken.calls


def continued(prompt: Prompt, earlier: Prompt, answer: Answer) -> Prompt:
    """Return the whole prompt of a request that continues an earlier one: old prompt, answer, new messages.

    System prompt and tools stay, if the request has none of its own. If the earlier prompt was empty (codex
    warms up its connection), the developer texts of the first messages belong to the system prompt.
    """
    answered = (PromptMessage("assistant", answer.parts),) if answer.parts else ()
    before, new = (*earlier.messages, *answered), prompt.messages
    system = earlier.system if earlier.system.startswith(prompt.system) else prompt.system
    if not before:
        first = next((at for at, message in enumerate(new) if message.role not in _SYSTEM), len(new))
        texts = (part.text for message in new[:first] for part in message.parts if isinstance(part, Text))
        system, new = fields.joined([system, *texts]), new[first:]
    return msgspec.structs.replace(
        prompt,
        system=system,
        tools=prompt.tools or earlier.tools,
        messages=(*before, *new),
        continues=None,
    )
