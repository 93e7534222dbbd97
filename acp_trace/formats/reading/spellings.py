"""Values as Python and Rust print them, in the place of JSON → JSON. Pure.

    {'jsonrpc': '2.0', 'id': 0, 'params': None}
    Object {"jsonrpc": String("2.0"), "id": Number(0), "params": Null}

Learned from the language reference of Python (string and bytes literals) and `Debug` of serde_json's Value.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

#: How such a value begins. Of Rust, `Object` stands before the brace.
BEGINS = re.compile(r"\{\s*'|(?<=Object )\{|(?<=Array )\[\s*Object \{|\[\s*\{\s*'")
_TOKEN = re.compile(
    r"\s+|(?P<string>'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\")|(?P<opens>[{\[])|(?P<closes>[}\]])|(?P<comma>,)|:"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>None|Null|null|True|true|False|false)\b"
    r"|(?P<wrapper>(?:Object|Array|String|Number|Bool|Some)\b\(?|\))",
    re.DOTALL,
)
_WORDS = {"none": "null", "null": "null", "true": "true", "false": "false"}
#: What is escaped otherwise than in JSON, of which all but one are one character each.
_ESCAPE = re.compile(
    r"\\(?:(?P<same>[nrtbf\\\"/])|x(?P<hex>[0-9a-fA-F]{2})|u\{(?P<rust>[0-9a-fA-F]{1,6})\}"
    r"|u(?P<u>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<other>.))|(?P<quote>\")|(?P<control>[\x00-\x1f])",
    re.DOTALL,
)
_DEEPEST = 200


class SpelledValue(NamedTuple):
    """A value, and where it ends in its text; None, and how far the text was read."""

    value: Any
    end: int


def spelled(text: str, at: int) -> SpelledValue:
    """The value that begins here, as Python or Rust prints it; of None there is none, or no end of it."""
    made: list[str] = []
    depth, place = 0, at
    while (token := _TOKEN.match(text, place)) is not None:
        kind, place = token.lastgroup, token.end()
        piece = token[0]
        if kind == "opens":
            depth += 1
        elif kind == "closes":
            depth -= 1
            while made and made[-1] == ",":
                made.pop()
        if depth > _DEEPEST:
            break
        if kind == "string":
            piece = f'"{_ESCAPE.sub(_escaped, piece[1:-1])}"'
        elif kind == "word":
            piece = _WORDS[piece.lower()]
        if kind != "wrapper" and not piece.isspace():
            made.append(piece)
        if depth == 0:
            try:
                return SpelledValue(json.loads("".join(made)), place)
            except ValueError:
                break
    return SpelledValue(None, place)


def _escaped(found: re.Match[str]) -> str:
    """An escape as JSON has it."""
    if found["same"] or found["u"]:
        return found[0]
    if code := found["hex"] or found["rust"] or found["long"]:
        number = int(code, 16)
        return json.dumps(chr(number))[1:-1] if number < 0x110000 else "\\ufffd"
    return json.dumps(found["other"] or found[0])[1:-1]
