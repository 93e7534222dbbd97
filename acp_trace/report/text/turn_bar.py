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
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, Cell

_WIDE, _NARROW = 16, 12
_FIGURE = 6  #: characters of a duration, as `units.brief` writes it
#: Where the terminal is narrower, the bar is, too, and a figure has its sign beside it and not its name.
_ROOM = 100


class _Part(NamedTuple):
    """A part of a turn's time."""

    field: str
    name: str
    sign: str
    style: str


#: In the order of the bar.
_PARTS = (
    _Part("model_ns", "model", "█", "magenta"),
    _Part("tool_ns", "tools", "▒", "blue"),
    _Part("client_ns", "client", "─", "cyan"),
    _Part("own_ns", "own", "·", "green"),
    _Part("unknown_ns", "unknown", "?", styles.FAINT),
)
#: Most agents announce their tools: this part has no place in the columns of others.
_RARE = "unknown_ns"


def has_bar(turn: facts.Turn) -> bool:
    """Whether the model's part of its time is known."""
    return turn.model_ns is not None


def legend(turns: Iterable[facts.Turn] = ()) -> Text:
    """What the signs of the bars of turns mean."""
    text = Text()
    is_known = not any(turn.unknown_ns for turn in turns)
    for part in _PARTS:
        if is_known and part.field == _RARE:
            continue
        text.append("  " if text else "").append(part.sign, part.style).append(f"{GLUE}{part.name}")
    return text


def bar(turn: facts.Turn, width: int) -> list[Cell]:
    """The bar, the figures, and what else the model's side says of the turn, of one that `has_bar`."""
    shares = [getattr(turn, part.field) or 0 for part in _PARTS]
    is_wide = width >= _ROOM
    sizes = zip(_PARTS, _sizes(shares, _WIDE if is_wide else _NARROW), strict=True)
    cells = [Cell(part.sign * size, part.style) for part, size in sizes if size]
    figures = zip(_PARTS, shares, strict=True)
    cells += [cell for part, ns in figures for cell in _figure(part, ns, is_named=is_wide)]
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


def _figure(part: _Part, ns: int, *, is_named: bool) -> Iterator[Cell]:
    label = part.name if is_named else part.sign
    if not ns and part.field == _RARE:
        return
    if not ns:
        yield Cell("  " + GLUE * (len(label) + 1 + _FIGURE))
        return
    yield Cell(f"  {label}", styles.FAINT if is_named else part.style)
    yield Cell(f"{GLUE}{units.brief(ns).rjust(_FIGURE, GLUE)}")


def _more(turn: facts.Turn) -> Iterator[str]:
    if turn.model_calls is not None:
        yield phrases.count(turn.model_calls, "call")
    first = turn.first_output_ns
    yield "no output" if first is None else f"first output {units.duration(first)}"
