"""The first section of `show`: who talked to whom, when, how much, how it ended, and what is missing."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.statements.status import Status
from acp_trace.report.statements.stderr import readable
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, paragraph
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import RECORDED

#: Where a duration may not be broken.
_DURATION = re.compile(r"(?<=\d) (?=(?:ns|µs|ms|s|min|h)\b)")


def overview(
    trace: facts.Trace,
    damage: Sequence[tuple[int, str]],
    *,
    live: bool,
    width: int,
    findings: Text,
    model: Sequence[Text] = (),
    unseen: str = "",
    spent: str = "",
    time_spent: str = "",
    silence: str = "",
    has_crashed: bool = False,
) -> RenderableType:
    """A few lines; those about losses only if there are any.

    `model`: the line about the model's side. `unseen`: why that was recorded, but has nothing to show.
    `spent`: total tokens and cost, and which turn took most; empty if they were not reported.
    `time_spent`: how much time passed in turns and outside; empty if that is unknown.
    `silence`: the longest time without a frame, and who owed an answer; empty if it was short.
    `has_crashed`: a finding says so, and shows the last lines of stderr.
    """
    argv = msgspec.json.decode(trace.agent_argv, type=list[str])
    protocol = trace.protocol_version
    over = f" over {name}" if (name := phrases.NETWORKS.get(trace.transport or "")) else ""
    sides, agreed = (
        f"{phrases.agent(trace)} ⇄ {phrases.client(trace)}",
        f"protocol {'not agreed' if protocol is None else protocol}{over}",
    )
    if phrases.is_only_models(trace):
        sides, agreed = "an agent ⇄ its model", "no ACP in the log"
    head = [Text(sides, styles.HEADING), Text(agreed), findings]
    ended, stands = ("live", Status.OPEN) if live else phrases.ended(trace)
    run = [
        Text(units.when(trace.started_at) if trace.started_at else "start unknown"),
        Text("no times" if trace.duration_ns is None else units.duration(trace.duration_ns)),
        *([] if phrases.is_only_models(trace) else _frames(trace)),
        Text(f"stderr {counted(trace.logs, 'line')}" if trace.logs else ""),
        Text(ended, styles.of(stands) or ""),
    ]
    of = f" of {safe(trace.replay_of)[-6:]}" if trace.replay_of else ""
    origin = Text(
        "" if trace.origin == RECORDED else f"{trace.origin}{phrases.source(trace)}{of}", styles.HEADING
    )
    command = [Text(safe(trace.id) or "no id"), origin, Text(safe(shlex.join(argv)))]
    labels = msgspec.json.decode(trace.labels, type=dict[str, str])
    named = [Text(safe(f"{key}={value}")) for key, value in labels.items()]
    for part in (*head, *run, *model, *named):
        part.plain = part.plain.replace(" ", GLUE)
    lines = [_line(parts, width) for parts in (head, run, model)]
    if faults := phrases.faults(trace):
        lines.append(paragraph(Text(f" Faults on purpose: {faults}.", styles.OPEN), width))
    sentences = (spent and f"Spent {spent}", time_spent, silence and f"Longest silence: {silence}.")
    lines += [paragraph(Text(f" {_DURATION.sub(GLUE, each)}"), width) for each in sentences if each]
    lines += [_line(parts, width, styles.FAINT) for parts in (command, named)]
    losses = [
        Text(f" {line}", styles.ERROR, no_wrap=True)
        for loss in [
            *_losses(trace, damage, has_crashed=has_crashed, is_nothing=phrases.is_empty(trace) and not live),
            *([f"! {unseen}"] if unseen else []),
        ]
        for line in textwrap.wrap(loss, max(width - 1, 20), subsequent_indent="  ")
    ]
    return Group(*(line for line in lines if line), *losses)


def _frames(trace: facts.Trace) -> list[Text]:
    """How many frames each side sent, and how many bytes they are."""
    return [
        Text(
            f"client ▸ {units.number(trace.frames_client)} frames, agent ◂ {units.number(trace.frames_agent)}"
        ),
        Text(units.size(trace.bytes_client + trace.bytes_agent)),
    ]


def _line(parts: Sequence[Text], width: int, style: str = "") -> Text:
    """Parts beside each other; those that have no room below, indented."""
    text = Text("   ").join(part for part in parts if part)
    if not text:
        return text
    text.stylize_before(style)
    return Text(" ").append_text(paragraph(text, width - 1))


def _has_gone_wrong(trace: facts.Trace) -> bool:
    """Whether the agent did not end well: the last line of stderr may say why."""
    return not trace.complete or (bool(trace.exit_code) and not phrases.is_ended_by_its_client(trace))


def _losses(
    trace: facts.Trace, damage: Sequence[tuple[int, str]], *, has_crashed: bool, is_nothing: bool
) -> list[str]:
    losses = []
    if is_nothing:
        losses.append(f"! {phrases.NOTHING_RECORDED}: {phrases.after_nothing(trace)}")
    if trace.error:
        losses.append(f"! {phrases.no_start(trace)}: {safe(trace.error)}")
    if trace.last_log is not None and not has_crashed and _has_gone_wrong(trace):
        text = f"! stderr ({counted(trace.logs, 'line')}: show --section logs), the last: "
        losses.append(text + readable(trace.last_log))
    for sender, odd in (("client", trace.odd_client), ("agent", trace.odd_agent)):
        if odd:
            count = counted(odd, "frame")
            losses.append(f"! {count} of the {sender}: not a JSON-RPC message")
    if trace.lost_frames:
        losses.append(
            f"! lost while recording: {units.number(trace.lost_frames)} frames, "
            f"{units.size(trace.lost_bytes)}"
        )
    if trace.damaged:
        shown = "; ".join(f"line {line} {safe(problem)}" for line, problem in damage[:3])
        more = "; …" if trace.damaged > 3 else ""
        count = counted(trace.damaged, "line")
        losses.append(f"! {count} of the file cannot be read: {shown}{more}")
    elif damage:
        losses.append(f"! line {damage[0][0]} {safe(damage[0][1])}")
    if trace.torn_bytes:
        losses.append(f"! the last line is incomplete and was left out: {units.size(trace.torn_bytes)}")
    return losses
