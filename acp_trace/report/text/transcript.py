"""`show --transcript`: the conversation of each session for people to read, and to pipe: no text is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe, safe_lines
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import subagent
from acp_trace.report.statements.cancels import who_cancelled
from acp_trace.report.statements.turns import ended
from acp_trace.report.text import styles, turns
from acp_trace.report.text.sessions import style_of
from acp_trace.report.text.timeline_table import TimelineEvent
from acp_trace.report.work_tree import WorkTree
from acp_trace.story.transcript import TranscriptItem
from acp_trace.trace.counts import counted

_INDENT = "  "


def transcript(
    trace_facts: facts.Facts, items: Mapping[str, Iterable[TranscriptItem]], *, live: bool
) -> Iterator[Text]:
    """Session by session, a blank line between what different people said."""
    sessions = {session.session_id: session for session in trace_facts.sessions}
    rows = {row.frame: row for _, row in turns.rows(trace_facts, all_=True, live=live)}
    names, tree = names_of(trace_facts), WorkTree(trace_facts)
    for at, (session_id, of_session) in enumerate(items.items()):
        session = sessions[session_id]
        title = f'  "{safe(session.title)}"' if session.title else ""
        title += f"  {of}" if (of := subagent.said(session, names)) else ""
        text = Text("\n" if at else "").append("session ", styles.HEADING)
        if name := names.beside(session_id):
            text.append(name, style_of(session_id, names)).append("  ")
        yield text.append(f"{safe(session_id)}{title}", styles.HEADING)
        before: list[facts.ToolCall] = []
        for item in of_session:
            above = tree.above(session_id, item.parent)
            if above and above != before:
                calls = " ▸ ".join(safe(call.title or call.id) for call in above)
                yield Text(f"\n{_INDENT * (len(above) - 1)}↳ {calls}", styles.FAINT)
            before = above
            if item.kind == "end" and isinstance(item.fact, facts.Turn):
                yield from _end(item.fact, names)
                continue
            if isinstance(item.fact, facts.Session):
                yield _subagent(item.fact, names)
                continue
            for number, line in enumerate(_LINES.get(item.kind, _said)(item, rows)):
                if item.by is not None and not number:
                    line.append(f" from {names.of(item.by)}")
                yield _indented(line, len(above))


def _indented(text: Text, depth: int) -> Text:
    """The lines of a subagent's item, each behind its rail."""
    if not depth:
        return text
    lines = text.split("\n", allow_blank=True)
    rail = Text("│ " * depth, styles.FAINT)
    return Text("\n").join(line if not line.plain else rail.copy().append_text(line) for line in lines)


_Rows = Mapping[int, TimelineEvent]


def _said(item: TranscriptItem, _rows: _Rows) -> Iterator[Text]:
    """Who says it, and the whole text below."""
    is_thought = item.kind == "thought"
    colour = {"user": styles.COLOURS["client"], "agent": styles.COLOURS["agent"]}.get(item.kind, styles.FAINT)
    marked = f"{item.kind} (history update)" if item.is_history else item.kind
    yield Text(f"\n{marked}", colour)
    for line in safe_lines(item.text.replace("\r\n", "\n")).split("\n"):
        yield Text(f"{_INDENT}{line}".rstrip(), styles.FAINT if is_thought else "")


def _work(item: TranscriptItem, rows: _Rows) -> Iterator[Text]:
    """A tool call or a permission: what, how it ended, how long it took."""
    row = rows.get(item.frame)
    if row is None:  # of no turn
        call = item.fact
        what = safe(call.title or call.id) if isinstance(call, facts.ToolCall) else ""
        status = safe(call.status or "") if isinstance(call, facts.ToolCall) else ""
        mark = " (history update)" if item.is_history else ""
        yield Text(f"\n{item.kind}{mark}  {what}  {status}".rstrip())
        return
    text = Text(f"\n{item.kind}  ", styles.FAINT)
    text.append(row.what.removeprefix("permission: "), "default").append("  ").append(row.how, row.style)
    if row.took_ns is not None:
        text.append(f"  {units.duration(row.took_ns)}", styles.FAINT)
    yield text


def _cancel(item: TranscriptItem, _rows: _Rows) -> Iterator[Text]:
    if isinstance(item.fact, facts.Cancellation):
        yield Text(f"\ncancel  {who_cancelled(item.fact)}", styles.OPEN)


def _end(turn: facts.Turn, names: SessionNames) -> Iterator[Text]:
    how, stands = ended(turn)
    text = Text(f"\n{names.turn(turn.session_id, turn.turn)} ended  ", styles.FAINT)
    yield text.append(how, styles.of(stands) or "default").append(f"  {units.duration(turn.duration_ns)}")


def _subagent(session: facts.Session, names: SessionNames) -> Text:
    text = Text("\nsubagent  ", styles.FAINT).append(subagent.what(session, names), "default")
    took = session.subagent_ns
    return text.append("" if took is None else f"  {units.duration(took)}", styles.FAINT)


def _history(item: TranscriptItem, _rows: _Rows) -> Iterator[Text]:
    yield Text(f"\n({counted(item.count, 'history update')} left out: --all)", styles.FAINT)


_LINES = {
    "tool": _work,
    "permission": _work,
    "cancel": _cancel,
    "history": _history,
}
