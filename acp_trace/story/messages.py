"""Which chunks are one message: the only rule for joining them. Pure.

Chunks of the same kind and with the same `messageId` are one message (schema, ContentChunk); many agents send
no id, and then a subagent's are separate from others. With or without an id, a message also ends if its
session shows something else in an editor: a chunk of another kind, a tool call, a plan, a permission, a
prompt, a cancel of either kind, the end of the turn. Editors continue below that in a new bubble. Usage,
commands, options, updates of a known tool call, requests for files, and the events of other sessions do not
end a message.
"""

from __future__ import annotations

from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind, cancelled_id, read
from acp_trace.protocol.payloads import TextUpdate, text_update
from acp_trace.protocol.subagents import parent_of_update
from acp_trace.trace.entries import OTHER_SIDE

#: What else an editor shows: kinds of updates; methods; methods whose answers it shows as well.
_UPDATES = frozenset(
    (updates.MESSAGES.keys() - updates.CHUNKS) | {"plan", "plan_update", updates.TOOL_CALL, updates.STATE}
)
_METHODS = frozenset({methods.PERMISSION, methods.CANCEL})
_ANSWERED = frozenset({methods.PROMPT, *methods.REOPENERS})
# Bound once: `of` is called for every frame.
_REQUEST, _RESPONSE, _CHUNKS = MessageKind.REQUEST, MessageKind.RESPONSE, updates.CHUNKS


def chunk_of(frame: Frame) -> TextUpdate | None:
    """Return the content of a chunk of text; None if the frame is something else."""
    return text_update(frame.data) if frame.update in _CHUNKS else None


class Messages:
    """The messages of one trace, as its frames come: all of them, in their order."""

    def __init__(self) -> None:
        #: By session: kind and `messageId` of the open message, and the frame with which it begins.
        self._latest: dict[str | None, tuple[str | None, str | None, int]] = {}
        #: The sessions of open requests, by sender and id: `$/cancel_request` has no session.
        self._open: dict[tuple[str | None, str | None], str] = {}
        #: Sessions that announce their tool calls, as version 1 does; the calls of the others.
        self._announced: set[str | None] = set()
        self._calls: set[tuple[str | None, str]] = set()

    def of(self, frame: Frame, chunk: TextUpdate | None = None) -> int:
        """Return the first frame of the message that a frame is a chunk of; 0 if it is not a chunk.

        `chunk`: the result of `chunk_of` for the frame, if the caller has it already.
        """
        update = frame.update
        if update in _CHUNKS and frame.sender == "agent":
            id_ = updates.message_id(frame.data) if chunk is None else chunk.messageId
            if id_ is None:  # if two subagents work at once, each has messages of its own
                id_ = parent_of_update(frame.data)
            latest = self._latest.get(frame.session_id)
            if latest is not None and latest[1] == id_ and latest[0] == update:
                return latest[2]
            self._latest[frame.session_id] = update, id_, frame.frame
            return frame.frame
        if self._ends(frame):
            self._latest.pop(frame.session_id, None)
        self._note_requests(frame)
        return 0

    def _note_requests(self, frame: Frame) -> None:
        """End the message of the session whose request is cancelled; keep track of what may be cancelled."""
        if frame.kind is _RESPONSE:
            self._open.pop((OTHER_SIDE.get(frame.sender), frame.id), None)
        elif frame.kind is _REQUEST and frame.session_id is not None:
            self._open[frame.sender, frame.id] = frame.session_id
        elif frame.method in methods.CANCEL_REQUESTS:
            session_id = self._open.get((frame.sender, cancelled_id(read(frame.data))))
            if session_id is not None:
                self._latest.pop(session_id, None)

    def _ends(self, frame: Frame) -> bool:
        if frame.update is not None:
            if frame.update == updates.TOOL_CALL_UPDATE:
                return self._announces(frame)
            if frame.update == updates.TOOL_CALL:
                self._announced.add(frame.session_id)
            return frame.update in _UPDATES
        if frame.method in _ANSWERED:
            return True
        return frame.method in _METHODS and frame.kind is not _RESPONSE

    def _announces(self, frame: Frame) -> bool:
        """Whether the update of a tool call is the first that names it: draft 2 has no `tool_call`."""
        if frame.session_id in self._announced:
            return False
        call = frame.session_id, updates.call_id(frame.data)
        is_new = call not in self._calls
        self._calls.add(call)
        return is_new
