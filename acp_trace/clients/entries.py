"""An agent's entry that `install` adds, and its removal, to the byte.

An entry is added before the others: on its own lines if the object spans several lines, otherwise on the same
line. So the text around it shows how it was added, and nothing else is needed to remove it.
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

#: An object by its members, or JSON text.
Written: TypeAlias = "Mapping[str, Written] | str"

_NO_LINE_END = re.compile(r"(?://[^\n]*|/\*.*?\*/|[ \t\r]+)*", re.DOTALL)
_STRING_OR_SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|\s+|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a text: its line ending, and the indentation of one level."""

    newline: str = "\n"
    unit: str = "  "


def layout(text: str) -> Layout:
    """Return the layout of a text, by its first lines."""
    first = text.find("\n")
    indented = re.search(r"\n([ \t]+)[^ \t\r\n]", text)
    return Layout(
        "\r\n" if first > 0 and text[first - 1] == "\r" else "\n", indented[1] if indented else "  "
    )


def entry(client: EditableClient, words: Sequence[str]) -> Written:
    """Return an agent's entry with that command, as the client wants it."""
    if client.form == "argv":
        return {"argv": _list(words)}
    kind = {"type": quoted(client.type)} if client.type else {}
    return {**kind, "command": quoted(words[0]), "args": _list(words[1:]), "env": "{}"}


def rendered(written: Written, indent: str = "", how: Layout | None = None) -> str:
    """Return its text: each member on its own line, or all on one line if no layout is given."""
    if isinstance(written, str):
        return written
    if how is None:
        return "{" + ", ".join(f"{quoted(name)}: {rendered(value)}" for name, value in written.items()) + "}"
    deeper = indent + how.unit
    lines = [f"{deeper}{quoted(name)}: {rendered(value, deeper, how)}" for name, value in written.items()]
    return how.newline.join(["{", f",{how.newline}".join(lines), indent + "}"])


def is_written(text: str, written: Written) -> bool:
    """Whether a text is exactly that, in any layout: no comment, no other member."""
    return _squeezed(text) == _squeezed(rendered(written))


def add(text: str, container: Node, name: str, written: Written) -> TextEdit:
    """Add a member before all others."""
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
    """Remove a member, with its comma and its line."""
    start, end = member.key.start, member.value.end
    newline, line = layout(text).newline, text[:start].rstrip(" \t")
    own_line = line.endswith(newline)
    if own_line:
        start = len(line) - len(newline)
    after = jsonc.past_space(text, end)
    if text[after] == ",":
        return TextEdit(start, after + (1 if own_line or text[after + 1] != " " else 2))
    if at := container.members.index(member):  # others were added before it: the comma after them goes, too
        before = container.members[at - 1].value.end
        if text[before:start].strip() == ",":
            start = before
    return TextEdit(start, end)


def _indent(text: str, at: int) -> str | None:
    """Return the white space before a position in its line; None if the line has other text before it."""
    start = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found[0] if found and (found.end() >= at or text[at] == "{") else None


def _list(words: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted, words)) + "]"


def _squeezed(text: str) -> str:
    return _STRING_OR_SPACE.sub(lambda found: found[1] or "", text)
