"""Frames and the entries between them as the filter sees them, with what only the facts of the trace know."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from acp_trace.analyze.facts import Facts, Finding, Turn
from acp_trace.protocol import updates
from acp_trace.protocol.message import MessageKind
from acp_trace.report.frame_filter.fields import GAP, STDERR
from acp_trace.report.frame_filter.grammar import Node, used
from acp_trace.report.frame_filter.matching import wants
from acp_trace.report.frame_rows import FrameRow
from acp_trace.report.session_names import names_of
from acp_trace.trace import jsontext
from acp_trace.trace.entries import AFTER_ALL, Entry, EntryKind
from acp_trace.trace.jsontext import as_object

#: Fields that a frame alone does not have.
_OF_FACTS = frozenset({"session", "turn", "finding", "severity", "is:open"})
#: Turns of a session that may be open at once, for all that a filter asks.
_MOST_QUEUED = 32


class KnownFacts:
    """What the facts of a trace say about its frames; for a live trace, the facts so far: `add` adds more."""

    def __init__(self, names: Callable[[], Mapping[str, str]] = dict) -> None:
        """`names`: gives what reports call the sessions, by their ids."""
        self._names = names
        self.findings: dict[int, list[Finding]] = {}
        self.open: frozenset[int] = frozenset()
        self._turns: dict[str, _Turns] = {}  #: by their session

    @classmethod
    def of(cls, facts: Facts) -> KnownFacts:
        """All that the facts of a whole trace say."""
        names = names_of(facts).by_id
        known = cls(lambda: names)
        known.add(facts)
        known.open = frozenset(each.frame for each in facts.exchanges if each.response_frame is None)
        return known

    def add(self, facts: Facts) -> None:
        """Add turns and findings that are new, or have changed."""
        for turn in facts.turns:
            self._turns.setdefault(turn.session_id, _Turns()).add(turn)
        for finding in facts.findings:
            self.findings.setdefault(finding.frame, []).append(finding)

    def turns(self, frame: int, session_id: str | None) -> Iterator[str]:
        """The names of the turns that a frame lies in; one without a session lies in those of all."""
        for named in self._turns if session_id is None else (session_id,):
            if (turns := self._turns.get(named)) is not None:
                for turn in turns.at(frame):
                    yield f"{self.name(named)}.{turn}"

    def name(self, session_id: str) -> str | None:
        """What reports call a session; None if the trace has no such session."""
        return self._names().get(session_id)


class _Turns:
    """The turns of a session, in the order of their prompts."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._turns: list[Turn] = []

    def add(self, turn: Turn) -> None:
        """Add a turn that has begun, or has settled since."""
        at = bisect_left(self._starts, turn.frame)
        if self._starts[at : at + 1] == [turn.frame]:
            self._turns[at] = turn
        else:
            self._starts.insert(at, turn.frame)
            self._turns.insert(at, turn)

    def at(self, frame: int) -> Iterator[int]:
        """The indexes of those that a frame lies in: of the last few before it, as agents queue no more."""
        last = bisect_right(self._starts, frame)
        for turn in self._turns[max(0, last - _MOST_QUEUED) : last]:
            if frame <= (turn.settled_frame or AFTER_ALL):
                yield turn.turn


class FilterRow:
    """A frame. Each attribute is the field of its name."""

    def __init__(self, row: FrameRow, known: KnownFacts) -> None:
        self._row, self._known = row, known
        frame = row.frame
        self.frame: int | None = int(frame.frame)
        self.stream, self.t, self.size = frame.stream, frame.t_ns, frame.size
        self.took, self.after = row.latency_ns, row.since_previous_ns
        self.side = (frame.sender,)
        self._message: Any = None

    @property
    def method(self) -> tuple[str, ...]:
        """The method, if there is one."""
        return _some(self._row.frame.method)

    @property
    def kind(self) -> tuple[str, ...]:
        """The kind of message, and that of an update."""
        return (self._row.frame.kind.value, *_some(self._row.frame.update))

    @property
    def session(self) -> tuple[str, ...]:
        """The id of its session, and the name."""
        id_ = self._row.frame.session_id
        return () if id_ is None else (id_, *_some(self._known.name(id_)))

    @property
    def turn(self) -> tuple[str, ...]:
        """The names of its turns."""
        return tuple(self._known.turns(self.frame or 0, self._row.frame.session_id))

    @property
    def id(self) -> tuple[str, ...]:
        """The id; of one that is a text, the text."""
        id_ = self._row.frame.id
        value = None if id_ is None else jsontext.value(id_.encode())
        return () if id_ is None else (value if isinstance(value, str) else id_,)

    @property
    def text(self) -> str:
        """All of the frame."""
        return self._row.frame.data.decode("utf-8", "replace")

    @property
    def tool(self) -> tuple[str, ...]:
        """The id, the kind and the title of the tool call that the frame is about."""
        params = as_object(self._read().get("params"))
        update = as_object(params.get("update"))
        is_call = update.get("sessionUpdate") in updates.TOOL_CALLS
        call = update if is_call else as_object(params.get("toolCall"))
        texts = (call.get(key) for key in ("toolCallId", "kind", "title"))
        return tuple(text for text in texts if isinstance(text, str))

    @property
    def error(self) -> tuple[str, ...]:
        """The code of its error, and all texts in it."""
        error = self._read().get("error") if self._row.frame.kind is MessageKind.RESPONSE else None
        code = as_object(error).get("code")
        is_number = isinstance(code, int) and not isinstance(code, bool)
        return (*((str(code),) if is_number else ()), *_texts(error))

    @property
    def finding(self) -> tuple[str, ...]:
        """The codes of the findings about it."""
        return tuple(each.code for each in self._known.findings.get(self.frame or 0, ()))

    @property
    def severity(self) -> tuple[str, ...]:
        """Their severities."""
        return tuple(each.severity for each in self._known.findings.get(self.frame or 0, ()))

    @property
    def is_(self) -> tuple[str, ...]:
        """What it is."""
        frame = self._row.frame
        has_error = (
            frame.kind is MessageKind.RESPONSE and b'"error"' in frame.data and "error" in self._read()
        )
        is_open = frame.kind is MessageKind.REQUEST and frame.frame in self._known.open
        return (*(("error",) if has_error else ()), *(("open",) if is_open else ()))

    def _read(self) -> Mapping[str, Any]:
        if self._message is None:
            self._message = jsontext.object_in(self._row.frame.data)
        return dict(self._message)


class LogRow:
    """A line of stderr, or a gap."""

    frame = stream = took = after = size = None
    method = side = session = turn = tool = id = error = finding = severity = is_ = ()

    def __init__(self, entry: Entry) -> None:
        self.kind = (STDERR if entry.kind is EntryKind.LOG else GAP,)
        self.t = entry.t
        self.text = entry.data.decode("utf-8", "replace")


class Where:
    """Which frames a filter wants. `needs_facts`: without what is known of the trace it finds too few."""

    def __init__(self, tree: Node) -> None:
        self.fields = used(tree)
        self.needs_facts = not _OF_FACTS.isdisjoint(self.fields)
        self._wants = wants(tree)

    def frame(self, row: FrameRow, known: KnownFacts) -> bool:
        """Whether a frame is wanted."""
        return self._wants(FilterRow(row, known))

    def log(self, entry: Entry) -> bool:
        """Whether a line of stderr, or a gap, is wanted."""
        return self._wants(LogRow(entry))


def _some(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _texts(value: Any) -> Iterable[str]:
    """The texts in a value, also those within lists and objects."""
    found, left = [], [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict | list):
            left += each.values() if isinstance(each, dict) else each
    return found
