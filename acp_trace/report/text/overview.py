"""The first section of `show`: who talked to whom, when, how much, how it ended, and what is missing."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Sequence

import msgspec
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.listing import command_name
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.trace.entries import RECORDED


def overview(
    trace: facts.Trace, damage: Sequence[tuple[int, str]], *, live: bool, width: int, findings: Text
) -> RenderableType:
    """A few lines; those about losses only where there are any."""
    client = words.name(trace.client_name, trace.client_version)
    argv = msgspec.json.decode(trace.agent_argv, type=list[str])
    agent = words.name(trace.agent_name, trace.agent_version, command_name(argv))
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f" {agent}", words.HEADING)
    text.append(" ⇄ ")
    text.append(client, words.HEADING)
    protocol = trace.protocol_version
    text.append(f"   protocol {protocol}" if protocol is not None else "   protocol not agreed")
    if findings:
        text.append("   ").append_text(findings)
    ended, colour = ("live", words.OPEN) if live else words.ended(trace)
    started = units.when(trace.started_at) if trace.started_at else "start not known"
    frames = f"{units.number(trace.frames_client)} ▸ {units.number(trace.frames_agent)} ◂ frames"
    parts = [started, units.duration(trace.duration_ns), frames]
    parts.append(units.size(trace.bytes_client + trace.bytes_agent))
    while sum(cell_len(part) + 3 for part in [*parts, ended]) - 2 > width and len(parts) > 1:
        parts.pop()  # how it ended is worth more than how much there was
    text.append("\n " + "   ".join(parts) + "   ").append(ended, colour)
    text.append(f"\n {safe(trace.id) or 'no id'}", words.FAINT)
    if trace.origin != RECORDED:
        of = f" of {safe(trace.replay_of)[-6:]}" if trace.replay_of else ""
        text.append(f"   {trace.origin}{of}", words.HEADING)
    text.append(f"   {safe(shlex.join(argv))}".rstrip(), words.FAINT)
    labels = msgspec.json.decode(trace.labels, type=dict[str, str])
    if labels:
        text.append("\n " + "   ".join(safe(f"{key}={value}") for key, value in labels.items()), words.FAINT)
    losses = [
        Text(f" {line}", words.ERROR, no_wrap=True)
        for loss in _losses(trace, damage)
        for line in textwrap.wrap(loss, max(width - 1, 20), subsequent_indent="  ")
    ]
    return Group(text, *losses)


def _losses(trace: facts.Trace, damage: Sequence[tuple[int, str]]) -> list[str]:
    losses = []
    if trace.error:
        losses.append(f"! the agent could not be started: {safe(trace.error)}")
    if trace.last_log is not None and (trace.exit_code or not trace.complete):
        count = "1 line" if trace.logs == 1 else f"{units.number(trace.logs)} lines"
        losses.append(f"! stderr ({count}), the last: {safe(trace.last_log)}")
    for sender, odd in (("client", trace.odd_client), ("agent", trace.odd_agent)):
        if odd:
            count = "1 frame" if odd == 1 else f"{units.number(odd)} frames"
            losses.append(f"! {count} of the {sender}: no JSON-RPC message")
    if trace.lost_frames:
        losses.append(
            f"! lost while recording: {units.number(trace.lost_frames)} frames, "
            f"{units.size(trace.lost_bytes)}"
        )
    if trace.damaged:
        shown = "; ".join(f"line {line} {safe(problem)}" for line, problem in damage[:3])
        more = "; …" if trace.damaged > 3 else ""
        count = "1 line" if trace.damaged == 1 else f"{units.number(trace.damaged)} lines"
        losses.append(f"! {count} of the file cannot be read: {shown}{more}")
    elif damage:
        losses.append(f"! line {damage[0][0]} {safe(damage[0][1])}")
    if trace.torn_bytes:
        losses.append(f"! the last line was torn and is cut: {units.size(trace.torn_bytes)}")
    return losses
