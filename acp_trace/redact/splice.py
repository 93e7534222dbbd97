"""The strings of a JSON text, each with its path, and new ones in their place.

Only what changes is written anew. White space, the spelling of numbers, keys that come twice and the
order of keys stay, so that a message pairs and reads as before. Never raises, at any depth of nesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal, Protocol

Kind = Literal["string", "key", "number"]
#: Keys and indexes; None where a key is still to come.
Path = Sequence[str | int | None]

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],]|-?\d[\d.eE+-]*', re.DOTALL)


class Visit(Protocol):
    """Told of one string, key or number; gives what is to stand in its place, or None.

    Of a number, `text` and what is given are JSON. `path` changes from call to call: it is not to be
    kept. The path of a key ends with that key.
    """

    def __call__(self, path: Path, text: str, kind: Kind) -> str | None:
        """What is to stand in place of `text`."""


def splice(text: str, visit: Visit) -> str | None:
    """The text with what `visit` gave in it; None where it gave nothing."""
    out: list[str] = []
    done = 0
    path: list[str | int | None] = []  # of each open object its key, None before it; of an array the index
    for token in _TOKEN.finditer(text):
        start = token.start()
        first = text[start]
        new: str | None
        if first == '"':
            string = _string(token[0])
            if path and path[-1] is None:
                path[-1] = string
                new = visit(path, string, "key")
            else:
                new = visit(path, string, "string")
            new = None if new is None or new == string else _quoted(new)
        elif first == "{":
            path.append(None)
            continue
        elif first == "[":
            path.append(0)
            continue
        elif first == ",":
            if path:
                at = path[-1]
                path[-1] = at + 1 if isinstance(at, int) else None
            continue
        elif first in "}]":
            del path[-1:]
            continue
        else:
            new = visit(path, token[0], "number")
        if new is not None:
            out += (text[done:start], new)
            done = token.end()
    if not out:
        return None
    out.append(text[done:])
    return "".join(out)


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
