"""The conversation of each session as its user saw it: frames and facts -> items, chunks joined. Pure.

The outcome of tool calls, permissions and turns is in the facts; the texts are only in the frames. Text is
returned whole, as it came; the caller makes it safe for printing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.replays import Replays
from acp_trace.protocol import updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import BlockView, PlanEntryView, TextUpdate, blocks, params_in, update_in
from acp_trace.protocol.subagents import parent_of_update
from acp_trace.story.frame_facts import FrameFacts
from acp_trace.story.messages import Messages, chunk_of
from acp_trace.story.unbatched import unbatched
from acp_trace.story.unwrapped import unwrapped
from acp_trace.trace.jsontext import objects, string_or_none

#: Updates that carry text, with their speaker. In turns, the user's own updates already appear as the prompt.
_SPEAKERS = {
    "agent_message_chunk": "agent",
    "agent_message": "agent",
    "agent_thought_chunk": "thought",
    "agent_thought": "thought",
    "user_message_chunk": "user",
    "user_message": "user",
    "session_message": "message",
}
_PLANS = ("plan", "plan_update")
#: The marks for entries of a plan, by status.
_MARKS = {"completed": "x", "in_progress": ">"}


@dataclass(slots=True)
class TranscriptItem:
    """One thing that the user saw.

    `kind`: user, agent, thought, message (that another session sent), tool, permission, plan, subagent,
    cancel, end or history. `fact` is the fact of a tool call, a permission, a turn, a cancel, or the session
    of a subagent. `count`: of history updates left out.
    """

    kind: str
    frame: int
    t_ns: int | None  #: None: the trace has no times
    pieces: list[str] = field(default_factory=list)
    fact: facts.ToolCall | facts.Permission | facts.Turn | facts.Session | facts.Cancellation | None = None
    message: int = 0  #: for chunks, the first frame of their message (`messages`)
    loaded_by: int | None = None  #: for a history update, the request that it belongs to
    count: int = 0
    by: str | None = None  #: for a message, the session that sent it
    parent: str | None = None  #: toolCallId of the call for which a subagent did this

    @property
    def is_history(self) -> bool:
        """Whether it happened before, and was sent again."""
        return self.loaded_by is not None

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


def transcripts(
    trace_facts: facts.Facts,
    frames: Iterable[Frame],
    *,
    first: int = 0,
    last: int | None = None,
    history: bool = False,
) -> dict[str, list[TranscriptItem]]:
    """Return the items by session, in the order of the facts' sessions; sessions without any are left out.

    Covers the sessions of `trace_facts`, from frame `first` to frame `last`. `history`: include history
    updates, which are otherwise only counted.
    """
    builder = _Builder(trace_facts, history)
    for frame in unwrapped(unbatched(frames, trace_facts.exchanges), envelopes=False):
        if last is not None and frame.frame > last:
            break
        builder.add(frame, is_wanted=frame.frame >= first)
    return {
        session.session_id: items
        for session in trace_facts.sessions
        if (items := [item for item in builder.items.get(session.session_id, ()) if not _says_nothing(item)])
    }


def _says_nothing(item: TranscriptItem) -> bool:
    return item.kind in ("agent", "thought") and not any(item.pieces)


class _Piece(NamedTuple):
    """A chunk, and the first frame of its message. For other frames None and 0."""

    message: int
    chunk: TextUpdate | None


class _Builder:
    def __init__(self, trace_facts: facts.Facts, history: bool) -> None:
        self.items: dict[str, list[TranscriptItem]] = {
            session.session_id: [] for session in trace_facts.sessions
        }
        self._history = history
        self._replays = Replays(trace_facts)
        self._latest: dict[str, str] = {}  #: the last plan of a session
        self._seen: set[tuple[str, str]] = set()  #: messages with chunks so far
        self._messages = Messages()
        self._run: TranscriptItem | None = None  #: the item to which the previous frame added a chunk
        self._facts = FrameFacts(trace_facts)
        #: Sessions of subagents, by the session and the frame that announce them.
        self._announced: dict[tuple[str, int], list[facts.Session]] = {}
        for session in trace_facts.sessions:
            if session.parent_session_id is not None:
                place = session.parent_session_id, session.frame
                self._announced.setdefault(place, []).append(session)

    def add(self, frame: Frame, *, is_wanted: bool) -> None:
        """Process the next frame."""
        chunk = chunk_of(frame)
        run, message = self._run, self._messages.of(frame, chunk)
        if run is not None and run.message == message and chunk is not None:  # true for nearly every frame
            run.pieces.append(chunk.content.text)
            return
        self._run = None
        if frame.kind is MessageKind.REQUEST and frame.sender == "client":
            self._replays.request(frame.frame, frame.method, frame.session_id, frame.data)
        elif frame.kind is MessageKind.RESPONSE:
            self._replays.response(frame.answers)
        if not is_wanted:
            return
        session_id = frame.session_id
        if cancels := self._facts.cancels(frame):
            self._cancelled(frame, cancels)
        elif session_id is not None and session_id in self.items:
            self._of_session(session_id, frame, _Piece(message, chunk))

    def _cancelled(self, frame: Frame, cancels: Sequence[facts.Cancellation]) -> None:
        """Add a cancel to the session of what it cancels: `$/cancel_request` names none."""
        for session_id, one in {one.session_id: one for one in reversed(cancels)}.items():
            if session_id in self.items:
                self._put(session_id, TranscriptItem("cancel", frame.frame, frame.t_ns, fact=one))

    def _of_session(self, session_id: str, frame: Frame, piece: _Piece) -> None:
        if frame.update is not None and frame.sender == "agent":
            self._update(session_id, frame, piece)
        elif self._facts.begins_turn(frame):
            text = _text(params_in(frame.data).prompt)
            self._put(session_id, TranscriptItem("user", frame.frame, frame.t_ns, [text]))
        elif (permission := self._facts.permission(frame)) is not None:
            item = TranscriptItem("permission", frame.frame, frame.t_ns, fact=permission)
            item.parent = permission.parent_id
            self._put(session_id, item)
        else:
            self._end(session_id, frame)

    def _end(self, session_id: str, frame: Frame) -> None:
        for turn in self._facts.ended(frame):
            self._put(session_id, TranscriptItem("end", frame.frame, frame.t_ns, fact=turn))

    def _update(self, session_id: str, frame: Frame, piece: _Piece) -> None:
        kind = frame.update or ""
        loaded_by = self._replays.by(session_id, int(frame.frame), kind)
        is_history = loaded_by is not None
        speaker = _SPEAKERS.get(kind)
        if is_history and not self._history:
            if speaker or kind in (*_PLANS, updates.TOOL_CALL, updates.TOOL_CALL_UPDATE):
                self._count(session_id, frame, loaded_by)
        elif speaker is not None and (speaker != "user" or is_history):
            self._say(session_id, frame, speaker, loaded_by, piece)
        elif kind in _PLANS:
            self._plan(session_id, frame, loaded_by)
        elif kind == updates.SUBAGENT:
            for session in self._announced.pop((session_id, int(frame.frame)), ()):
                self._put(session_id, TranscriptItem("subagent", frame.frame, frame.t_ns, fact=session))
        call = self._facts.tool_call(frame) if self._history or not is_history else None
        if call is not None:
            item = TranscriptItem("tool", frame.frame, frame.t_ns, fact=call, loaded_by=loaded_by)
            item.parent = call.parent_id
            self._put(session_id, item)
        self._end(session_id, frame)

    def _say(self, session_id: str, frame: Frame, speaker: str, loaded_by: int | None, piece: _Piece) -> None:
        message = piece.message
        message_id, text = _said(frame, piece.chunk)
        if message_id is not None:
            if not message and (session_id, message_id) in self._seen:
                return  # all of it came in chunks
            self._seen.add((session_id, message_id))
        items = self.items[session_id]
        if message and items and items[-1].message == message:
            items[-1].pieces.append(text)
        else:
            item = TranscriptItem(
                speaker, frame.frame, frame.t_ns, [text], message=message, loaded_by=loaded_by
            )
            item.parent = parent_of_update(frame.data)
            if speaker == "message":
                item.by = string_or_none(update_in(frame.data).members.get("senderSessionId"))
            self._put(session_id, item)
        self._run = items[-1] if message else None

    def _plan(self, session_id: str, frame: Frame, loaded_by: int | None) -> None:
        update = update_in(frame.data)
        entries = update.plan.entries if update.entries is None else update.entries
        if entries is None:
            return
        text = "\n".join(_plan_line(PlanEntryView(entry)) for entry in objects(entries))
        if self._latest.get(session_id) != text:
            self._latest[session_id] = text
            item = TranscriptItem("plan", frame.frame, frame.t_ns, [text], loaded_by=loaded_by)
            item.parent = parent_of_update(frame.data)
            self._put(session_id, item)

    def _count(self, session_id: str, frame: Frame, loaded_by: int | None) -> None:
        items = self.items[session_id]
        if not items or (items[-1].kind, items[-1].loaded_by) != ("history", loaded_by):
            self._put(session_id, TranscriptItem("history", frame.frame, frame.t_ns, loaded_by=loaded_by))
        items[-1].count += 1

    def _put(self, session_id: str, item: TranscriptItem) -> None:
        self._run = None
        item.frame = int(item.frame)
        self.items[session_id].append(item)


def _said(frame: Frame, chunk: TextUpdate | None) -> tuple[str | None, str]:
    """Return the message that an update with text belongs to, and its text."""
    if chunk is not None:
        return chunk.messageId, chunk.content.text
    update = update_in(frame.data)
    return update.message_id, _text(update.content)


def _text(content: object) -> str:
    """Return the texts of content blocks, one on each line."""
    return "\n".join(filter(None, map(_block, blocks(content))))


def _block(block: BlockView) -> str | None:
    """Return the text of a block; for a link or a file, its target."""
    if block.text is None and (uri := block.uri or block.resource.uri) is not None:
        return f"[{block.type} {uri}]"
    return block.shown


def _plan_line(entry: PlanEntryView) -> str:
    return f"[{_MARKS.get(entry.status or '', ' ')}] {entry.content or ''}"
