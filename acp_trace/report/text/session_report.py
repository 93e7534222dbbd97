"""`acp-trace show SESSION` for people: one session through all its traces."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.session_over_traces import SessionOverTraces, SessionPart, TracedFinding
from acp_trace.analyze.set_values import MODE, OptionKey
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.statements import consequences, phrases
from acp_trace.report.statements.status import Status
from acp_trace.report.statements.turns import ended
from acp_trace.report.text import styles, turn_bar
from acp_trace.report.text.columns import Cell, Column, paragraph, table
from acp_trace.report.text.findings import summary
from acp_trace.report.text.turns import time_note
from acp_trace.trace.counts import counted

#: The sections that a session has for all its traces together, by the names that `--section` takes.
OWN_SECTIONS = ("overview", "findings", "sessions", "config", "metadata")
_SHORT = 6  #: what of a trace's id names it
#: Rows of a section, unless all are asked for.
_MOST = 40
_ORDER: list[str] = list(SEVERITIES)

_Row = list[list[Cell]]
T = TypeVar("T")


def report(session: SessionOverTraces, width: int, sections: Sequence[str] = (), *, all_: bool) -> Text:
    """The head, then traces, findings, turns and what changed, or what of these is named by `sections`.

    What has no row is left out.
    """
    findings = list(session.findings())
    head = _head(session, [one.finding for one in findings], width)
    text = Text(no_wrap=True, overflow="ellipsis", end="")
    if not sections or "overview" in sections:
        text.append_text(head)

    def section(
        word: str,
        name: str,
        rows: Sequence[T],
        show: Callable[[Sequence[T]], Text],
        legend: Text | None = None,
    ) -> None:
        if not rows or (sections and word not in sections):
            return
        text.append("\n " if text else " ").append(name, f"{styles.HEADING} underline").append(
            f"  {units.number(len(rows))}"
        )
        if legend is not None:
            text.append("  ").append_text(legend)
        text.append("\n")
        text.append_text(show(rows if all_ else rows[:_MOST]))
        if not all_ and len(rows) > _MOST:
            text.append(f" … and {units.number(len(rows) - _MOST)} more: show --all\n", styles.FAINT)

    def in_columns(columns: Sequence[Column]) -> Callable[[Sequence[_Row]], Text]:
        return lambda rows: table(columns, rows, width)

    followed = {} if all_ else _followed(findings)
    independent = [traced for traced in findings if all_ or traced.finding.consequence_of is None]
    worst_first = sorted(independent, key=lambda traced: _ORDER.index(traced.finding.severity))
    section("sessions", "Traces", [_trace(part) for part in session.parts], in_columns(_TRACES))
    section("findings", "Findings", worst_first, lambda shown: _findings(shown, followed, width))
    has_bars = any(turn_bar.has_bar(turn) for part in session.parts for turn in part.facts.turns)
    legend = turn_bar.legend() if has_bars else None
    section("", "Turns", list(_turns(session, width)), lambda shown: _turn_table(shown, width), legend)
    section("config", "Configuration", list(_config(session.parts)), in_columns(_CONFIG))
    section("metadata", "Metadata", list(_metadata(session.parts)), in_columns(_METADATA))
    return text


def trace_heading(part: SessionPart) -> Text:
    """The line above what one trace has of the session."""
    trace = part.facts.trace
    text = Text(f" trace {_short(trace.id)}", styles.HEADING)
    if trace.started_at:
        text.append(f"   {units.when(trace.started_at)}", "default")
    return text.append(f"   {part.session.opened_by}", styles.FAINT)


def _head(session: SessionOverTraces, findings: Sequence[facts.Finding], width: int) -> Text:
    first, last = session.parts[0].facts.trace, session.parts[-1].facts.trace
    named = Text(f" {safe(session.session_id)}", styles.HEADING)
    if session.title:
        named.append(f'  "{safe(session.title)}"', "default")
    between = Text(f" {phrases.agent(last)}", styles.HEADING).append(" ⇄ ")
    between.append(phrases.client(last))
    turns = sum(len(part.facts.turns) for part in session.parts)
    counts = f"   {counted(len(session.parts), 'trace')}   {counted(turns, 'turn')}"
    between.append(counts, "default")
    if findings:
        between.append("   ").append_text(summary(findings))
    began, latest = (units.when(one.started_at) if one.started_at else "?" for one in (first, last))
    when = Text(f" {began}" + (f" – {latest}" if len(session.parts) > 1 else ""))
    if session.cwd:
        when.append(f"   {safe(session.cwd)}", styles.FAINT)
    return Text("\n").join([*(paragraph(line, width) for line in (named, between, when)), Text()])


_TRACES = (
    Column("trace"),
    Column("when"),
    Column("opened by"),
    Column("turns", right=True),
    Column("took", right=True),
    Column(""),
)


def _trace(part: SessionPart) -> _Row:
    trace = part.facts.trace
    how, stands = ("live", Status.OPEN) if part.live else phrases.ended(trace)
    return [
        _id(part.trace_id),
        [Cell(units.when_short(trace.started_at) if trace.started_at else "–")],
        [Cell(part.session.opened_by)],
        [Cell(units.number(len(part.facts.turns)) if part.facts.turns else "")],
        [Cell(units.duration(trace.duration_ns))],
        [Cell("" if how == "exit 0" else how, styles.of(stands))],
    ]


_Followed = Mapping[str, dict[int | None, list[facts.Finding]]]


def _followed(findings: Iterable[TracedFinding]) -> _Followed:
    """What follows from others, by trace and frame of those."""
    by_trace = group(findings, lambda traced: traced.trace_id)
    return {id_: consequences.by_cause(one.finding for one in mine) for id_, mine in by_trace.items()}


def _findings(findings: Sequence[TracedFinding], followed: _Followed, width: int) -> Text:
    """Below each is its message, and below that its consequences."""
    text = Text(no_wrap=True, overflow="ellipsis", end="")
    for trace_id, finding in findings:
        text.append(f" {finding.severity}", styles.SEVERITIES.get(finding.severity))
        text.append(f"  {finding.code}  ")
        text.append(finding.blame, styles.COLOURS.get(finding.blame))
        text.append(f"  {_short(trace_id)} ").append(phrases.address(finding), styles.FAINT)
        text.append(f"  × {units.number(finding.count)}\n" if finding.count > 1 else "\n")
        follow = followed.get(trace_id, {}).pop(finding.frame, [])
        below = [safe(finding.message), consequences.phrase(follow)]
        for line in (line for part in below for line in textwrap.wrap(part, max(width - 3, 20))):
            text.append(f"   {line}\n")
    return text


_TURNS = (
    Column("turn", right=True),
    Column("trace"),
    Column("frame", right=True),
    Column("prompt", flexible=True, wraps=True),
    Column("how"),
    Column("took", right=True),
)


def _turns(session: SessionOverTraces, width: int) -> Iterator[tuple[_Row, _Row]]:
    """Numbered through all traces; and where the time of each went."""
    for part in session.parts:
        unsettled = {turn.turn: turn for turn in part.facts.unsettled_turns}
        for turn in part.facts.turns:
            is_open = unsettled.get(turn.turn)
            took_ns = turn.duration_ns if is_open is None else is_open.open_ns
            how, stands = ended(turn)
            yield (
                [
                    [Cell(str(part.first_turn + turn.turn))],
                    _id(part.trace_id),
                    _frame(turn.frame),
                    [Cell(phrases.prompt(turn.prompt or "", is_cut=turn.prompt_cut, blanks=True))],
                    [Cell(how, styles.of(stands))],
                    [Cell("" if took_ns is None else units.duration(took_ns))],
                ],
                [[], [], [], time_note(turn, is_open, width=width, live=part.live), [], []],
            )


def _turn_table(turns: Sequence[tuple[_Row, _Row]], width: int) -> Text:
    return table(_TURNS, [row for rows in turns for row in rows], width)


_CONFIG = (
    Column("trace"),
    Column("frame", right=True),
    Column("option"),
    Column("", flexible=True, wraps=True),
    Column("how"),
)
_CAUSES = {"setup": "on opening", "set": "by client", "agent": "by agent"}


def _config(parts: Iterable[SessionPart]) -> Iterator[_Row]:
    """What changed, also from one trace to the next: a value that an option had already is not a change."""
    values: dict[OptionKey, str | None] = {}
    for part in parts:
        for frame, cause, key, after in _settings(part, values):
            before = values.get(key)
            values[key] = after
            if before == after:
                continue
            lost = before is not None and cause == "setup"
            shown = (
                phrases.value(after)
                if before is None
                else f"{phrases.value(before)} → {phrases.value(after)}"
            )
            yield [
                _id(part.trace_id),
                _frame(frame),
                [Cell(safe(key.option) + (" (legacy)" if key.legacy else ""))],
                [Cell(shown, styles.OPEN if lost else None)],
                [Cell(_CAUSES.get(cause, cause))],
            ]


def _settings(
    part: SessionPart, earlier: Mapping[OptionKey, str | None]
) -> Iterator[tuple[int, str, OptionKey, str | None]]:
    """Frame, cause, option and value, in the order of the frames. `earlier`: the values before each.

    An agent that has options may leave out the legacy modes when it opens a session again. Then the option
    `mode` says what became of a mode that was set the legacy way, also if the option itself has not changed.
    """
    entries = group(part.facts.config_entries, lambda entry: entry.frame)
    changes = group(part.facts.config_changes, lambda change: change.frame)
    option, legacy = OptionKey(False, MODE), OptionKey(True, MODE)
    has_mode = False
    for frame in sorted({*entries, *changes}):
        causes = {entry.legacy: entry.cause for entry in entries.get(frame, ())}
        for change in changes.get(frame, ()):
            if change.change not in ("added", "value", "removed"):
                continue
            key = OptionKey(change.legacy, change.option or "")
            has_mode = change.change != "removed" if key == option else has_mode
            yield frame, causes.get(change.legacy, ""), key, change.after
        if causes == {False: "setup"} and has_mode and legacy in earlier:
            yield frame, "setup", legacy, earlier[option]


_METADATA = (
    Column("trace"),
    Column("frame", right=True),
    Column("what"),
    Column("", flexible=True, wraps=True),
)


def _metadata(parts: Iterable[SessionPart]) -> Iterator[_Row]:
    """The values that changed, in any trace."""
    values: dict[str, str | None] = {}
    for part in parts:
        for change in part.facts.metadata_changes:
            before = values.get(change.path)
            values[change.path] = change.after
            if before == change.after:
                continue
            shown = (
                f"{phrases.value(before)} → {phrases.value(change.after)}"
                if before
                else phrases.value(change.after)
            )
            yield [_id(part.trace_id), _frame(change.frame), [Cell(safe(change.path))], [Cell(shown)]]


def _id(trace_id: str) -> list[Cell]:
    return [Cell(_short(trace_id))]


def _short(trace_id: str) -> str:
    return safe(trace_id)[-_SHORT:]


def _frame(frame: int) -> list[Cell]:
    return [Cell(f"#{frame}", styles.FAINT)]
