"""Reading JSON whose shape is not certain: a value of an unexpected type counts as missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from acp_trace.trace import jsontext


def text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def word(value: Any) -> str | None:
    """The value if it is a string with something in it."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> int | None:
    """The value if it is a whole number of things: not negative, and not a boolean."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def first(value: Any) -> dict[str, Any]:
    """The first item of a list, if it is an object."""
    return mapping(value[0]) if isinstance(value, list) and value else {}


def index(value: Any) -> int:
    """The value if it is a number, else 0: some providers leave out the index of the only item."""
    return number(value) or 0


def path(value: Any, *keys: str) -> Any:
    """Return the value under keys within keys; None if it does not exist."""
    for key in keys:
        value = mapping(value).get(key)
    return value


def joined(texts: Iterable[str]) -> str:
    """Texts of one prompt, with an empty line between them; empty ones left out."""
    return "\n\n".join(each for each in texts if each)


def items(value: Any) -> Iterator[dict[str, Any]]:
    """Content that may be one text, one object, or a list of both: the objects, a text as `{"text": …}`."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield {"type": "text", "text": item}
        elif isinstance(item, dict):
            yield item


def arguments(value: Any) -> Any:
    """Return the arguments of a tool call: JSON in a string is read. Invalid JSON stays a string."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    try:
        return jsontext.value(value.encode())
    except (jsontext.NotJson, UnicodeEncodeError):
        return value


def size(base64: str) -> str:
    """Return how much data a base64 text represents, for people."""
    return f"{len(base64) * 3 // 4:,} bytes"


def media(kind: str, *, type: Any = None, url: Any = None, name: Any = None, data: Any = None) -> str:
    """Return how a part that is not text is mentioned: by its address or name, else by type and size.

    An address that contains the data itself (`data:…`) counts as data.
    """
    address = text(url)
    if address.startswith("data:"):
        head, _, data = address.partition(",")
        address, type = "", head.removeprefix("data:").partition(";")[0] or type
    said = [each for each in (text(name), address) if each]
    if said:
        return said[0]
    return ", ".join(each for each in (text(type) or kind, size(text(data)) if text(data) else "") if each)
