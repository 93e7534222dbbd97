"""What SQL can ask, for people: each table and view with its columns; their words are wrapped, never cut."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from acp_trace.report.text import styles

_INDENT = 2
_LEAST = 20  #: columns for what a column holds, however narrow the terminal


def tables(described: Sequence[Mapping[str, Any]], width: int) -> Text:
    """All of `store.query.described`."""
    text = Text(end="")
    for table in described:
        text.append(table["name"], styles.HEADING)
        first, *more = _wrapped(f"  {table['kind']}: {table['doc']}", width - len(table["name"]))
        text.append(f"{first}\n").append("".join(f"{' ' * _INDENT * 2}{line}\n" for line in more))
        names = max(len(column["name"]) for column in table["columns"])
        types = max(len(column["type"]) for column in table["columns"])
        left = _INDENT + names + 2 + types + 2
        for column in table["columns"]:
            lines, *rest = _wrapped(column["doc"], width - left)
            text.append(f"{'':{_INDENT}}{column['name']:<{names}}  ")
            text.append(f"{column['type']:<{types}}", styles.FAINT).append(f"  {lines}\n")
            text.append("".join(f"{'':{left}}{line}\n" for line in rest))
        text.append("\n")
    return text


def _wrapped(words_: str, room: int) -> list[str]:
    return textwrap.wrap(words_, max(room, _LEAST), break_on_hyphens=False)
