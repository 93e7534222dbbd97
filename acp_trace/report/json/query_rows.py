"""Rows of any query for programs: `query --json`, one object a row."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def objects(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Each row as an object; a column whose name was there already has a number behind it."""
    names = _distinct(columns)
    for row in rows:
        yield dict(zip(names, map(plain, row), strict=True))


def plain(item: Any) -> Any:
    """A value as JSON and CSV can hold it: bytes as base64, a number that is none as null, keys as text."""
    if isinstance(item, bytes):
        return base64.b64encode(item).decode()
    if isinstance(item, float) and not math.isfinite(item):
        return None
    if isinstance(item, dict):
        return {str(key): plain(one) for key, one in item.items()}
    if isinstance(item, (list, tuple)):
        return [plain(one) for one in item]
    return item


def _distinct(columns: Sequence[str]) -> list[str]:
    """The names, with a number behind those that were there already: an object holds a name once."""
    taken, names = set(columns), dict[str, None]()
    for column in columns:
        name, number = column, 1
        while name in names or (number > 1 and name in taken):
            number += 1
            name = f"{column}_{number}"
        names[name] = None
    return list(names)
