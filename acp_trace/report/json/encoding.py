"""A document as bytes of JSON, for any text: also a file's name that is not UTF-8."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec


def as_json(value: Any) -> bytes:
    """A value as JSON, which is UTF-8: of a file's name, the bytes that are not are escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if dataclasses.is_dataclass(value):
        named = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        value = {name: item for name, item in named.items() if item is not msgspec.UNSET}
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    return value
