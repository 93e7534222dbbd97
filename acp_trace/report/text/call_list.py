"""`model`: all calls of an agent's model, one line per call."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, fitted
from acp_trace.report.text.model_calls import asked_and_trouble, how

_ERROR = 400  #: from this status on, something went wrong
_LEAST = 16  #: columns that the tools need at least
#: With the rank of each: where there is little room, those of a high rank are left out.
_COLUMNS = (
    (Column("#", right=True), 0),
    (Column("session"), 7),
    (Column("turn", right=True), 4),
    (Column("at", right=True), 5),
    (Column("model"), 1),
    (Column("status", right=True), 6),
    (Column("first", right=True), 3),
    (Column("took", right=True), 0),
    (Column("in", right=True), 2),
    (Column("cached", right=True), 8),
    (Column("out", right=True), 2),
    (Column("stop"), 0),
    (Column("tools", flexible=True, wraps=True), 0),
)


def call_list(calls: Sequence[facts.ModelCall], width: int, *, live: bool = False) -> Text:
    """A table. Which sessions they belong to is told only if there are several."""
    several = len({call.session_id for call in calls} - {None}) > 1
    rows = [_row(call, with_session=several, live=live) for call in calls]
    return fitted(_COLUMNS, rows, width, _LEAST, indent=1)


def others_line(count: int, unread: int) -> str:
    """How many requests are not listed; `unread` of them went to a model, but cannot be read."""
    others = f"{words.count(count, 'other request')} {'is' if count == 1 else 'are'} not a call of a model"
    said = f" {others}" if count else ""
    if unread:
        said += f"{';' if count else ''} {words.count(unread, 'request')} to a model cannot be read"
    return f"{said}: --all"


def _row(call: facts.ModelCall, *, with_session: bool, live: bool) -> list[list[Cell]]:
    return [
        [Cell(str(call.call))],
        [Cell(words.short_id(call.session_id or "–") if with_session else "")],
        [Cell("–" if call.turn is None else str(call.turn))],
        [Cell(units.since_start(call.started_ns))],
        [Cell(safe(call.model or "?"))],
        [_status(call)],
        [_time(call.first_token_ns)],
        [_time(call.duration_ns)],
        [_number(call.input_tokens)],
        [_number(call.cached_tokens or None)],
        [_number(call.output_tokens)],
        [Cell(*how(call, live=live))],
        asked_and_trouble(call),
    ]


def _status(call: facts.ModelCall) -> Cell:
    if call.status is None:
        return Cell("–", words.ERROR)
    return Cell(str(call.status), words.ERROR if call.status >= _ERROR else None)


def _time(ns: int | None) -> Cell:
    return Cell("" if ns is None else units.brief(ns))


def _number(count: int | None) -> Cell:
    return Cell("" if count is None else units.number(count))
