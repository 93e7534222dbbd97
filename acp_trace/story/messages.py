"""Which chunks are one message: one rule for all who join them. Pure.

Chunks of one kind with one `messageId` are a message, and another `messageId` is another message (schema,
ContentChunk). Many agents give none. With or without it, a message ends here where its session says something
else that stands in the conversation: a chunk of another kind, a tool call, a plan, a permission, a prompt, a
cancel, the end of the turn. That is as editors show it: what comes after it is a bubble of its own. What
else the session says (usage, commands, options, the work of a tool call that is there already, files that are
read and written), and what other sessions do, ends no message.
"""

from __future__ import annotations

from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import text_update, update_in

#: What else stands in the conversation: updates; methods; methods of which the answers do, too.
_UPDATES = frozenset((updates.MESSAGES.keys() - updates.CHUNKS) | {"plan", "plan_update", updates.STATE})
_METHODS = frozenset({methods.PERMISSION, methods.CANCEL})
_ANSWERED = frozenset({methods.PROMPT, *methods.REOPENERS})
_RESPONSE = MessageKind.RESPONSE


class Messages:
    """The messages of one trace, as its frames come: all of them, in their order."""

    def __init__(self) -> None:
        #: By session: kind and `messageId` of the message that goes on, and the frame with which it begins.
        self._latest: dict[str | None, tuple[str, str | None, int]] = {}
        self._calls: set[tuple[str | None, str]] = set()

    def of(self, frame: Frame) -> int:
        """The frame with which the message begins that a frame is a chunk of; 0 if it is no chunk."""
        update, session_id = frame.update, frame.session_id
        if update is not None and update in updates.CHUNKS and frame.sender == "agent":
            id_ = _message_id(frame.data)
            latest = self._latest.get(session_id)
            if latest is not None and latest[0] == update and latest[1] == id_:
                return latest[2]
            self._latest[session_id] = update, id_, frame.frame
            return frame.frame
        if self._ends(frame):
            self._latest.pop(session_id, None)
        return 0

    def _ends(self, frame: Frame) -> bool:
        if frame.update in updates.TOOL_CALLS:
            call = frame.session_id, updates.call_id(frame.data)
            is_there = frame.update == updates.TOOL_CALL_UPDATE and call in self._calls
            self._calls.add(call)
            return not is_there
        if frame.update is not None:
            return frame.update in _UPDATES
        if frame.method in _ANSWERED:
            return True
        return frame.method in _METHODS and frame.kind is not _RESPONSE


def _message_id(data: bytes) -> str | None:
    if b'"messageId"' not in data:  # as of many agents: five times as fast as to read it
        return None
    update = text_update(data)
    return update_in(data).message_id if update is None else update.messageId
