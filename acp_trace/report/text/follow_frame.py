"""What `frames --follow` prints around the lines of a trace: its name, who talks, how it ended.

`short` is the end of the trace's id, in front of every line where several traces are followed.
"""

from __future__ import annotations

import shlex

import msgspec
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.trace.counts import counted


def head(trace: facts.Trace, short: str | None) -> Text:
    """Which trace it is: its id, the agent's command, when it began."""
    started = units.when(trace.started_at) if trace.started_at else ""
    parts = [safe(trace.id) or "no id", started, safe(shlex.join(_argv(trace)))]
    return _start(short).append("   ".join(filter(None, parts)), styles.FAINT)


def talkers(trace: facts.Trace, short: str | None) -> Text | None:
    """Agent and client with their versions; None as long as the agent has not answered."""
    if trace.agent_name is None and trace.protocol_version is None:
        return None
    text = _start(short)
    text.append(phrases.agent(trace), styles.HEADING).append(" ⇄ ")
    text.append(phrases.client(trace), styles.HEADING)
    protocol = trace.protocol_version
    return text.append("" if protocol is None else f"   protocol {protocol}")


def closing(trace: facts.Trace, short: str | None) -> Text:
    """How it ended, how much there was, how long it took, what was lost."""
    how, stands = phrases.ended(trace)
    text = _start(short).append("ended: ", styles.FAINT).append(how, styles.of(stands))
    parts = [
        f"{units.number(trace.frames_client)} ▸ {units.number(trace.frames_agent)} ◂ frames",
        units.duration(trace.duration_ns),
    ]
    if trace.lost_frames or trace.lost_bytes:
        parts.append(f"{counted(trace.lost_frames, 'frame')}, {units.size(trace.lost_bytes)} not recorded")
    return text.append("".join(f"   {part}" for part in parts))


def _argv(trace: facts.Trace) -> list[str]:
    return msgspec.json.decode(trace.agent_argv, type=list[str])


def _start(short: str | None) -> Text:
    text = Text(no_wrap=True, end="")
    return text.append(f"{short} " if short else " ", styles.FAINT)
