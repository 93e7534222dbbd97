"""Whether the history that an agent replays for `session/load` is the session's actual history.

Tool calls are compared by ids, names and the order of their turns, in the same trace and with earlier ones.
Texts are only compared in the same trace, as no fact keeps them: whether each prompt appears, once, and
whether the agent writes anything. No I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.set_values import LostBetween, loss
from acp_trace.analyze.state import ToolCallState
from acp_trace.protocol import methods, updates
from acp_trace.trace.jsontext import short
from acp_trace.trace.names import short as short_trace


class RecordedCall(NamedTuple):
    """A tool call that ended in a turn. `trace_id`: the trace; None: this one."""

    turn: tuple[int, int]  #: the number of traces before it, and its turn
    name: str  #: kind and title
    frame: int
    trace_id: str | None = None

    def __str__(self) -> str:
        return f"#{self.frame}" + ("" if self.trace_id is None else f" of {short_trace(self.trace_id)}")


class HistoryDifference(NamedTuple):
    """The text of a difference. `severity` None: the code's own."""

    message: str
    severity: Severity | None = None


def recorded_calls(
    calls: Iterable[ToolCallState | facts.ToolCall], number: int = 0, trace_id: str | None = None
) -> dict[str, RecordedCall]:
    """Return the calls of a session that ended in a turn, by id. `number`: of the traces before this one."""
    return {
        call.id: RecordedCall((number, call.turn), name(call.kind, call.title), call.frame, trace_id)
        for call in calls
        if call.turn is not None and call.status in updates.TOOL_CALL_ENDS
    }


def difference(recorded: Mapping[str, RecordedCall], replayed: Mapping[str, str]) -> HistoryDifference | None:
    """Return how a replay differs. `recorded`: by ids; `replayed`: ids and names, in order.

    Other ids and names lose nothing, and are a note. More calls than were recorded are right: acp-trace
    may not have recorded all of a session.
    """
    missing = [id_ for id_ in recorded if id_ not in replayed]
    if missing:
        others = len(replayed) - len(recorded) + len(missing)
        text = f"the history has {len(recorded) - len(missing)} of {len(recorded)} recorded tool calls"
        text += f"; the first missing one is {short(missing[0])} {recorded[missing[0]]}"
        if others >= len(missing):
            return HistoryDifference(f"{text}; it has {others} with other ids", "note")
        return HistoryDifference(text)
    latest = None
    for id_ in (id_ for id_ in replayed if id_ in recorded):
        if latest is not None and recorded[id_].turn < recorded[latest].turn:
            before, after = (f"{short(one)} {recorded[one]}" for one in (id_, latest))
            return HistoryDifference(f"the history has tool call {after} before {before}, of an earlier turn")
        latest = id_
    for id_, was in recorded.items():
        if replayed[id_] != was.name:
            now = f"tool call {short(id_)} is {short(replayed[id_])} in the history"
            return HistoryDifference(f"{now}, but was {short(was.name)} in {was}", "note")
    return None


class ReplayedHistory:
    """The history of one load, as it comes: names of tool calls by their ids, and both sides' texts."""

    def __init__(self) -> None:
        self.calls: dict[str, str] = {}
        self._users: list[str] = []
        self._latest: tuple[str, str | None] | None = None
        self._has_agent = False

    def add(self, kind: str, message_id: str | None, text: str) -> None:
        """Process an update of a turn."""
        latest, self._latest = self._latest, (kind, message_id)
        if kind in updates.USER_MESSAGES:
            if latest == self._latest and self._users:
                self._users[-1] += text
            else:
                self._users.append(text)
        self._has_agent = self._has_agent or kind in updates.AGENT_MESSAGES

    def lacks(self, prompts: Sequence[str], *, answered: bool, whole: bool) -> str | None:
        """Return what is missing or repeated. `prompts`: the beginnings of those of turns that ended well.

        `answered`: the agent wrote something in these turns. `whole`: they are all turns of the session.
        """
        if not prompts:
            return None
        if not self._users:
            return "the history has no message of the user"
        if answered and not self._has_agent:
            return "the history has no message of the agent"
        said = [_plain(text) for text in self._users]
        # Agents may change a prompt's wording: a directory that has moved, a file that was attached.
        for number, prompt in enumerate(prompts if len(said) < len(prompts) else (), 1):
            if not any(_plain(prompt) in text for text in said):
                return f"prompt {number} of {len(prompts)} is not in the history: {short(prompt)}"
        if whole and len(said) == 2 * len(prompts) and said[: len(prompts)] == said[len(prompts) :]:
            return "the history is replayed twice"
        return None


def _plain(text: str) -> str:
    return " ".join(text.split())


def name(kind: str | None, title: str | None) -> str:
    """Return the name of a tool call that a user sees."""
    return " ".join(filter(None, (kind, title)))


def between(traces: Iterable[tuple[str, facts.Facts]], session_id: str) -> Iterator[LostBetween]:
    """Yield the findings that a load shows when compared with earlier traces of its session.

    `traces`: their ids and facts, in the order in which they began.
    """
    recorded: dict[str, RecordedCall] = {}
    worked: list[str] = []  #: the traces with turns that had output
    for number, (trace_id, trace) in enumerate(traces):
        session = next((one for one in trace.sessions if one.session_id == session_id), None)
        if session is None or session.opened_by == methods.NEW:
            recorded, worked = {}, []
        load = next(_loads(trace, session_id), None)
        if session is not None and load is not None:
            answer = load.response_frame or load.frame
            severity: Severity | None = "note" if trace.trace.lost_frames or trace.trace.damaged else None
            found = difference(recorded, _replayed(trace, load)) if session.replayed else None
            if found is not None:
                severity = severity or found.severity
                yield loss("history-differs", trace_id, answer, session_id, found.message, severity)
            elif worked and not session.replayed:
                text = (
                    f"session/load replayed nothing, though the session had turns in {short_trace(worked[0])}"
                )
                yield loss("history-missing", trace_id, answer, session_id, text, severity)
        mine = [turn for turn in trace.turns if turn.session_id == session_id]
        if any(turn.first_output_ns is not None for turn in mine):
            worked.append(trace_id)
        calls = (call for call in trace.tool_calls if call.session_id == session_id)
        recorded |= recorded_calls(calls, number, trace_id)


def _loads(trace: facts.Facts, session_id: str) -> Iterator[facts.Exchange]:
    """Yield the successful loads of a session before any turn of this trace."""
    first = min((turn.frame for turn in trace.turns if turn.session_id == session_id), default=None)
    for one in trace.exchanges:
        is_load = one.method == methods.LOAD and one.session_id == session_id
        if is_load and one.outcome == "result" and (first is None or one.frame < first):
            yield one


def _replayed(trace: facts.Facts, load: facts.Exchange) -> dict[str, str]:
    until = load.response_frame or 0
    return {
        call.id: name(call.kind, call.title)
        for call in trace.tool_calls
        if call.session_id == load.session_id and call.turn is None and load.frame < call.frame < until
    }
