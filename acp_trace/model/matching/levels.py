"""How strictly two requests are compared. Each level forgives what the one before does, and more.

The names only: `piece_forms` defines what each forgives in a text, `outputs` in a tool's result, and `loose`
what the last level still compares.
"""

from __future__ import annotations

from typing import Literal

Level = Literal["raw", "ids", "environment", "sorted", "output", "loose"]

#: The strictest first.
LEVELS: tuple[Level, ...] = ("raw", "ids", "environment", "sorted", "output", "loose")

RAW, IDS, ENVIRONMENT, SORTED, OUTPUT, LOOSE = range(len(LEVELS))
