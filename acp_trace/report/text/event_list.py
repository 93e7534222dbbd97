"""What a frame, or the end, added to the facts, in a line each: for `frames --follow`. And its JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.session_names import UNNAMED, SessionNames
from acp_trace.report.statements import consequences, phrases
from acp_trace.report.statements.turns import ended
from acp_trace.report.text import call_list, styles, turns
from acp_trace.report.text.timeline import events
from acp_trace.report.text.timeline_table import TimelineEvent

#: Facts that JSON has; turns, tool calls and exchanges are the frames themselves.
_KINDS = ("metadata_changes", "config_entries", "config_changes", "cancellations", "findings")

#: As wide as `warning` and `turn 10`: most names.
_NAME = 7


def lines(
    frame: Frame,
    fresh: facts.Facts,
    trace: str | None = None,
    *,
    alone: bool,
    work: bool = False,
    width: int | None = None,
    names: SessionNames = UNNAMED,
) -> Iterator[Text]:
    """A line for each event: metadata, configuration, cancels, findings. `trace`: a short id in front.

    `alone`: the frame's own line is not shown, so its number and time are shown here. `work`: turns, tool
    calls and permissions as well, which frames show by themselves. A finding's message continues in the next
    lines if `width` is not enough.
    """
    place = f"{frame.frame:>6} {units.since_start(frame.t_ns):>8}" if alone else " " * 15
    shown = [*events(replace(fresh, turns=[]), live=True)]
    for session_id, event in [*_work(fresh, names), *shown] if work else shown:
        yield _line(event, place, trace, names.beside(session_id or None))
    for finding in fresh.findings:
        yield from _finding(finding, place, trace, width)


def ending(
    left: facts.Facts,
    trace: str | None = None,
    *,
    work: bool = False,
    width: int | None = None,
    names: SessionNames = UNNAMED,
) -> Iterator[Text]:
    """The same for what only the end says: turns and cancels left open, findings, each with its own frame."""

    def place(frame: int) -> str:
        return f"{frame:>6} {units.since_start(left.trace.duration_ns):>8}"

    for turn in left.turns if work else ():
        name = names.label(turn.session_id, turn.turn)
        event = TimelineEvent(turn.t_ns, turn.frame, name, "never ended", "", styles.OPEN)
        yield _line(event, place(turn.frame), trace)
    for session_id, event in events(replace(left, turns=[])):
        yield _line(event, place(event.frame), trace, names.beside(session_id or None))
    for finding in left.findings:
        yield from _finding(finding, place(finding.frame), trace, width)


def call_line(call: facts.ModelCall, t_ns: int, trace: str | None = None) -> Text:
    """A line for a call of the model that has ended. It has no frame."""
    how, style = call_list.how(call)
    tools = ", ".join(call_list.asked_for(call))
    what = " ".join(filter(None, (f"call {call.call}", safe(call.model or ""))))
    what += f", asks for {tools}" if tools else ""
    event = TimelineEvent(call.started_ns, 0, "model", what, how, style, call.duration_ns)
    return _line(event, f"{'':>6} {units.since_start(t_ns):>8}", trace)


def calls_as_json(calls: Iterable[facts.ModelCall]) -> dict[str, Any]:
    """The same for programs."""
    return {"model_calls": [asdict(call) for call in calls]}


def as_json(fresh: facts.Facts) -> dict[str, Any]:
    """The same for programs: the facts by their table, those that there are."""
    named = {name: getattr(fresh, name) for name in _KINDS}
    return {name: [asdict(one) for one in some] for name, some in named.items() if some}


def _work(fresh: facts.Facts, names: SessionNames) -> Iterator[tuple[str, TimelineEvent]]:
    """Turns, tool calls and permissions that have begun or ended. A turn names its session itself."""
    for turn in fresh.turns:
        name = names.label(turn.session_id, turn.turn)
        if turn.settled_frame is None:
            what = (
                f'begins "{phrases.prompt(turn.prompt, is_cut=turn.prompt_cut)}"' if turn.prompt else "begins"
            )
            yield "", TimelineEvent(turn.t_ns, turn.frame, name, what)
        else:
            how, stands = ended(turn)
            took_ns = turn.duration_ns
            yield "", TimelineEvent(turn.t_ns, turn.frame, name, "ends", how, styles.of(stands), took_ns)
    yield from turns.rows(fresh, all_=True, live=True)


def _finding(finding: facts.Finding, place: str, trace: str | None, width: int | None) -> Iterator[Text]:
    text = _start(finding.severity, styles.SEVERITIES[finding.severity] or "", place, trace)
    indent = text.cell_len
    text.append(f"{finding.code} ")
    text.append(finding.blame, styles.COLOURS.get(finding.blame))
    message = f"  {safe(finding.message)}{consequences.cause(finding)}"
    if width is None or text.cell_len + cell_len(message) <= width:
        yield text.append(message)
        return
    yield text
    for line in textwrap.wrap(message.strip(), max(width - indent, 20)):
        yield Text(" " * indent + line, no_wrap=True, overflow="ellipsis", end="")


def _line(event: TimelineEvent, place: str, trace: str | None, session: str = "") -> Text:
    text = _start(event.name, styles.HEADING, place, trace)
    text.append(f"{session} " if session else "", styles.FAINT)
    text.append(f"{event.what}  ")
    text.append(event.how, event.style)
    if event.took_ns is not None:
        text.append(f" after {units.duration(event.took_ns)}")
    text.rstrip()
    return text


def _start(name: str, style: str, place: str, trace: str | None) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis", end="")
    if trace:
        text.append(f"{trace} ", styles.FAINT)
    text.append(f"{place} • ", styles.FAINT)
    text.append(f"{name:<{_NAME}}", style)
    return text.append("  ")
