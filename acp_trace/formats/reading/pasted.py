"""Undo what pasting and copying have visibly done to a text. Pure.

Quotes of a mail, HTML, typographic quotes and spaces, boxes of a terminal, cells of a table, events of SSE.
"""

from __future__ import annotations

import html
import quopri
import re

_QUOTED = re.compile(r"(?m)^[ \t]*>[ \t]?")
#: The quotes of JSON in HTML, before a name that messages have; and the tags that colour it.
_IN_HTML = re.compile(r"&(?:quot|#34|#x22);(?:jsonrpc|method|result)\b")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
#: The same with typographic quotes; and spaces that are none of JSON.
_TYPOGRAPHIC, _QUOTES = re.compile(r"[“”„](?:jsonrpc|method|result)[“”]"), str.maketrans("“”„", '"""')
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u200b": None, "\u2060": None, "\ufeff": None})
_ODD_SPACE = re.compile(r"(?m)^[\u00a0\u202f\u200b\u2060\ufeff]|[\u00a0\u200b]$")
#: Lines within a box, and cells of a table in Markdown, where `|` is escaped.
_BOXED, _CELL = re.compile(r"(?m)^[│┃|║] ?(.*?) *[│┃|║]$"), re.compile(r"(?m)^\|.*\\\|.*\|$")
#: Lines of an event of SSE that go on with the data of the line before.
_EVENT = re.compile(r"(?m)^data:.*\n(?=data:)")
_BREAK = re.compile(r"<br\s*/?>")


def undone(text: str) -> str:
    """The text as it was before it was pasted. Lines keep their numbers, except lines that a mail broke."""
    if "Content-Transfer-Encoding: quoted-printable" in text:
        text = quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    if "sequenceDiagram" in text:
        text = _BREAK.sub("", text)
    if _IN_HTML.search(text):
        text = html.unescape(_TAG.sub("", text))
    if _TYPOGRAPHIC.search(text):
        text = text.translate(_QUOTES)
    if _ODD_SPACE.search(text):
        text = text.translate(_SPACES)
    if "│" in text and _is_boxed(text):
        text = _BOXED.sub(r"\1", text)
    if "{#012" in text:  # as rsyslog writes a line end
        text = text.replace("#012", " ")
    text = _CELL.sub(lambda row: row[0].replace("\\|", "|"), text)
    if _is_quoted(text):
        text = _QUOTED.sub("", text)
    if _EVENT.search(text):
        text = _unfolded(text)
    return text


def _is_boxed(text: str) -> bool:
    """Whether most lines are in a box as wide as the terminal, which has broken them."""
    lines = [line for line in text.split("\n") if line.strip()]
    return 2 * sum(_BOXED.match(line) is not None for line in lines) > len(lines)


def _is_quoted(text: str) -> bool:
    """Whether the text quotes a mail: most lines begin with `>`, which does not mark one of two sides."""
    lines = [line.lstrip() for line in text.split("\n") if line.strip()]
    quoted = [line for line in lines if line.startswith(">")]
    is_side = any(line.startswith(("<", ">>")) for line in lines)
    starts = sum("{" in line for line in quoted)
    return 2 * len(quoted) > len(lines) and not is_side and (starts < len(quoted) or len(quoted) < len(lines))


def _unfolded(text: str) -> str:
    """The events without `data:` in each line after the first, so that the data of an event are one text."""
    lines = text.split("\n")
    return "\n".join(
        line.removeprefix("data:").removeprefix(" ")
        if number and lines[number - 1].startswith("data:")
        else line
        for number, line in enumerate(lines)
    )
