"""What pasting and copying have done to a text, undone where it shows: quotes, HTML, diagrams. Pure."""

from __future__ import annotations

import html
import re

_QUOTED = re.compile(r"(?m)^[ \t]*>[ \t]?")
#: The quotes of JSON in HTML, before a name that messages have.
_IN_HTML = re.compile(r"&(?:quot|#34|#x22);(?:jsonrpc|method|result)\b")
#: Lines of an event of SSE that go on with the data of the line before.
_EVENT, _GOES_ON = re.compile(r"(?m)^data:.*\n(?=data:)"), re.compile(r"(?m)(^data:.*\n)data: ?")
_BREAK = re.compile(r"<br\s*/?>")


def undone(text: str) -> str:
    """The text as it was before. Its lines stay where they are."""
    if _IN_HTML.search(text):
        text = html.unescape(text)
    if "sequenceDiagram" in text:
        text = _BREAK.sub("", text)
    if _is_quoted(text):
        text = _QUOTED.sub("", text)
    if _EVENT.search(text):
        text = _unfolded(text)
    return text


def _is_quoted(text: str) -> bool:
    """Whether it is an answer to a mail: most lines are quoted, and none of them is one side of two."""
    lines = [line.lstrip() for line in text.split("\n") if line.strip()]
    quoted = [line for line in lines if line.startswith(">")]
    is_side = any(line.startswith(("<", ">>")) for line in lines)
    starts = sum("{" in line for line in quoted)
    return 2 * len(quoted) > len(lines) and not is_side and (starts < len(quoted) or len(quoted) < len(lines))


def _unfolded(text: str) -> str:
    """Events, each with its data together: the lines of one event are joined by line ends."""
    lines = text.split("\n")
    return "\n".join(
        line.removeprefix("data:").removeprefix(" ")
        if number and lines[number - 1].startswith("data:")
        else line
        for number, line in enumerate(lines)
    )
