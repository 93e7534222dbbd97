"""The result of a redaction: how often each rule replaced something, and how many secrets that were.

Never contains a secret, a part of one, or its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Row(NamedTuple):
    """One rule."""

    rule: str
    replaced: int  #: number of replacements, at any place
    secrets: int  #: different ones; a number that became 0 is not counted


@dataclass(slots=True)
class RedactionReport:
    """Counts; filled while lines are written."""

    frames: int = 0  #: those that were changed
    dropped: int = 0  #: lines that could not be read, or whose kind this version does not know
    _counts: dict[str, int] = field(default_factory=dict)
    _secrets: dict[str, set[str]] = field(default_factory=dict)

    def add(self, rule: str, placeholder: str | None) -> None:
        """Count one replacement; without a placeholder, of something that has none."""
        self._counts[rule] = self._counts.get(rule, 0) + 1
        if placeholder is not None:
            self._secrets.setdefault(rule, set()).add(placeholder)

    def rows(self, order: Sequence[str], always: Sequence[str] = ()) -> list[Row]:
        """Return the rules that replaced something, in this order, and those that are reported `always`."""
        return [
            Row(name, self._counts.get(name, 0), len(self._secrets.get(name, ())))
            for name in order
            if name in self._counts or name in always
        ]
