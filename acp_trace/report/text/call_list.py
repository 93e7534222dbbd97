"""`model`: the calls of an agent's model, one line per call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.text import Text

from acp_trace.model.calls import ModelCall, model_name
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, table

_ERROR = 400  #: from this status on, something went wrong
#: From how many columns on there is room for which of them.
_ROOM = {
    "at": 50,
    "model": 0,
    "status": 70,
    "first": 70,
    "took": 0,
    "in": 70,
    "out": 70,
    "cached": 120,
    "exchange": 120,
    "stop": 60,
}
_LEFT = {"model", "stop"}


def call_list(calls: Sequence[ModelCall], width: int) -> Text:
    """A table. Without room, tokens and times go first: which tools were asked for stays."""
    names = [name for name, room in _ROOM.items() if width >= room]
    columns = [Column("#", right=True), *(Column(name, right=name not in _LEFT) for name in names)]
    columns.append(Column("tools", flexible=True, wraps=True))
    return table(columns, [_row(call, names) for call in calls], width)


def others_line(count: int, unread: int) -> str:
    """How many requests are not listed; `unread` of them went to a model, but cannot be read."""
    others = f"{words.count(count, 'other request')} {'is' if count == 1 else 'are'} not a call of a model"
    said = f" {others}" if count else ""
    if unread:
        said += f"{';' if count else ''} {words.count(unread, 'request')} to a model cannot be read"
    return f"{said}: --all"


def tools(call: ModelCall) -> str:
    """The tools that were asked for: `bash, read × 2`."""
    counts = Counter(safe(tool.name) for tool in call.answer.tool_calls)
    return ", ".join(name if count == 1 else f"{name} × {count}" for name, count in counts.items())


def trouble(call: ModelCall) -> Iterable[str]:
    """What went wrong, in few words."""
    if call.answer.error is not None:
        yield call.answer.error.message or call.answer.error.type or "error"
    if call.retry_of is not None:
        yield f"retry of {call.retry_of}"


def _row(call: ModelCall, names: Sequence[str]) -> list[list[Cell]]:
    answer, tokens = call.answer, call.answer.tokens
    cells = {
        "at": Cell(units.since_start(call.started_ns)),
        "model": Cell(safe(model_name(call) or "?")),
        "status": _status(call),
        "first": Cell(_time(call, answer.first_token_ns)),
        "took": Cell(_time(call, call.ended_ns) or "open", words.OPEN if call.ended_ns is None else None),
        "in": Cell(_number(tokens.input)),
        "out": Cell(_number(tokens.output)),
        "cached": Cell(_number(tokens.cached)),
        "exchange": Cell(str(call.exchange), words.FAINT),
        "stop": _stop(call),
    }
    asked, wrong = tools(call), safe(", ".join(trouble(call)))
    last = [Cell(asked)] if asked else []
    if wrong:
        colour = words.ERROR if answer.error is not None else words.FAINT
        last.append(Cell(f"  {wrong}" if asked else wrong, colour))
    return [[Cell(str(call.call))], *([cells[name]] for name in names), last]


def ending(call: ModelCall) -> str:
    """How it ended: the provider's stop reason, or what happened instead; empty while it goes on."""
    if call.is_aborted:
        return "aborted"
    if call.answer.error is not None:
        return "error"
    if call.ended_ns is not None and call.answer.is_broken_off:
        return "broken off"
    return safe(call.answer.stop_reason or "")


def _stop(call: ModelCall) -> Cell:
    colours = {"aborted": words.OPEN, "error": words.ERROR, "broken off": words.ERROR}
    return Cell(ending(call), None if call.answer.stop_reason else colours.get(ending(call)))


def _status(call: ModelCall) -> Cell:
    if call.status is None:
        return Cell("–", words.ERROR)
    return Cell(str(call.status), words.ERROR if call.status >= _ERROR else None)


def _time(call: ModelCall, moment_ns: int | None) -> str:
    return "" if moment_ns is None else units.brief(moment_ns - call.started_ns)


def _number(count: int | None) -> str:
    return "" if count is None else units.number(count)
