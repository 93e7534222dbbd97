r"""The strings of JSON texts, where each is, and which of them continue in the next event of a stream.

Texts have a character for each byte (`replacements`). An escape is decoded, with its place in the JSON:
`\u002f` is one character of the text and six of the JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from acp_trace.model.serving.replacements import as_bytes
from acp_trace.trace import jsontext

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],]', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)", re.DOTALL
)
#: Members that identify the text that a piece belongs to.
_WHICH = ("type", "index", "item_id", "output_index", "content_index", "summary_index", "thought")
#: Where a text comes piece by piece: the end of its path, without indices.
_PIECES = (("parts", "text"), ("message", "content"), ("choices", "text"), ("response",))
_DELTA = "delta"

#: The text that a string belongs to: its path, and members of the objects around it.
TextKey = tuple[object, ...]


class JsonString(NamedTuple):
    """A string. `start` and `end` exclude its quotes; `key` is None if it is not a piece of a longer text."""

    start: int
    end: int
    text: str
    offsets: list[int] | None  #: where each character of `text` begins, and the end; None: no escapes
    key: TextKey | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place of a part of `text`."""
        if self.offsets is None:
            return self.start + start, self.start + end
        return self.start + self.offsets[start], self.start + self.offsets[end]


def strings(text: str, at: int = 0) -> Iterator[JsonString]:
    """Return the strings of a JSON text, except keys. `at`: where the text begins."""
    value = jsontext.value_or_none(text.encode("latin-1"))
    path: list[str | int | None] = []
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        if first == '"':
            raw = token[0][1:-1]
            if path and path[-1] is None:
                path[-1] = decoded(raw)[0]
                continue
            yield JsonString(at + token.start() + 1, at + token.end() - 1, *decoded(raw), _key(path, value))
        elif first == "{":
            path.append(None)
        elif first == "[":
            path.append(0)
        elif first == ",":
            if path:
                path[-1] = path[-1] + 1 if isinstance(path[-1], int) else None
        else:
            del path[-1:]


def decoded(raw: str) -> tuple[str, list[int] | None]:
    """Return the decoded text of a string, and where each of its characters is in the string."""
    if "\\" not in raw:
        return raw, None
    text: list[str] = []
    offsets: list[int] = []
    done = 0
    for match in _ESCAPE.finditer(raw):
        text.append(raw[done : match.start()])
        offsets += range(done, match.start())
        made = _unescaped(match[0])
        text.append(made)
        offsets += [match.start()] * len(made)
        done = match.end()
    text.append(raw[done:])
    offsets += range(done, len(raw) + 1)
    return "".join(text), offsets


def encoded(text: str) -> str:
    """Return a text as it is written in a JSON string, without the quotes."""
    plain = text.encode("latin-1").decode("utf-8", "replace")
    return as_bytes(json.dumps(plain, ensure_ascii=False)[1:-1])


def _unescaped(escape: str) -> str:
    try:
        return as_bytes(json.loads(f'"{escape}"'))
    except ValueError:
        return escape


def _key(path: list[str | int | None], value: Any) -> TextKey | None:
    names = tuple(key for key in path if isinstance(key, str))
    if _DELTA not in names and not any(names[-len(end) :] == end for end in _PIECES):
        return None
    key: list[object] = [names]
    for step in path:
        if isinstance(value, Mapping):
            key += [(name, value[name]) for name in _WHICH if isinstance(value.get(name), (str, int))]
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            break
    return tuple(key)
