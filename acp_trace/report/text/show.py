"""`acp-trace show` for people: the sections in their order. Each section has its own module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.console import Console, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.findings.crash import CRASH
from acp_trace.report import units
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import silence, spent, stderr, time_spent
from acp_trace.report.statements.model_calls import astray
from acp_trace.report.statements.stderr import LogLine
from acp_trace.report.text import model_calls, streams, styles, turn_bar
from acp_trace.report.text.cancels import cancellations
from acp_trace.report.text.config import configuration
from acp_trace.report.text.failures import trouble
from acp_trace.report.text.findings import findings, summary
from acp_trace.report.text.latency import latency
from acp_trace.report.text.logs import LAST, logs
from acp_trace.report.text.metadata import metadata
from acp_trace.report.text.overview import overview
from acp_trace.report.text.sessions import sessions
from acp_trace.report.text.timeline import timeline
from acp_trace.trace.counts import counted


class Page(NamedTuple):
    """What is to be shown, and how."""

    found: facts.Facts
    damage: Sequence[tuple[int, str]]
    live: bool
    width: int
    all_: bool
    logs: Sequence[LogLine] = ()  #: all that the agent wrote to stderr, or the last lines
    one_turn: bool = False  #: what is to be shown is one turn, so all that it did


class ShowSection(NamedTuple):
    """A heading and its section; the first has no heading."""

    heading: Text | None
    body: RenderableType


def _heading(name: str, more: str | Text = "") -> Text:
    text = Text(f" {name}", f"{styles.HEADING} underline")
    if more:
        text = (
            Text()
            .append_text(text)
            .append("  ")
            .append_text(Text(str(more)) if isinstance(more, str) else more)
        )
    return text


def _overview(page: Page) -> ShowSection:
    trace_facts = page.found
    longest = silence.longest(trace_facts, live=page.live)
    times = time_spent.time_spent(trace_facts)
    body = overview(
        trace_facts.trace,
        page.damage,
        live=page.live,
        width=page.width,
        findings=summary(trace_facts.findings),
        model=[*model_calls.overview(trace_facts, live=page.live, with_tokens=False)],
        spent=spent.sentence(spent.spent(trace_facts), names_of(trace_facts)),
        time_spent=time_spent.sentence(times, trace_facts.turns, names_of(trace_facts)) if times else "",
        silence=silence.sentence(longest) if longest else "",
        unseen="" if page.live else model_calls.unseen(trace_facts),
        has_crashed=any(finding.code == CRASH for finding in trace_facts.findings),
    )
    return ShowSection(None, body)


def _sessions(page: Page) -> ShowSection | None:
    if not page.found.sessions:
        return None
    heading = _heading("Sessions", str(len(page.found.sessions)))
    return ShowSection(heading, sessions(page.found, page.width, all_=page.all_))


def _timeline(page: Page) -> ShowSection | None:
    if not page.found.sessions:
        return None
    body = timeline(page.found, page.width, all_=page.all_, live=page.live, all_work=page.one_turn)
    has_bars = any(turn_bar.has_bar(turn) for turn in page.found.turns)
    return ShowSection(_heading("Timeline", turn_bar.legend(page.found.turns) if has_bars else ""), body)


def _model(page: Page) -> ShowSection | None:
    if not (every := page.found.model_calls):
        return None
    more = " · ".join(filter(None, (units.number(len(every)), astray(page.found))))
    body = model_calls.calls(page.found, page.width, all_=page.all_ or page.one_turn, live=page.live)
    return ShowSection(_heading("Model calls", more), body)


def _config(page: Page) -> ShowSection | None:
    body = configuration(page.found, page.width, all_=page.all_)
    return None if body is None else ShowSection(_heading("Configuration"), body)


def _metadata(page: Page) -> ShowSection | None:
    body = metadata(page.found, page.width, all_=page.all_)
    return None if body is None else ShowSection(_heading("Metadata"), body)


def _cancellations(page: Page) -> ShowSection | None:
    if not (mine := page.found.cancellations):
        return None
    return ShowSection(
        _heading("Cancellations", str(len(mine))), cancellations(page.found, page.width, all_=page.all_)
    )


def _streams(page: Page) -> ShowSection | None:
    if not (every := page.found.streams):
        return None
    body = streams.table(
        every, page.width, all_=page.all_ or page.one_turn, live=page.live, names=names_of(page.found)
    )
    return ShowSection(_heading("Streams", streams.counts(every)), body)


def _latency(page: Page) -> ShowSection | None:
    if not page.found.exchanges or not page.found.trace.has_times:
        return None
    return ShowSection(_heading("Latency"), latency(page.found, page.width))


def _failed(page: Page) -> ShowSection | None:
    count, more, body = trouble(page.found, page.width, all_=page.all_, live=page.live, logs=page.logs)
    if not count:
        return None
    if more:
        body.append(f" … and {more} more: show --all\n", styles.FAINT)
    name = "Failed or still open" if page.live or page.found.trace.aborted else "Failed or never ended"
    return ShowSection(_heading(name, str(count)), body)


def _findings(page: Page) -> ShowSection | None:
    if not (mine := page.found.findings):
        return None
    count = page.found.trace.logs
    body = findings(
        mine,
        page.width,
        all_=page.all_,
        logs=page.logs,
        log_count=count,
        windows=stderr.finding_windows(page.found) if page.logs else {},
        names=names_of(page.found),
    )
    return ShowSection(_heading("Findings", summary(mine)), body)


def _logs(page: Page) -> ShowSection | None:
    if not page.logs:
        return None
    heading = _heading("Logs", counted(page.found.trace.logs, "line"))
    return ShowSection(heading, logs(page.logs, page.width, all_=page.all_))


#: A section that is shown only if it is asked for: an agent can write a lot.
LOGS = "logs"

#: By the names that `--section` takes, in their order.
SECTIONS: dict[str, Callable[[Page], ShowSection | None]] = {
    "overview": _overview,
    "findings": _findings,
    "sessions": _sessions,
    "timeline": _timeline,
    "model": _model,
    "config": _config,
    "metadata": _metadata,
    "cancellations": _cancellations,
    "streams": _streams,
    "latency": _latency,
    "failed": _failed,
    LOGS: _logs,
}


#: The line for a section that is asked for, but has nothing to show.
_NOTHING = {
    "findings": "no findings",
    "sessions": "no sessions",
    "timeline": "no turns, and nothing else with a place in time",
    "model": "no model calls recorded",
    "config": "no configuration options or modes",
    "metadata": "no titles or other metadata",
    "cancellations": "no cancels",
    "streams": "no streams: this was not recorded over HTTP or WebSocket",
    "latency": "no requests with times",
    "failed": "no request failed or stayed open",
    LOGS: "no stderr recorded",
}


def log_lines(
    trace_facts: facts.Facts, read: Callable[[], Iterable[tuple[int, str]]], sections: Sequence[str]
) -> list[LogLine]:
    """What of stderr is to be shown: all, the last lines of an agent that crashed, or those beside trouble.

    `read`: gives all that the agent wrote, as `Source.logs` does; called only if something is to be shown.
    """
    if LOGS in sections:
        has_times = trace_facts.trace.has_times
        return stderr.marked(trace_facts, (LogLine(t if has_times else None, line) for t, line in read()))
    crashed = any(finding.code == CRASH for finding in trace_facts.findings)
    return stderr.lines(trace_facts, read, last=LAST if crashed else 0)


def show(console: Console, page: Page, names: Sequence[str] = ()) -> None:
    """Prints the report of one trace, or these sections of it."""
    first = True
    for name, make in SECTIONS.items():
        if name not in names if names else name == LOGS:
            continue
        if (section := make(page)) is None:
            if names and (nothing := _NOTHING.get(name)):  # asked for: silence would not answer
                console.print(nothing if first else f"\n{nothing}")
                first = False
            continue
        if section.heading is not None:
            console.print(section.heading if first else Text("\n").append_text(section.heading))
        body = section.body
        end = "" if isinstance(body, Text) and body.plain.endswith("\n") else "\n"
        console.print(body, crop=False, end=end)  # no text in it is wider than the page
        first = False
