"""An agent's entry that `install` adds, and its removal, to the byte.

An entry is added in front of the others: on lines of its own if the object goes over several lines, otherwise
on the same line. So what surrounds it says how it was added, and nothing else has to be known to remove it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from acp_trace.clients import jsonc
from acp_trace.clients.edits import TextEdit
from acp_trace.clients.jsonc import Member, Node
from acp_trace.clients.launch import quoted
from acp_trace.clients.table import EditableClient

#: An object by its members, or JSON as it is to be written.
Written: TypeAlias = "Mapping[str, Written] | str"

_NO_LINE_END = re.compile(r"(?://[^\n]*|/\*.*?\*/|[ \t\r]+)*", re.DOTALL)
_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|\s+|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is laid out: the end of its lines, and what one level is indented with."""

    newline: str = "\n"
    unit: str = "  "


def layout(text: str) -> Layout:
    """That of a text, by its first lines."""
    first = text.find("\n")
    indented = re.search(r"\n([ \t]+)[^ \t\r\n]", text)
    return Layout(
        "\r\n" if first > 0 and text[first - 1] == "\r" else "\n", indented[1] if indented else "  "
    )


def entry(client: EditableClient, words: Sequence[str]) -> Written:
    """An agent's entry with that command, as the client wants it."""
    if client.form == "argv":
        return {"argv": _list(words)}
    kind = {"type": quoted(client.type)} if client.type else {}
    return {**kind, "command": quoted(words[0]), "args": _list(words[1:]), "env": "{}"}


def rendered(written: Written, indent: str = "", how: Layout | None = None) -> str:
    """The text of it: each member on a line of its own, or all on one line if no layout is given."""
    if isinstance(written, str):
        return written
    if how is None:
        return "{" + ", ".join(f"{quoted(name)}: {rendered(value)}" for name, value in written.items()) + "}"
    deeper = indent + how.unit
    lines = [f"{deeper}{quoted(name)}: {rendered(value, deeper, how)}" for name, value in written.items()]
    return how.newline.join(["{", f",{how.newline}".join(lines), indent + "}"])


def is_written(text: str, written: Written) -> bool:
    """Whether a text is that, however it is laid out, and nothing else: no comment, no other member."""
    return _squeezed(text) == _squeezed(rendered(written))


def add(text: str, container: Node, name: str, written: Written) -> TextEdit:
    """Puts a member in front of all others."""
    how, comma = layout(text), "," if container.members else ""
    space = _NO_LINE_END.match(text, container.start + 1)
    at = container.start + 1 if space is None else space.end()
    if text[at] != "\n":
        at = container.members[0].key.start if comma else container.start + 1
        return TextEdit(at, at, f"{quoted(name)}: {rendered(written)}{comma and ', '}")
    indent = _indent(text, container.members[0].key.start) if comma else None
    if indent is None:
        indent = (_indent(text, container.start) or "") + how.unit
    if how.newline == "\r\n" and text[at - 1] == "\r":
        at -= 1
    return TextEdit(at, at, f"{how.newline}{indent}{quoted(name)}: {rendered(written, indent, how)}{comma}")


def remove(text: str, container: Node, member: Member) -> TextEdit:
    """Takes a member out, with its comma and its line."""
    start, end = member.key.start, member.value.end
    newline, line = layout(text).newline, text[:start].rstrip(" \t")
    own_line = line.endswith(newline)
    if own_line:
        start = len(line) - len(newline)
    after = jsonc.past_space(text, end)
    if text[after] == ",":
        return TextEdit(start, after + (1 if own_line or text[after + 1] != " " else 2))
    if at := container.members.index(
        member
    ):  # somebody put others before it: the comma behind them goes, too
        before = container.members[at - 1].value.end
        if text[before:start].strip() == ",":
            start = before
    return TextEdit(start, end)


def _indent(text: str, at: int) -> str | None:
    """What the line begins with in which something stands; None if it is not white space up to there."""
    start = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found[0] if found and (found.end() >= at or text[at] == "{") else None


def _list(words: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted, words)) + "]"


def _squeezed(text: str) -> str:
    return _STRING_OR_SPACE.sub(lambda found: found[1] or "", text)
