"""What tools returned: where it is in a request, and which lines it has. `quotes` finds who quotes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from acp_trace.trace import jsontext

MASK = "‹output›"
_LINE = re.compile(r"\r?\n|\\r\\n|\\n|\\r")
AROUND = " \t\r\"'`,\\>|"
_LONG = 6  #: of a part of a line; a shorter one must be the whole line


def key_of(value: dict[str, Any]) -> str | None:
    """Return the key of an object under which a tool's result is; None if it is not such an object."""
    kind = value.get("type")
    if isinstance(kind, str) and kind.endswith(("_output", "tool_result")):
        return "output" if "output" in value else "content"
    if value.get("role") in ("tool", "function"):
        return "content"
    return None


#: Keys of objects that hold a tool's result, and the key in them.
_HOLDERS = {"functionResponse": "response", "function_response": "response", "toolResult": "content"}


def masked(value: Any) -> Any:
    """Return a value without what tools returned."""
    if isinstance(value, list):
        return [masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    key = key_of(value)
    made: dict[str, Any] = {}
    for name, inner in value.items():
        holder = _HOLDERS.get(name)
        if name == key:
            made[name] = MASK
        elif holder is not None and isinstance(inner, dict) and holder in inner:
            made[name] = {**inner, holder: MASK}
        else:
            made[name] = masked(inner)
    return made


def texts(value: Any, *, inside: bool = False) -> Iterator[str]:
    """Return all texts that tools returned."""
    if isinstance(value, str):
        if inside:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, inside=inside)
    elif isinstance(value, dict):
        key = key_of(value)
        for name, inner in value.items():
            holder = _HOLDERS.get(name)
            if holder is not None and isinstance(inner, dict):
                yield from texts(inner.get(holder), inside=True)
            else:
                yield from texts(inner, inside=inside or name == key)


class ToolOutputs:
    """The lines that tools returned on one side, so far."""

    def __init__(self) -> None:
        self.pieces: set[int] = set()  #: the numbers of those already added
        self._lines: set[str] = set()
        self._text = "\n"

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, text: str) -> None:
        """Add what a tool returned."""
        for line in lines(text):
            if line and line not in self._lines:
                self._lines.add(line)
                self._text += line + "\n"

    def has(self, line: str) -> bool:
        """Whether a tool returned this line, or a long part of a line."""
        return line in self._lines or (len(line) >= _LONG and line in self._text)


def lines(text: str) -> list[str]:
    """Return the lines of a text, or of a text in a JSON string, without surrounding quotes."""
    return [line.strip(AROUND) for line in _LINE.split(text)]


def value_of(data: bytes) -> Any:
    """Return the JSON of a piece; its text, if it is not JSON."""
    value = jsontext.value_or_none(data)
    return data.decode("utf-8", "replace") if value is None and data != b"null" else value
