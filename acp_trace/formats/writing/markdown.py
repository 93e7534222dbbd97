"""A trace as a report to paste into an issue: summary, turns, findings with their frames, failed requests.

All text from the traffic is in code, where nothing links, mentions a user or is drawn. The size stays below
GitHub's limit for a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from acp_trace import __version__
from acp_trace.analyze.facts import Facts, Finding, Turn
from acp_trace.analyze.findings.crash import is_ended_by_client
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.peers import agent_shown, client_shown
from acp_trace.formats.writing.plain import one_line
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.trace.counts import counted
from acp_trace.trace.durations import NS_PER_S, duration
from acp_trace.trace.entries import IMPORTED

#: Frames before and after the one that a finding is about.
_AROUND = 3
#: The most items that are listed: a comment on GitHub holds 65,536 characters.
_FINDINGS, _ROWS = 20, 30
#: Characters of a frame's line, and of the frame that a finding is about.
_LINE, _FRAME = 140, 1000
_ARROWS = {"client": "▸", "agent": "◂"}
_TICKS = re.compile("`+")


def write(trace: ExportedTrace) -> Iterator[bytes]:
    """The report, section by section."""
    facts = trace.facts
    for section in (_summary(facts), _turns(facts.turns), _findings(trace), _failed(facts)):
        text = "\n".join(section)
        if text:
            yield text.encode() + b"\n\n"
    yield f"Written by `acp-trace export --to markdown`, version {__version__}.\n".encode()


def _summary(facts: Facts) -> Iterator[str]:
    trace = facts.trace
    agent = " ".join(filter(None, (agent_shown(trace), trace.agent_version)))
    client = " ".join(filter(None, (client_shown(trace), trace.client_version)))
    yield f"## ACP trace: {_code(agent)} ⇄ {_code(client)}"
    yield ""
    yield from _table(("", ""), _about(facts))


def _about(facts: Facts) -> Iterator[tuple[str, str]]:
    trace = facts.trace
    yield "trace", _code(trace.id)
    if trace.imported_from:
        yield "imported from", _code(trace.imported_from) + ("" if trace.has_times else ", without times")
    if trace.started_at:
        yield "began", _code(trace.started_at)
    if trace.duration_ns is not None:
        yield "took", duration(trace.duration_ns)
    if trace.protocol_version is not None:
        yield "protocol", str(trace.protocol_version)
    yield "command", _code(trace.agent_argv)
    yield "frames", f"{trace.frames_client} of the client, {trace.frames_agent} of the agent"
    if trace.lost_frames or trace.damaged or trace.torn_bytes:
        lost, damaged = counted(trace.lost_frames, "lost frame"), counted(trace.damaged, "damaged line")
        yield "missing", f"{lost}, {damaged}"
    yield "ended", _ended(facts)
    yield "sessions", f"{len(facts.sessions)}, with {counted(len(facts.turns), 'turn')}"
    if facts.model_calls:
        yield "model", counted(len(facts.model_calls), "call")
    if trace.last_log:
        yield "last line of stderr", _code(trace.last_log)


def _ended(facts: Facts) -> str:
    trace = facts.trace
    if trace.error:
        done = "reached" if trace.exit_code is None else "started"
        return f"the agent could not be {done}: {_code(trace.error)}"
    if trace.signal is not None:
        is_asked = trace.aborted is None and is_ended_by_client(
            trace.signal, None, client_left=trace.client_left
        )
        return f"{'ended by its client, ' if is_asked else ''}signal {trace.signal}"
    if trace.exit_code is not None:
        return f"exit {trace.exit_code}"
    return "normally" if trace.complete else "the trace has no end"


def _turns(turns: Sequence[Turn]) -> Iterator[str]:
    if not turns:
        return
    yield "### Turns"
    yield ""
    rows = (
        (
            _code(f"#{turn.frame}"),
            _code(turn.prompt or ""),
            _code(turn.stop_reason or _ending(turn)),
            "" if turn.duration_ns is None else duration(turn.duration_ns),
        )
        for turn in turns[:_ROWS]
    )
    yield from _table(("frame", "prompt", "end", "took"), rows)
    yield from _more(len(turns) - _ROWS)


def _ending(turn: Turn) -> str:
    return "open" if turn.settled_frame is None else f"error {turn.error_code}"


def _findings(trace: ExportedTrace) -> Iterator[str]:
    findings = trace.facts.findings
    if not findings:
        yield "### Findings"
        yield ""
        yield "None."
        return
    listed = sorted(findings, key=lambda each: _RANK.get(each.severity, len(_RANK)))[:_FINDINGS]
    frames = _frames_around(trace, {finding.frame for finding in listed})
    yield f"### Findings: {len(findings)}"
    for finding in listed:
        yield ""
        yield from _finding(trace, finding, frames)
    yield from _more(len(findings) - _FINDINGS)


_RANK = {"error": 0, "warning": 1, "note": 2}


def _frames_around(trace: ExportedTrace, numbers: set[int]) -> dict[int, Frame]:
    near = {number + step for number in numbers for step in range(-_AROUND, _AROUND + 1)}
    return {frame.frame: frame for frame in trace.frames() if frame.frame in near}


def _finding(trace: ExportedTrace, finding: Finding, frames: dict[int, Frame]) -> Iterator[str]:
    times = "" if finding.count == 1 else f", {finding.count} times"
    where = _code(f"#{finding.frame}")
    yield f"#### {finding.severity}: `{finding.code}`"
    yield ""
    yield f"{finding.blame}, {where}{times}: {_code(finding.message, 300)}"
    near = range(finding.frame - _AROUND, finding.frame + _AROUND + 1)
    lines = [_frame_line(trace, frames[number], finding.frame) for number in near if number in frames]
    shown = frames.get(finding.frame)
    if shown is not None:
        lines += ["", one_line(shown.data.decode("utf-8", "backslashreplace"), _FRAME)]
    yield ""
    yield from _fenced(lines)


def _frame_line(trace: ExportedTrace, frame: Frame, about: int) -> str:
    mark = ">" if frame.frame == about else " "
    t = "" if frame.t_ns is None else f"{frame.t_ns / NS_PER_S:.3f} "
    what = frame.update or frame.method or frame.kind.value
    words = f"{mark} #{frame.frame} {t}{_ARROWS.get(frame.sender, '?')} {frame.kind.value} {what}"
    return one_line(f"{words} {trace.gist(frame)}".rstrip(), _LINE)


def _failed(facts: Facts) -> Iterator[str]:
    failed = [exchange for exchange in facts.exchanges if exchange.outcome != "result"]
    if not failed:
        return
    unanswered = "not in the log" if facts.trace.origin == IMPORTED else "never answered"
    yield f"### Failed or never answered: {len(failed)}"
    yield ""
    rows = (
        (
            _code(f"#{each.frame}"),
            each.sender,
            _code(each.method),
            unanswered if each.outcome == "open" else _code(f"{each.error_code} {each.error_message or ''}"),
        )
        for each in failed[:_ROWS]
    )
    yield from _table(("frame", "sent by", "method", "error"), rows)
    yield from _more(len(failed) - _ROWS)


def _more(left_out: int) -> Iterator[str]:
    if left_out > 0:
        yield ""
        yield f"… and {left_out} more"


def _table(names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield _row(names)
    yield _row(("---",) * len(names))
    yield from map(_row, rows)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _code(text: str, width: int = 120) -> str:
    """Text of the traffic in a line; nothing for nothing."""
    shown = one_line(text, width).strip()
    if not shown:
        return ""
    ticks = _longer(shown)
    return f"{ticks} {shown} {ticks}" if "`" in shown else f"`{shown}`"


def _fenced(lines: Sequence[str]) -> Iterator[str]:
    fence = max("```", *map(_longer, lines), key=len)
    yield f"{fence}text"
    yield from lines
    yield fence


def _longer(text: str) -> str:
    """A fence of more backticks than any run of them in a text."""
    return "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
