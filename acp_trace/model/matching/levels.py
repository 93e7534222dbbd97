"""How strictly two requests are compared. Each level forgives what the one before does, and more.

The names only: what each forgives in a text is in `piece_forms`, of a tool's result in `outputs`, and what is
left to compare at the last one in `loose`.
"""

from __future__ import annotations

from typing import Literal

Level = Literal["raw", "ids", "environment", "sorted", "output", "loose"]

#: The strictest first.
LEVELS: tuple[Level, ...] = ("raw", "ids", "environment", "sorted", "output", "loose")

RAW, IDS, ENVIRONMENT, SORTED, OUTPUT, LOOSE = range(len(LEVELS))
