"""What a trace has of the environment in which its agent ran beside a proxy: directories, keys, base URLs.

A replay needs it: directories occur in an agent's requests, an agent does not start without its keys, and a
base URL has to lead to a proxy again. Pure. The proxy writes it (`proxy.environment_note`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from acp_trace.model.secrets import CUT, DUMMY
from acp_trace.redact import secret_names
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.jsontext import as_object, objects, value_or_none

#: The key of the note, which belongs to no exchange.
KEY = "environment"
#: How an entry with it begins; if it came late, its time comes first (`trace.encode.model`).
_is_note = re.compile(rb'\{(?:"t":\d+,)?"environment":').match

#: They hold a shell's current directory, and change with each command.
_CURRENT = {"PWD", "OLDPWD"}
_WORD = r"(?:[A-Za-z0-9._~@+-]|%[0-9A-Fa-f]{2})"
_URL = re.compile(
    rf"(?P<scheme>https?)://(?:[^@/?#\s]*@)?(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{{1,5}}))?"
    rf"(?P<path>(?:/{_WORD}*)*)(?:\?(?P<query>{_WORD}+={_WORD}*(?:&{_WORD}+={_WORD}*)*))?(?:#.*)?",
    re.ASCII | re.IGNORECASE,
)
_LONGEST_URL = 2048


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

    @property
    def rebuilt(self) -> str | None:
        """The URL, built again from its parts; None if it has characters that no base URL needs.

        The login and the fragment are left out, and each secret that was cut becomes `DUMMY`. So the result
        is never a list of paths, or a shell command.
        """
        match = _URL.fullmatch(self.url.replace(CUT, DUMMY)) if len(self.url) <= _LONGEST_URL else None
        if match is None or int(match["port"] or 1) not in range(1, 1 << 16):
            return None
        port = f":{int(match['port'])}" if match["port"] else ""
        query = f"?{match['query']}" if match["query"] else ""
        return f"{match['scheme'].lower()}://{match['host'].lower()}{port}{match['path']}{query}"


class RecordedEnvironment(msgspec.Struct, frozen=True):
    """What is known of the environment. Keys are known by name only: no trace has their values."""

    directories: dict[str, str] = {}  #: by the variable that named it
    secrets: tuple[str, ...] = ()
    bases: tuple[RecordedBase, ...] = ()


def recorded_environment(notes: Iterable[tuple[int, dict[str, Any]]]) -> RecordedEnvironment:
    """Return the environment in a trace's `notes` (of `ModelExchanges`); empty for older traces."""
    for _, note in notes:
        words = note.get(KEY)
        if isinstance(words, dict):
            return RecordedEnvironment(
                dict(_pairs(words.get("directories"))),
                tuple(name for name in _items(words.get("secrets")) if isinstance(name, str)),
                tuple(_bases(words.get("bases"))),
            )
    return RecordedEnvironment()


def may_name_directory(variable: str) -> bool:
    """Whether a trace may say that this variable names a directory, so that a replay looks at its value.

    A replay only compares texts with the value. A secret can begin with a slash, too, so the variables of
    secrets do not count.
    """
    return variable not in _CURRENT and not secret_names.is_variable(variable)


def environment_in(entries: Iterable[Entry]) -> RecordedEnvironment:
    """Return the environment in the entries of a trace."""
    of_model = (entry for entry in entries if entry.kind is EntryKind.MODEL)
    notes = ((entry.t, value_or_none(entry.data)) for entry in of_model if _is_note(entry.data))
    return recorded_environment((t, note) for t, note in notes if isinstance(note, dict))


def _pairs(value: object) -> Iterable[tuple[str, str]]:
    return ((name, path) for name, path in as_object(value).items() if isinstance(path, str))


def _bases(value: object) -> Iterable[RecordedBase]:
    for words in objects(value):
        name, url = words.get("name"), words.get("url")
        if isinstance(name, str) and isinstance(url, str):
            yield RecordedBase(name, url)


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
