"""A trace may hold any text: to look for forms in it takes time in proportion to its length."""

from __future__ import annotations

import time

import pytest

from acp_trace.normalize.forms import Found, neutral
from tests.support import DEADLINE_S

_LONG = 150_000


@pytest.mark.parametrize(
    ("before", "piece"),
    [
        ("1 ", "a-"),
        ("1 ", "a"),
        ("1 ", "1"),
        ("1 ", "1,"),
        ("1 id ", "\\"),
        ("1 'time", "time"),
        ("pid ", " "),
        ("pid ", "1"),
        ("1 ", "f0-"),
        ("1 ", "1s "),
        ("12:30 ", "Nov 1 "),
        ("d--------- ", " a"),
    ],
)
def test_any_text_is_looked_through_soon(before: str, piece: str) -> None:
    """What takes a square of its length would take minutes."""
    text = f"{before}{piece * (_LONG // len(piece))}x ."
    began = time.monotonic()
    neutral(text, Found([], []))
    assert time.monotonic() - began < DEADLINE_S
