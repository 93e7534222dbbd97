"""The strings of a JSON text, each with its path, and their replacements.

Only changed strings are written again. White space, the spelling of numbers, duplicate keys and the order of
keys stay, so that a message pairs and reads as before. Never raises, at any depth of nesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, Protocol, TypeVar

Kind = Literal["string", "key", "number"]
#: Keys and indexes; None where a key is still to come.
Path = Sequence[str | int | None]

_SCALAR = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\d[\d.eE+-]*)', re.DOTALL)


class AnyScalar(Protocol):
    """What `splice` has to know of a scalar."""

    @property
    def at(self) -> int:
        """Its index in the parts of the text."""

    @property
    def kind(self) -> Kind:
        """What it is."""


class Scalar(NamedTuple):
    """A string, a key or a number of a text. The path of a key ends with that key."""

    at: int  #: its index in the `parts` of the text
    path: Path  #: changes with the next scalar: do not keep it
    kind: Kind


_S_contra = TypeVar("_S_contra", bound=AnyScalar, contravariant=True)


class Visit(Protocol[_S_contra]):
    """Takes a scalar and its text; returns what replaces the text, or None. The text of a number is JSON."""

    def __call__(self, scalar: _S_contra, text: str, /) -> str | None:
        """Return what replaces `text`, or None."""


def parts(text: str) -> list[str]:
    """Return the parts of a text: its scalars, as they are spelled, at odd indexes; the rest at even ones."""
    return _SCALAR.split(text)


def scalars(parts: Sequence[str]) -> Iterator[Scalar]:
    """Yield the scalars in the parts of a text, in order."""
    path: list[str | int | None] = []  # of each open object its key, None before it; of an array the index
    _enter(path, parts[0])
    for at in range(1, len(parts), 2):
        part = parts[at]
        if part[0] != '"':
            yield Scalar(at, path, "number")
        elif path and path[-1] is None:
            path[-1] = _string(part)
            yield Scalar(at, path, "key")
        else:
            yield Scalar(at, path, "string")
        _enter(path, parts[at + 1])


def shape(parts: Sequence[str]) -> tuple[str | bool, ...]:
    """Return what the scalars of a text depend on: all but the texts of its strings and numbers.

    That holds if a colon follows each key at once.
    """
    after = parts[2::2]
    marks = [
        part if gap.startswith(":") else part[0] == '"' for part, gap in zip(parts[1::2], after, strict=True)
    ]
    return (parts[0], *after, *marks)


def splice(parts: list[str], found: Iterable[_S_contra], visit: Visit[_S_contra]) -> str | None:
    """Return the text of these parts with what `visit` returned for some of its scalars; None if it did not.

    The parts change.
    """
    changed = False
    for scalar in found:
        part = parts[scalar.at]
        if scalar.kind == "number":
            new = visit(scalar, part)
        else:
            string = _string(part)
            new = visit(scalar, string)
            new = None if new is None or new == string else _quoted(new)
        if new is not None:
            parts[scalar.at] = new
            changed = True
    return "".join(parts) if changed else None


def _enter(path: list[str | int | None], gap: str) -> None:
    """Follow the brackets and commas between two scalars."""
    for mark in gap:
        if mark == ",":
            if path:
                at = path[-1]
                path[-1] = at + 1 if isinstance(at, int) else None
        elif mark == "{":
            path.append(None)
        elif mark == "[":
            path.append(0)
        elif mark in "}]":
            del path[-1:]


def _string(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        value: str = json.loads(token, strict=False)
    except ValueError:  # in a text that was too deep to be checked
        return token[1:-1]
    return value


def _quoted(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: only its escape is JSON
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)
