"""Errors in what people type, with a caret under the place: budgets, masks."""

from __future__ import annotations


class CaretError(ValueError):
    """An invalid expression: what was expected, and where."""

    def __init__(self, message: str, source: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.start = start
        self.end = max(end, start + 1)

    def __str__(self) -> str:
        """Return the message, the expression, and a caret under the place."""
        marker = " " * self.start + "^" + "~" * (self.end - self.start - 1)
        return f"{self.message}\n    {self.source}\n    {marker}"
