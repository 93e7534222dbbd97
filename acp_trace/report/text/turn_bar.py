"""Where a turn's time went, with the model in sight: a bar and its figures. The rule is in docs/report.md.

Each part has its own sign, so the bar reads the same without colour. Figures are in columns:
those of all turns are below each other, and a part that took no time leaves its place empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.statements.turn_parts import MODEL_PARTS, model_parts
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, Cell
from acp_trace.trace.counts import counted

_WIDE, _NARROW = 16, 12
_FIGURE = 6  #: characters of a duration, as `units.brief` writes it
#: Where the terminal is narrower, the bar is, too, and a figure has its sign beside it and not its name.
_ROOM = 100


class _Sign(NamedTuple):
    """How a part looks in a bar."""

    char: str
    style: str


_SIGNS = {
    "model": _Sign("█", "magenta"),
    "tools": _Sign("▒", "blue"),
    "client": _Sign("─", "cyan"),
    "own": _Sign("·", "green"),
    "unknown": _Sign("?", styles.FAINT),
}
#: A part that has no place in the columns of turns without it.
_RARE = "unknown"


def has_bar(turn: facts.Turn) -> bool:
    """Whether the model's part of its time is known."""
    return turn.model_ns is not None


def legend(turns: Iterable[facts.Turn] = ()) -> Text:
    """What the signs of the bars of turns mean."""
    text = Text()
    for part in model_parts(turns):
        text.append("  " if text else "").append(*_SIGNS[part.name]).append(f"{GLUE}{part.name}")
    return text


def bar(turn: facts.Turn, width: int) -> list[Cell]:
    """The bar, the figures, and what else the model's side says of the turn, of one that `has_bar`."""
    shares = [part.of(turn) for part in MODEL_PARTS]
    is_wide = width >= _ROOM
    sizes = zip(_SIGNS.values(), _sizes(shares, _WIDE if is_wide else _NARROW), strict=True)
    cells = [Cell(sign.char * size, sign.style) for sign, size in sizes if size]
    figures = zip(_SIGNS, shares, strict=True)
    cells += [cell for name, ns in figures for cell in _figure(name, ns, is_named=is_wide)]
    more = f"{GLUE}· ".join(text.replace(" ", GLUE) for text in _more(turn))
    return [*cells, Cell(f"  {more}", styles.FAINT)]


def _sizes(shares: Sequence[int], length: int) -> list[int]:
    """How many signs each part gets: together the whole length, each nearest to its share."""
    whole = sum(shares)
    if not whole:
        return [0] * len(shares)
    exact = [share * length for share in shares]
    sizes = [one // whole for one in exact]
    by_rest = sorted(range(len(shares)), key=lambda at: -(exact[at] % whole))
    for at in by_rest[: length - sum(sizes)]:
        sizes[at] += 1
    return sizes


def _figure(name: str, ns: int, *, is_named: bool) -> Iterator[Cell]:
    sign = _SIGNS[name]
    label = name if is_named else sign.char
    if not ns and name == _RARE:
        return
    if not ns:
        yield Cell("  " + GLUE * (len(label) + 1 + _FIGURE))
        return
    yield Cell(f"  {label}", styles.FAINT if is_named else sign.style)
    yield Cell(f"{GLUE}{units.brief(ns).rjust(_FIGURE, GLUE)}")


def _more(turn: facts.Turn) -> Iterator[str]:
    if turn.model_calls is not None:
        yield counted(turn.model_calls, "call")
    first = turn.first_output_ns
    yield "no output" if first is None else f"first output {units.duration(first)}"
