"""A piece of a request in the form in which it is compared at a level: equal for equal ones."""

from __future__ import annotations

from typing import Any

from acp_trace.model.matching import outputs
from acp_trace.model.matching.document import PieceForm, RequestPiece
from acp_trace.model.matching.levels import ENVIRONMENT, OUTPUT, SORTED
from acp_trace.normalize.forms import Found
from acp_trace.normalize.normalizer import REQUEST, REQUEST_IDS, Normalizer
from acp_trace.trace import jsontext

_DEEPEST = 100


def form(piece: RequestPiece, level: int, normalizer: Normalizer) -> PieceForm:
    """Return the piece as compared at a level between `raw` and `loose`. `normalizer`: of its side."""
    key = level, normalizer.side
    made = piece.forms.get(key)
    if made is None:
        found = Found([], [])
        value = settled(piece, level, normalizer, found)
        text = jsontext.canonical(value) if level >= SORTED else jsontext.string(value)
        made = piece.forms[key] = PieceForm(text, tuple(found.ids), tuple(found.moments))
    return made


def settled(piece: RequestPiece, level: int, normalizer: Normalizer, found: Found | None = None) -> Any:
    """Return the JSON of a piece in the form of a level; `found` receives what is masked."""
    value = outputs.value_of(piece.data)
    if level >= SORTED:
        value = _opened(value)
    if level >= OUTPUT:
        value = outputs.masked(value)
    return normalizer.value(value, REQUEST if level >= ENVIRONMENT else REQUEST_IDS, piece.field, found)


def _opened(value: Any, depth: int = 0) -> Any:
    """Return a value with JSON in its strings parsed, and all members in one order."""
    if depth > _DEEPEST:
        return value
    if isinstance(value, str):
        if value[:1] not in ("{", "[") or value[-1:] not in ("}", "]"):
            return value
        inner = jsontext.value_or_none(value.encode("utf-8", "replace"))
        return value if inner is None else {"‹json›": _opened(inner, depth + 1)}
    if isinstance(value, list):
        return [_opened(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _opened(inner, depth + 1) for key, inner in sorted(value.items())}
    return value
