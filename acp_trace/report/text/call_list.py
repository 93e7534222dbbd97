"""Calls of an agent's model, one line per call: what `model` prints, and the section of `show`.

Tokens are all those of the prompt and of the answer: what providers count beside them is among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import UNNAMED, SessionNames
from acp_trace.report.statements.model_calls import LONGEST_MODEL
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, Cell, Column, fitted
from acp_trace.trace.counts import counted

#: The most characters of a provider's error.
_LONGEST_ERROR = 300
#: From this status on, something went wrong.
_ERROR = 400
#: What the last column needs, at least.
_LEAST = 16
#: With the rank of each: if there is little room, those of a high rank are left out.
_COLUMNS = (
    (Column("call", right=True), 0),
    (Column("session"), 3),
    (Column("turn", right=True), 1),
    (Column("at", right=True), 8),
    (Column("model"), 2),
    (Column("first", right=True), 6),
    (Column("took", right=True), 0),
    (Column("in", right=True), 4),
    (Column("cached", right=True), 7),
    (Column("out", right=True), 4),
    (Column("stop"), 0),
    (Column("tools", flexible=True, wraps=True), 0),
)


def call_list(
    calls: Sequence[facts.ModelCall],
    width: int,
    *,
    with_session: bool,
    with_model: bool = True,
    live: bool = False,
    names: SessionNames = UNNAMED,
) -> Text:
    """A table of these calls, in their order; `live`: one without an end goes on. `names`: of sessions."""
    named = names if with_session else None
    rows = [_row(call, named, with_model=with_model, live=live) for call in calls]
    return fitted(_COLUMNS, rows, width, _LEAST, indent=1)


def have_several_sessions(calls: Sequence[facts.ModelCall]) -> bool:
    """Whether a list of these calls has to say of each to which session it belongs."""
    return len({call.session_id for call in calls} - {None}) > 1


def others_line(count: int, unread: int) -> str:
    """How many requests are not listed; `unread` of them went to a model, but cannot be read."""
    others = f"{counted(count, 'other request')} {'is' if count == 1 else 'are'} not a call of a model"
    said = f" {others}" if count else ""
    if unread:
        said += f"{';' if count else ''} {counted(unread, 'request')} to a model cannot be read"
    return f"{said}: --all"


def how(call: facts.ModelCall, *, live: bool = False) -> tuple[str, str | None]:
    """How a call ended, and in what colour."""
    if call.aborted:
        return "aborted", styles.OPEN
    if call.error is not None:
        status = call.status is not None and call.status >= _ERROR
        return f"error {call.status}" if status else "error", styles.ERROR
    if call.duration_ns is None:
        return ("open" if live else "never ended"), styles.OPEN
    if call.stop_reason is None:
        return f"status {call.status}" if call.status is not None else "no answer", styles.OPEN
    return safe(call.stop_reason), None


def asked_for(call: facts.ModelCall) -> list[str]:
    """The tools that the model asked for, each once, with how often: `read × 3`."""
    names = Counter(map(safe, msgspec.json.decode(call.tools, type=list[str]) if call.tools else ()))
    return [name if count == 1 else f"{name} × {count}" for name, count in names.items()]


def _row(
    call: facts.ModelCall, names: SessionNames | None, *, with_model: bool, live: bool
) -> list[list[Cell]]:
    """`names`: of the sessions, if they are shown."""
    colour = None if names is None else styles.session(names.colour(call.session_id))
    session = "" if names is None else names.of(call.session_id) or "–"
    return [
        [Cell(str(call.call))],
        [Cell(session, colour)],
        [Cell("–" if call.turn is None else str(call.turn))],
        [Cell(units.since_start(call.started_ns))],
        [Cell(shorten(safe(call.model or "?"), LONGEST_MODEL) if with_model else "")],
        [_time(call.first_token_ns)],
        [_time(call.duration_ns)],
        [_number(call.input_tokens_total)],
        [_number(call.cached_tokens or None)],
        [_number(call.output_tokens_total)],
        [Cell(*how(call, live=live))],
        _asked_and_trouble(call),
    ]


def _asked_and_trouble(call: facts.ModelCall) -> list[Cell]:
    """The tools; whether the agent did not wait for it; the call that it retries; why it failed."""
    cells = [Cell(", ".join(asked_for(call)))]
    if call.beside:
        cells.append(Cell("beside", styles.FAINT))
    if call.retry_of is not None:
        cells.append(Cell(f"retry of {call.retry_of}".replace(" ", GLUE), styles.FAINT))
    if call.error is not None and not call.aborted:
        cells.append(Cell(shorten(safe(" ".join(call.error.split())), _LONGEST_ERROR), styles.ERROR))
    filled = [cell for cell in cells if cell.text]
    return [piece for cell in filled for piece in (Cell(" · ", styles.FAINT), cell)][1:]


def _time(ns: int | None) -> Cell:
    return Cell("" if ns is None else units.brief(ns))


def _number(count: int | None) -> Cell:
    return Cell("" if count is None else units.number(count))
