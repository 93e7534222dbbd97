"""What a trace says of the environment in which its agent ran beside a proxy: directories, keys, base URLs.

A replay needs it: directories stand in what an agent tells its model, an agent without its keys does not
start, and a base URL leads to a proxy again. Pure. The proxy writes it (`proxy.environment_note`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.jsontext import value_or_none

#: The key of the note, which is about no exchange.
KEY = "environment"
#: How an entry with it begins; before it stands when it was written, if it came late (`trace.encode.model`).
_is_note = re.compile(rb'\{(?:"t":\d+,)?"environment":').match


class RecordedBase(msgspec.Struct, frozen=True):
    """A variable that held a base URL which led through the proxy, and that URL as it was without it.

    `NAME#/a/b` is a place in a variable that held JSON.
    """

    name: str
    url: str

    @property
    def variable(self) -> str:
        """The variable, without a place in it."""
        return self.name.partition("#")[0]


class RecordedEnvironment(msgspec.Struct, frozen=True):
    """What is known of it. Of keys the names alone are: no trace has their values."""

    directories: dict[str, str] = {}  #: by the variable that named it
    secrets: tuple[str, ...] = ()
    bases: tuple[RecordedBase, ...] = ()


def recorded_environment(notes: Iterable[tuple[int, dict[str, Any]]]) -> RecordedEnvironment:
    """What the `notes` of a trace (of `ModelExchanges`) say of it; nothing if none does (older traces)."""
    for _, note in notes:
        words = note.get(KEY)
        if isinstance(words, dict):
            return RecordedEnvironment(
                dict(_pairs(words.get("directories"))),
                tuple(name for name in _items(words.get("secrets")) if isinstance(name, str)),
                tuple(_bases(words.get("bases"))),
            )
    return RecordedEnvironment()


def environment_in(entries: Iterable[Entry]) -> RecordedEnvironment:
    """What the entries of a trace say of it."""
    of_model = (entry for entry in entries if entry.kind is EntryKind.MODEL)
    notes = ((entry.t, value_or_none(entry.data)) for entry in of_model if _is_note(entry.data))
    return recorded_environment((t, note) for t, note in notes if isinstance(note, dict))


def _pairs(value: object) -> Iterable[tuple[str, str]]:
    pairs = value.items() if isinstance(value, dict) else ()
    return ((name, path) for name, path in pairs if isinstance(name, str) and isinstance(path, str))


def _bases(value: object) -> Iterable[RecordedBase]:
    for words in _items(value):
        name, url = (words.get("name"), words.get("url")) if isinstance(words, dict) else (None, None)
        if isinstance(name, str) and isinstance(url, str):
            yield RecordedBase(name, url)


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
