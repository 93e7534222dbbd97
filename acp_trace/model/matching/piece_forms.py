"""A piece of a request in the form in which it is compared at a level: equal for equal ones."""

from __future__ import annotations

from typing import Any

from acp_trace.model.matching import outputs
from acp_trace.model.matching.document import PieceForm, RequestPiece
from acp_trace.model.matching.levels import ENVIRONMENT, OUTPUT, SORTED
from acp_trace.normalize import forms, ids, times
from acp_trace.normalize.forms import Found
from acp_trace.normalize.spellings import Naming
from acp_trace.trace import jsontext

_DEEPEST = 100


class PieceForms:
    """Makes the forms of the pieces of one side. `naming`: of that side's directories."""

    def __init__(self, naming: Naming, *, is_run: bool) -> None:
        self._naming = naming
        self._is_run = is_run

    def form(self, piece: RequestPiece, level: int) -> PieceForm:
        """The piece as it is compared at a level between `raw` and `loose`."""
        key = (level, self._is_run)
        made = piece.forms.get(key)
        if made is None:
            made = piece.forms[key] = self._form(piece, level)
        return made

    def _form(self, piece: RequestPiece, level: int) -> PieceForm:
        found = Found([], [])
        made = self.settled(piece, level, found)
        text = jsontext.canonical(made) if level >= SORTED else jsontext.string(made)
        return PieceForm(text, tuple(found.ids), tuple(found.moments))

    def settled(self, piece: RequestPiece, level: int, found: Found) -> Any:
        """The JSON of a piece in the form of a level."""
        value = outputs.value_of(piece.data)
        if level >= SORTED:
            value = _opened(value)
        if level >= OUTPUT:
            value = outputs.masked(value)
        return self.value(value, piece.field, level, found)

    def value(self, value: Any, field: str, level: int, found: Found, depth: int = 0) -> Any:
        """A value with its texts in one form."""
        if isinstance(value, str):
            return self.text(value, field, level, found)
        if depth > _DEEPEST or value is None or isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return times.TIME if level >= ENVIRONMENT and times.is_moment(value) else value
        if isinstance(value, list):
            return [self.value(item, field, level, found, depth + 1) for item in value]
        items = sorted(value.items()) if level >= SORTED else value.items()
        return {
            self.text(key, "", level, found): self.value(inner, key, level, found, depth + 1)
            for key, inner in items
        }

    def plain(self, text: str, level: int) -> str:
        """A text that stands in no field, in the form of a level."""
        return self.text(text, "", level, Found([], []))

    def text(self, text: str, field: str, level: int, found: Found) -> str:
        """A text in the form of a level."""
        if field and ids.is_named(field, text):
            found.ids.append(text)
            return ids.MASK
        if level >= ENVIRONMENT:
            text = self._naming.text(text)
            return forms.neutral(text, found)
        return forms.without_ids(text, found)


def _opened(value: Any, depth: int = 0) -> Any:
    """A value with the JSON that stands in its strings as JSON."""
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
        return {key: _opened(inner, depth + 1) for key, inner in value.items()}
    return value
