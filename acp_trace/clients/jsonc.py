"""JSON as people write it, with comments and trailing commas: where in the text each value is.

Only positions and strings are here; nothing is changed, and no file is read. An edited file has to keep
everything that is not ours, so positions matter. The parsers on PyPI return values without positions, or fail
at comments and trailing commas; Python's own decoder reads strings.

Comments are `// …` and `/* … */`, as Zed reads its settings (its documentation, "Configuring Zed").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import Literal

#: Deeper than any configuration, but within Python's stack.
_DEEPEST = 100
_STRINGS = JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Node:
    """A value: `text[start:end]`. Strings have `string`, objects `members`, arrays `items`."""

    kind: Literal["object", "array", "string", "plain"]
    start: int
    end: int
    string: str = ""
    members: tuple[Member, ...] = ()
    items: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A name and its value in an object."""

    key: Node
    value: Node

    @property
    def name(self) -> str:
        """The decoded name."""
        return self.key.string


class BadJson(ValueError):
    """Text that is not JSON, even with comments and trailing commas; says where: `line 3, column 7: …`."""

    def __init__(self, text: str, at: int, what: str) -> None:
        line = text.count("\n", 0, at) + 1
        super().__init__(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {what}")


def parse(text: str) -> Node:
    """Return the value of a whole text, after a byte order mark if there is one. Raises BadJson."""
    start = past_trivia(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        raise BadJson(text, start, "it is empty: write {} into it first")
    node = _value(text, start, 0)
    end = past_trivia(text, node.end)
    if end < len(text):
        raise BadJson(text, end, "there is text after the end")
    return node


def past_trivia(text: str, at: int) -> int:
    """Return the position of the next text that is neither white space nor a comment. Raises BadJson."""
    while True:
        at = past_space(text, at)
        comment = _COMMENT.match(text, at)
        if comment is None:
            if text.startswith("/*", at):
                raise BadJson(text, at, "a comment without an end")
            return at
        at = comment.end()


def past_space(text: str, at: int) -> int:
    """Return the position of the next text that is not white space."""
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _value(text: str, at: int, depth: int) -> Node:
    first = text[at : at + 1]
    if depth > _DEEPEST:
        raise BadJson(text, at, "it is nested too deeply")
    if first == '"':
        return _string(text, at)
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)
    plain = _PLAIN.match(text, at)
    if plain is None:
        raise BadJson(text, at, "a value is expected" if first else "it ends too early")
    return Node("plain", at, plain.end())


def _string(text: str, at: int) -> Node:
    try:
        string, end = _STRINGS.raw_decode(text, at)
    except JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:]
        raise BadJson(text, error.pos, what.removesuffix(" at")) from None
    return Node("string", at, end, string=string)


def _array(text: str, at: int, depth: int) -> Node:
    items: list[Node] = []
    here = past_trivia(text, at + 1)
    while not text.startswith("]", here):
        item = _value(text, here, depth + 1)
        items.append(item)
        here = _past_comma(text, item.end, "]")
    return Node("array", at, here + 1, items=tuple(items))


def _object(text: str, at: int, depth: int) -> Node:
    members: list[Member] = []
    here = past_trivia(text, at + 1)
    while not text.startswith("}", here):
        if not text.startswith('"', here):
            raise BadJson(
                text, here, "a name in quotes is expected" if text[here : here + 1] else "it ends too early"
            )
        key = _string(text, here)
        here = past_trivia(text, key.end)
        if not text.startswith(":", here):
            raise BadJson(text, here, "a colon is expected")
        value = _value(text, past_trivia(text, here + 1), depth + 1)
        members.append(Member(key, value))
        here = _past_comma(text, value.end, "}")
    return Node("object", at, here + 1, members=tuple(members))


def _past_comma(text: str, at: int, closing: str) -> int:
    """Return the position of the next item or the list's end; a comma before it is skipped."""
    at = past_trivia(text, at)
    if text.startswith(",", at):
        return past_trivia(text, at + 1)
    if not text.startswith(closing, at):
        what = f"a comma or {closing} is expected" if at < len(text) else "it ends too early"
        raise BadJson(text, at, what)
    return at
