"""The conversation of each session as the page reads it: items, in slices that are read as needed. Pure.

`transcript.json` names the slices, and `transcript/N.json` is one of them: a list of items in the order of
their frames. What was said before, and is sent again by a load, is one item with slices of its own. Nothing
says whose a line of stderr is: it belongs to the session that was at work, or to that of the frame before it.
If several were at work, it belongs to none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from itertools import groupby, pairwise

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol import updates
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.documents import (
    AnyItem,
    EndItem,
    HistoryItem,
    ItemBase,
    LogItem,
    PermissionItem,
    SessionTranscript,
    SubagentItem,
    TextItem,
    ToolItem,
    TranscriptDocument,
    TranscriptSlice,
)
from acp_trace.report.page.tool_details import ToolDetails
from acp_trace.report.statements.cancels import who_cancelled
from acp_trace.report.statements.failures import error_of
from acp_trace.report.statements.stderr import uncoloured
from acp_trace.report.tool_times import ToolTimes
from acp_trace.report.work_tree import WorkTree
from acp_trace.story import transcript as story
from acp_trace.story.unbatched import unbatched
from acp_trace.story.unwrapped import unwrapped
from acp_trace.trace.entries import Entry, EntryKind

#: The most items of a slice, and its size in bytes after which the next slice begins.
SLICE_ITEMS = 60
_SLICE_BYTES = 64_000
#: Lines of stderr in one item.
_LOG_LINES = 500
#: Characters in a line, to say how high a slice will be; and items whose texts are not folded.
_WIDTH = 90
_LONG = ("user", "agent", "message", "plan")


def parts(
    trace_facts: facts.Facts, read: Callable[[], Iterable[Frame | Entry]]
) -> Iterator[tuple[str, bytes]]:
    """Names and bytes: the slices, and then `transcript.json`, which says what is in each.

    There, a slice is its number, its first frame, how many items it has, and about how many lines.
    """
    reader = _Reader(trace_facts)
    frames = unwrapped(unbatched(read(), trace_facts.exchanges), envelopes=False)
    items = story.transcripts(trace_facts, reader.frames(frames), history=True)
    documents = _Documents(trace_facts, reader.details)
    slices = _Slices()
    sessions: list[SessionTranscript] = []
    titles = {session.session_id: session.title for session in trace_facts.sessions}
    for session_id in dict.fromkeys([*titles, *reader.logs]):
        items_of: list[AnyItem] = [documents.of(session_id, item) for item in items.get(session_id, ())]
        items_of += reader.logs.get(session_id, [])
        items_of.sort(key=lambda document: document["frame"])
        for before, document in reversed([*pairwise(items_of)]):
            if document.get("above") is not None and document["above"] == before.get("above"):
                del document["above"]  # said once, above the first
        items_of += documents.unsettled(session_id)
        if items_of:
            described = yield from slices.fold(items_of)
            sessions.append({"session_id": session_id, "title": titles.get(session_id), "slices": described})
    whole = TranscriptDocument(sessions=sessions, outside=reader.outside)
    yield "transcript.json", msgspec.json.encode(whole)


_Folding = Generator[tuple[str, bytes], None, list[TranscriptSlice]]


class _Slices:
    """Cuts items into numbered slices."""

    def __init__(self) -> None:
        self._number = 0

    def fold(self, items: Iterable[AnyItem]) -> _Folding:
        """Yields the slices, and returns the content of each. History updates in a row become one item."""
        folded: list[AnyItem] = []
        for by, said in groupby(items, key=lambda item: item.pop("history", None)):
            if by is None:
                folded += said
                continue
            history = list(said)
            kept = yield from self._cut(history)
            first = history[0]
            folded.append(
                HistoryItem(
                    kind="history",
                    frame=first["frame"],
                    t_ns=first["t_ns"],
                    by=by,
                    items=len(history),
                    slices=kept,
                )
            )
        return (yield from self._cut(folded))

    def _cut(self, items: Iterable[AnyItem]) -> _Folding:
        described: list[TranscriptSlice] = []
        texts: list[bytes] = []
        first = lines = 0
        for item in items:
            first = first if texts else item["frame"]
            texts.append(msgspec.json.encode(item))
            lines += 2 + _lines(item)
            if len(texts) >= SLICE_ITEMS or sum(map(len, texts)) >= _SLICE_BYTES:
                yield self._part(texts)
                described.append(TranscriptSlice(self._number - 1, first, len(texts), lines))
                texts, lines = [], 0
        if texts:
            yield self._part(texts)
            described.append(TranscriptSlice(self._number - 1, first, len(texts), lines))
        return described

    def _part(self, texts: list[bytes]) -> tuple[str, bytes]:
        self._number += 1
        return f"transcript/{self._number - 1}.json", b"[" + b",".join(texts) + b"]"


def _lines(item: AnyItem) -> int:
    """About how many lines an item has; of folded texts, their heading."""
    text = str(item.get("text", "")) if item["kind"] in _LONG else ""
    return text.count("\n") + len(text) // _WIDTH + 1


class _Reader:
    """Frames on their way to the transcript: what it leaves out is kept."""

    def __init__(self, trace_facts: facts.Facts) -> None:
        self.details = ToolDetails(trace_facts)
        self.logs: dict[str, list[LogItem]] = {}
        self.outside = 0  #: lines of stderr that belong to no session
        self._at_work = _AtWork(trace_facts)
        self._first = trace_facts.sessions[0].session_id if trace_facts.sessions else ""

    def frames(self, entries: Iterable[Frame | Entry]) -> Iterator[Frame]:
        frame, session_id = 0, self._first
        for entry in entries:
            if isinstance(entry, Frame):
                frame, session_id = int(entry.frame), entry.session_id or session_id
                self._at_work.reach(frame)
                if entry.update not in updates.CHUNKS:  # nearly all are, and none is about a tool
                    self.details.feed(entry)
                yield entry
            elif entry.kind is EntryKind.LOG:
                at_work = self._at_work.sessions()
                if len(at_work) > 1:
                    self.outside += 1
                else:
                    self._log(next(iter(at_work), session_id), frame, entry)

    def _log(self, session_id: str, frame: int, entry: Entry) -> None:
        logs = self.logs.setdefault(session_id, [])
        if not logs or logs[-1]["frame"] != frame or len(logs[-1]["lines"]) >= _LOG_LINES:
            logs.append({"kind": "log", "frame": frame, "t_ns": entry.t_ns, "lines": []})
        logs[-1]["lines"].append(uncoloured(entry.data.decode("utf-8", "replace")))


class _AtWork:
    """Which sessions have a turn or a request of the client open, at one frame after the other.

    One that ends is still at work until the next frame: the agent may write about it.
    """

    def __init__(self, trace_facts: facts.Facts) -> None:
        asked = [each for each in trace_facts.exchanges if each.sender == "client"]
        spans = [(turn.session_id, turn.frame, turn.settled_frame) for turn in trace_facts.turns]
        spans += [(each.session_id, each.frame, each.response_frame) for each in asked if each.session_id]
        changes = [(first, 1, session) for session, first, _ in spans]
        changes += [(last + 1, -1, session) for session, _, last in spans if last is not None]
        self._changes = sorted(changes, reverse=True)
        self._open: Counter[str] = Counter()

    def reach(self, frame: int) -> None:
        """Go on to this frame, which is not before the last one."""
        while self._changes and self._changes[-1][0] <= frame:
            _, by, session = self._changes.pop()
            self._open[session] += by
            if not self._open[session]:
                del self._open[session]

    def sessions(self) -> Collection[str]:
        """Return the sessions that are at work."""
        return self._open.keys()


class _Documents:
    """Items as the page reads them."""

    def __init__(self, trace_facts: facts.Facts, details: ToolDetails) -> None:
        self._details = details
        self._times = ToolTimes(trace_facts.permissions, trace_facts.trace.duration_ns)
        self._tree = WorkTree(trace_facts)
        self._sessions = {session.session_id for session in trace_facts.sessions}
        self._turns = sorted(trace_facts.turns, key=lambda turn: turn.frame)
        self._ordinals = turn_numbers(self._turns)
        unsettled = [turn for turn in self._turns if turn.settled_frame is None]
        self._unsettled = group(unsettled, lambda turn: turn.session_id)
        self._errors = {
            exchange.frame: words for exchange in trace_facts.exchanges if (words := error_of(exchange))
        }

    def of(self, session_id: str, item: story.TranscriptItem) -> AnyItem:
        """One item."""
        made = self._made(item)
        if above := self._tree.above(session_id, item.parent):
            made["depth"] = len(above)
            made["above"] = " ▸ ".join(call.title or call.id for call in above)
        if item.loaded_by is not None:
            made["history"] = item.loaded_by
        return made

    def _made(self, item: story.TranscriptItem) -> AnyItem:
        made = ItemBase(kind=item.kind, frame=item.frame, t_ns=item.t_ns)
        fact = item.fact
        if isinstance(fact, facts.ToolCall):
            return self._tool(made, fact)
        if isinstance(fact, facts.Permission):
            return self._permission(made, fact)
        if isinstance(fact, facts.Turn):
            return self._end(made, fact)
        if isinstance(fact, facts.Session):
            took = units.duration(fact.subagent_ns)
            return SubagentItem(**made, session=fact.session_id, title=fact.title, took=took)
        text = who_cancelled(fact) if isinstance(fact, facts.Cancellation) else item.text
        said = TextItem(kind=item.kind, frame=item.frame, t_ns=item.t_ns, text=text.replace("\r\n", "\n"))
        if item.by is not None and item.by in self._sessions:
            said["by"] = item.by
        if item.kind == "user" and item.frame in self._ordinals:
            said["turn"] = self._ordinals[item.frame]
        return said

    def unsettled(self, session_id: str) -> Iterator[EndItem]:
        """Turns of a session that had not settled in the end."""
        for turn in self._unsettled.get(session_id, ()):
            yield self._end({"kind": "end", "frame": turn.frame, "t_ns": turn.t_ns}, turn)

    def _tool(self, item: ItemBase, call: facts.ToolCall) -> ToolItem:
        return {
            **item,
            "id": call.id,
            "title": call.title,
            "tool_kind": call.kind,
            "status": call.status,
            "duration_ns": call.duration_ns,
            "took": self._times.of(call),
            **self._details.tool(call),
        }

    def _permission(self, item: ItemBase, permission: facts.Permission) -> PermissionItem:
        return {
            **item,
            "title": permission.title,
            "outcome": permission.outcome,
            "option_id": permission.option_id,
            "option_kind": permission.option_kind,
            "wait_ns": permission.wait_ns,
            "options": self._details.options(permission),
        }

    def _end(self, item: ItemBase, turn: facts.Turn) -> EndItem:
        return {
            **item,
            "turn": self._ordinals[turn.frame],
            "settled": turn.settled_frame is not None,
            "stop_reason": turn.stop_reason,
            "error_code": turn.error_code,
            "error": self._errors.get(turn.frame),
            "duration_ns": turn.duration_ns,
        }
