"""Whether a row is wanted: a tree and a row in, a truth out.

A row has an attribute for each field (`rows.FilterRow`): texts in a tuple, a number or None, the text. What
a row does not have fits no value and no comparison.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

from acp_trace.report.frame_filter.fields import FIELDS
from acp_trace.report.frame_filter.grammar import All, Node, Not, Term, Word

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SESSION = re.compile(r"[Ss][1-9]\d{0,8}", re.ASCII)
_WILD = re.compile(r"[*?]")

#: Attributes that cannot be called like their fields.
_ATTRIBUTES = {"is": "is_"}

#: Whether a row is wanted.
Wants = Callable[[Any], bool]


def wants(tree: Node) -> Wants:
    """What says of a row whether the filter wants it."""
    if isinstance(tree, Term):
        return _term(tree)
    if isinstance(tree, Not):
        part = wants(tree.part)
        return lambda row: not part(row)
    parts = [wants(part) for part in tree.parts]
    if isinstance(tree, All):
        return lambda row: all(part(row) for part in parts)
    return lambda row: any(part(row) for part in parts)


def _term(term: Term) -> Wants:
    name, kind = term.field, FIELDS[term.field].type
    if term.op != ":":
        compare, limit = _COMPARE[term.op], term.values[0]
        return lambda row: (value := getattr(row, name)) is not None and compare(value, limit)
    if kind == "number":
        return lambda row: (
            (value := getattr(row, name)) is not None
            and any(first <= value and (last is None or value <= last) for first, last in term.values)
        )
    if kind == "text":
        among = [spelling for word in term.values for spelling in spellings(word.text)]
        return lambda row: _has(row.text.lower(), among)
    attribute, fits = _ATTRIBUTES.get(name, name), [_FITS[kind](word) for word in term.values]
    return lambda row: any(fit(text) for text in getattr(row, attribute) for fit in fits)


def spellings(text: str) -> list[str]:
    """A text in lower case, as JSON may have written it: as it is, escaped, and in ASCII alone."""
    low = text.lower()
    escaped = json.dumps(text, ensure_ascii=False)[1:-1].lower()
    return list(dict.fromkeys([low, escaped, "".join(map(_ascii, escaped))]))


def _ascii(char: str) -> str:
    return char if char < "\x80" else json.dumps(char)[1:-1]


def _has(text: str, among: Iterable[str]) -> bool:
    return any(each in text for each in among)


def _glob(word: Word) -> Callable[[str], bool]:
    if word.is_quoted or not _WILD.search(word.text):
        return word.text.__eq__
    pattern = "".join({"*": ".*", "?": "."}.get(char) or re.escape(char) for char in word.text)
    match = re.compile(pattern, re.DOTALL).fullmatch
    return lambda text: match(text) is not None


def _part(word: Word) -> Callable[[str], bool]:
    low = word.text.lower()
    return lambda text: low in text.lower()


def _session(word: Word) -> Callable[[str], bool]:
    """A row has the session's id, and its name, if any. A word like a name never matches part of an id."""
    wanted = word.text
    if _SESSION.fullmatch(wanted) and not word.is_quoted:
        name = wanted.upper()
        return lambda text: text in (name, wanted)
    return lambda text: wanted in text and (text == wanted or not _SESSION.fullmatch(text))


def _turn(word: Word) -> Callable[[str], bool]:
    wanted = word.text.upper()
    if "." in wanted:
        return lambda text: text == wanted
    end = f".{wanted}"
    return lambda text: text.endswith(end)


_FITS: dict[str, Callable[[Word], Callable[[str], bool]]] = {
    "glob": _glob,
    "part": _part,
    "choice": _glob,
    "session": _session,
    "turn": _turn,
}
