"""Facts by a key. Imports nothing: a screen needs none of the shapes of the JSON document."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)


def group(facts_: Iterable[_T], key: Callable[[_T], _K]) -> dict[_K, list[_T]]:
    """The facts by a key, each group in order."""
    groups: dict[_K, list[_T]] = {}
    for fact in facts_:
        groups.setdefault(key(fact), []).append(fact)
    return groups
