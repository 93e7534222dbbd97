"""How a field of a fact explains itself."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Any


def is_(explanation: str, default: Any = MISSING) -> Any:
    """Return a field with its explanation, which the store's comments and docs/store.md show."""
    return field(default=default, metadata={"doc": explanation})
