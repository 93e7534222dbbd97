"""A part of a long document, named by a JSON Pointer (RFC 6901): all of it, or a page of it. Pure."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from acp_trace.mcp_server.cutting import CutPlace, cut, length, type_of
from acp_trace.mcp_server.limits import MOST_BYTES, MOST_NAMED, MOST_OF_ONE, MOST_PLACES
from acp_trace.mcp_server.tool import CallRefused, Document
from acp_trace.report.safe import shorten
from acp_trace.trace import json_pointer, jsontext

Pointer = Annotated[
    str,
    Meta(
        description="A JSON Pointer to the part that is wanted, as in the `cut` of an answer: "
        "/params/update/content/text. Empty: all of it."
    ),
]
PartOffset = Annotated[
    int,
    Meta(description="How many characters of a string, or items of an array or object, to skip.", ge=0),
]

#: Characters of a string in an answer. In JSON they may take more bytes.
_CHARACTERS = 8_000


def part(document: Any, pointer: str, offset: int) -> Document:
    """The value at the pointer, from the offset on. Raises CallRefused if there is no such place.

    A string is given in pieces, an array or an object item by item. `total` counts characters or items.
    """
    path = _path(pointer)
    value = _at(document, path)
    total = length(value)
    places: list[CutPlace] = []
    taken: Any = value
    if isinstance(value, str):
        taken = value[offset : offset + _CHARACTERS]
    elif isinstance(value, (list, dict)) and (offset or len(jsontext.text(value)) > MOST_BYTES):
        taken = _items(value, path, offset, places)
    following = offset + (length(taken) or 0)
    has_more = total is not None and offset < following < total
    return {
        "pointer": pointer,
        "type": type_of(value),
        "total": total,
        "offset": None if total is None else offset,
        "next_offset": following if has_more else None,
        "value": taken,
        **({"cut": [place.as_json() for place in places[:MOST_PLACES]]} if places else {}),
    }


def _items(
    value: list[Any] | dict[str, Any], path: tuple[str, ...], offset: int, places: list[CutPlace]
) -> list[Any] | dict[str, Any]:
    """As many items as fit, at least one; each of them cut if it is long."""
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    kept: dict[Any, Any] = {}
    size = 0
    for key, item in pairs[offset:]:
        fitting = cut(item, MOST_OF_ONE, (*path, str(key)))
        size += len(jsontext.text(fitting.value)) + len(str(key))
        if kept and size > MOST_BYTES:
            break
        kept[key] = fitting.value
        places += fitting.places
    return kept if isinstance(value, dict) else list(kept.values())


def _path(pointer: str) -> tuple[str, ...]:
    if pointer and not pointer.startswith("/"):
        raise CallRefused(
            f"{shorten(pointer, 100)!r} is not a JSON Pointer: it begins with /, such as /params/update"
        )
    return json_pointer.read(pointer) if pointer else ()


def _at(document: Any, path: tuple[str, ...]) -> Any:
    value = document
    for depth, key in enumerate(path):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and key.isascii() and int(key[:9]) < len(value):
            value = value[int(key[:9])]
        else:
            raise CallRefused(f"there is no {json_pointer.written(path[: depth + 1])!r}; {_there(value)}")
    return value


def _there(value: Any) -> str:
    if isinstance(value, dict):
        names = [shorten(key, 60) for key in list(value)[:MOST_NAMED]]
        more = f" and {len(value) - len(names)} more" if len(value) > len(names) else ""
        return f"there are {', '.join(names)}{more}" if names else "the object is empty"
    if isinstance(value, list):
        return f"the array has {len(value)} items, from 0"
    return f"what is before it is a {type_of(value)}"
