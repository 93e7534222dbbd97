"""The sessions section of `show`: each session with its turns and their timing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units, words
from acp_trace.report.document import group
from acp_trace.report.safe import safe, shorten

#: Below this width the columns that matter least go.
_WIDE = 100


def sessions(found: facts.Facts, width: int) -> RenderableType:
    """Every session in the order of its first mention."""
    turns = group(found.turns, lambda one: one.session_id)
    calls = group(found.tool_calls, lambda one: one.session_id)
    asked = group(found.permissions, lambda one: one.session_id)
    parts: list[RenderableType] = []
    for session in found.sessions:
        mine = session.session_id
        here = calls.get(mine, []), asked.get(mine, [])
        parts.append(_head(session, turns.get(mine, []), *here))
        if mine in turns:
            parts.append(Padding(_turns(turns[mine], *here, width), (0, 0, 0, 3)))
    return Group(*parts)


def _head(
    session: facts.Session,
    turns: list[facts.Turn],
    calls: list[facts.ToolCall],
    asked: list[facts.Permission],
) -> RenderableType:
    text = Text(overflow="ellipsis", no_wrap=True)
    text.append(f" {safe(session.session_id)}", words.HEADING)
    if session.title:
        text.append(f'  "{safe(session.title)}"')
    if session.cwd:
        text.append(f"  {safe(session.cwd)}", words.FAINT)
    told = f"{session.opened_by} at {units.since_start(session.t_ns)} s"
    told += "".join(f" · {part}" for part in _counts(session, turns, calls, asked))
    return Group(text, Padding(Text(told), (0, 0, 0, 3)))


def _counts(
    session: facts.Session,
    turns: list[facts.Turn],
    calls: list[facts.ToolCall],
    asked: list[facts.Permission],
) -> Iterator[str]:
    yield _count(len(turns), "turn")
    if mine := sum(one.turn is not None for one in calls):
        yield _count(mine, "tool call")
    if mine := sum(one.turn is not None for one in asked):
        yield _count(mine, "permission")
    if session.replayed:
        yield _count(session.replayed, "replayed update")
    if session.usage:
        usage = msgspec.json.decode(session.usage)
        used, size = usage.get("used"), usage.get("size")
        if isinstance(used, int) and isinstance(size, int):
            yield f"{units.number(used)} of {units.number(size)} tokens"


def _turns(
    turns: list[facts.Turn],
    calls: list[facts.ToolCall],
    asked: list[facts.Permission],
    width: int,
) -> Table:
    wide = width >= _WIDE
    calls_of = group(calls, lambda one: one.turn)
    asked_of = group(asked, lambda one: one.turn)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=words.FAINT)
    table.add_column("at", justify="right", no_wrap=True)
    table.add_column("turn", justify="right", no_wrap=True)
    table.add_column("frame", justify="right", no_wrap=True)
    table.add_column("prompt", no_wrap=True, ratio=1, min_width=12)
    if wide:
        table.add_column("1st update", justify="right", no_wrap=True)
    table.add_column("1st output", justify="right", no_wrap=True)
    table.add_column("calls", justify="right", no_wrap=True)
    if wide:
        table.add_column("asked", justify="right", no_wrap=True)
    table.add_column("ended", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    for turn in turns:
        mine = calls_of.get(turn.turn, []), asked_of.get(turn.turn, [])
        table.add_row(*_row(turn, *mine, wide))
    table.expand = True
    return table


def _row(
    turn: facts.Turn, calls: list[facts.ToolCall], asked: list[facts.Permission], wide: bool
) -> list[Text]:
    ended, colour = _ended(turn)
    row = [
        Text(units.since_start(turn.t_ns)),
        Text(str(turn.turn)),
        Text(f"#{turn.frame}", words.FAINT),
        Text(shorten(safe(turn.prompt or ""), 80), overflow="ellipsis"),
    ]
    if wide:
        row.append(Text(units.duration(turn.first_update_ns)))
    row.append(Text(units.duration(turn.first_output_ns)))
    row.append(Text(str(len(calls) or "")))
    if wide:
        row.append(Text(str(len(asked) or "")))
    row.append(Text(ended, colour or ""))
    row.append(Text(units.duration(turn.duration_ns)))
    return row


def _ended(turn: facts.Turn) -> tuple[str, str | None]:
    if turn.settled_frame is None:
        return "open", words.OPEN
    if turn.error_code is not None:
        return f"error {turn.error_code}", words.ERROR
    if turn.stop_reason is None:
        return "no stop reason", words.OPEN
    return safe(turn.stop_reason), None if turn.stop_reason == "end_turn" else words.OPEN


def _count(count: int, what: str) -> str:
    return f"{units.number(count)} {what}{'' if count == 1 else 's'}"
