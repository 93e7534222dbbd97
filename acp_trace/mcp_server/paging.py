"""A part of a list: from an offset on, as many items as fit. Pure."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from acp_trace.mcp_server.cutting import cut
from acp_trace.mcp_server.limits import MOST_BYTES, MOST_OF_ONE, MOST_PLACES
from acp_trace.mcp_server.tool import Document
from acp_trace.trace import jsontext

T = TypeVar("T")


class ItemPage(NamedTuple):
    """Items from `offset` on; `total`: how many there are in all."""

    items: list[Any]
    offset: int
    total: int

    def document(self, name: str, to_json: Callable[[Any], Any], most_of_one: int = MOST_OF_ONE) -> Document:
        """The answer: the items under `name`, as many as fit, and where the next ones begin.

        The `cut` of an item lists what was cut. Keys of an item that have no value are left out.
        """
        rows: list[Any] = []
        size = 0
        for item in self.items:
            made = cut_item(to_json(item), most_of_one)
            size += len(jsontext.text(made))
            if rows and size > MOST_BYTES:
                break
            rows.append(made)
        following = self.offset + len(rows)
        return {
            "total": self.total,
            "offset": self.offset,
            "next_offset": following if following < self.total and rows else None,
            name: rows,
        }


def cut_item(item: Any, most: int) -> Any:
    """An item that fits; `cut` in it names what was cut, if something was."""
    if isinstance(item, dict):
        item = {key: value for key, value in item.items() if value is not None}
    fitting = cut(item, most)
    if not fitting.places or not isinstance(fitting.value, dict):
        return fitting.value
    return {**fitting.value, "cut": [place.as_json() for place in fitting.places[:MOST_PLACES]]}


def page(items: Iterable[T], offset: int, limit: int) -> ItemPage:
    """Part of the items, which are read to their end, but kept only as far as they are wanted.

    A negative offset counts from the end.
    """
    if offset >= 0:
        iterator = iter(items)
        passed = sum(1 for _ in islice(iterator, min(offset, sys.maxsize)))
        kept = list(islice(iterator, limit))
        return ItemPage(kept, offset, passed + len(kept) + sum(1 for _ in iterator))
    count = 0

    def counted() -> Iterable[T]:
        nonlocal count
        for item in items:
            count += 1
            yield item

    last = deque(counted(), maxlen=min(-offset, sys.maxsize))
    return ItemPage(list(islice(last, limit)), count - len(last), count)
