"""The JSON of a recorder's own entries: header, gaps, footer. One writer for captures and lines.

Imports nothing: `json` alone would take a tenth of a recorder's start. Messages of agents and clients do not
pass through here; they stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The version of a trace's lines, as in its header.
FORMAT = 1

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)} | {ord(key): text for key, text in _SHORT.items()}


def document(keys: Mapping[str, object]) -> bytes:
    """Return the JSON text of an object of strings, integers, booleans, None, lists and objects, in UTF-8.

    It is compact, in the order of the keys. Strings of the system (arguments, paths) may hold undecodable
    bytes: each becomes `?`. Raises TypeError for any other value.
    """
    return _text(keys).encode("utf-8", "replace")


def _text(value: object) -> str:
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{_text(key)}:{_text(item)}' for key, item in value.items())}}}"
    raise TypeError(f"no document holds a {type(value).__name__}")
