"""The sessions section of `show`: each session with its turns and their timing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units, words
from acp_trace.report.columns import Cell, Column, table
from acp_trace.report.document import group
from acp_trace.report.safe import safe

#: Below this width the columns that matter least go.
_WIDE = 100
#: Turns shown at the beginning and at the end of a session that has more of them than fit a screen.
_EITHER_END = 15


def sessions(found: facts.Facts, width: int, *, all_: bool) -> RenderableType:
    """Every session in the order of its first mention; of many turns, the first and the last."""
    turns = group(found.turns, lambda one: one.session_id)
    calls = group(found.tool_calls, lambda one: one.session_id)
    asked = group(found.permissions, lambda one: one.session_id)
    parts: list[RenderableType] = []
    for session in found.sessions:
        mine = session.session_id
        here = calls.get(mine, []), asked.get(mine, [])
        parts.append(_head(width, session, turns.get(mine, []), *here))
        if mine in turns:
            left_out = 0 if all_ else max(len(turns[mine]) - 2 * _EITHER_END, 0)
            parts.append(_turns(turns[mine], *here, width, left_out))
    return Group(*parts)


def _head(
    width: int,
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
    lines = textwrap.wrap(told, max(width - 3, 20))
    return Group(text, *(Text(f"   {line}", no_wrap=True) for line in lines))


def _counts(
    session: facts.Session,
    turns: list[facts.Turn],
    calls: list[facts.ToolCall],
    asked: list[facts.Permission],
) -> Iterator[str]:
    yield _count(len(turns), "turn")
    if mine := sum(one.turn is not None for one in calls):
        open_ = sum(one.turn is not None and one.duration_ns is None for one in calls)
        yield _count(mine, "tool call") + (f" ({open_} unfinished)" if open_ else "")
    if mine := sum(one.turn is not None for one in asked):
        refused = sum(one.turn is not None and (one.option_kind or "").startswith("reject") for one in asked)
        yield _count(mine, "permission") + (f" ({refused} rejected)" if refused else "")
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
    left_out: int,
) -> Text:
    """The table of a session's turns; a row in the middle says that `left_out` of them are not shown."""
    wide = width >= _WIDE
    calls_of = group(calls, lambda one: one.turn)
    asked_of = group(asked, lambda one: one.turn)
    columns = [column for column, only_wide in _COLUMNS if wide or not only_wide]
    rows = []
    for turn in turns:
        if left_out and _EITHER_END <= turn.turn < _EITHER_END + left_out:
            if turn.turn == _EITHER_END:
                rows.append(_gap(columns, f"… {units.number(left_out)} more: --all"))
            continue
        cells = _row(turn, len(calls_of.get(turn.turn, ())), len(asked_of.get(turn.turn, ())))
        rows.append(
            [[cell] for cell, (_, only_wide) in zip(cells, _COLUMNS, strict=True) if wide or not only_wide]
        )
    return table(columns, rows, width, indent=3)


def _gap(columns: list[Column], text: str) -> list[list[Cell]]:
    return [[Cell(text if column.flexible else "", words.FAINT)] for column in columns]


#: The columns of a session's turns, and whether they are for wide terminals only.
_COLUMNS = (
    (Column("at", right=True), False),
    (Column("turn", right=True), False),
    (Column("frame", right=True), False),
    (Column("prompt", flexible=True), False),
    (Column("1st update", right=True), True),
    (Column("1st output", right=True), False),
    (Column("calls", right=True), False),
    (Column("asked", right=True), True),
    (Column("ended"), False),
    (Column("took", right=True), False),
)


def _row(turn: facts.Turn, calls: int, asked: int) -> list[Cell]:
    """One cell for each of `_COLUMNS`."""
    return [
        Cell(units.since_start(turn.t_ns)),
        Cell(str(turn.turn)),
        Cell(f"#{turn.frame}", words.FAINT),
        Cell(safe(turn.prompt or "")),
        Cell(units.duration(turn.first_update_ns)),
        Cell(units.duration(turn.first_output_ns)),
        Cell(str(calls or "")),
        Cell(str(asked or "")),
        Cell(*_ended(turn)),
        Cell(units.duration(turn.duration_ns)),
    ]


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
