"""The characters of a string that Emacs printed. Written from the manual of Emacs Lisp, 2.3.8."""

from __future__ import annotations

import re

#: Escapes in a string: numbers, names, controls, one character; a line that goes on, or nothing.
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,6}) ?|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{U\+([0-9a-fA-F]{1,6})\}"
    r"|(?:\^|C-)(.)|(.))",
    re.DOTALL,
)
_NAMED = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", "s": " "}
_SKIPPED = {" ": "", "\n": ""}


def unescaped(text: str) -> str:
    """The characters of a string. Bytes that are not characters are read as UTF-8, if they are valid."""
    if "\\" not in text:
        return text
    return _BYTES.sub(_decoded, _ESCAPE.sub(_escaped, text))


#: This character represents a byte until the byte's neighbours are known.
_BYTE = 0x110000 - 0x100
_BYTES = re.compile(f"[{chr(_BYTE + 0x80)}-{chr(_BYTE + 0xFF)}]+")


def _escaped(match: re.Match[str]) -> str:
    octal, hexadecimal, *code_points, control, char = match.groups()
    number = int(octal, 8) if octal else int(hexadecimal, 16) if hexadecimal else None
    if number is not None:
        return chr(_BYTE + number) if 0x80 <= number <= 0xFF else _char(number)
    if code_point := next(filter(None, code_points), None):
        return _char(int(code_point, 16))
    if control:
        return "\x7f" if control == "?" else chr(ord(control) & 0x1F)
    return _NAMED.get(char, _SKIPPED.get(char, char))


def _decoded(match: re.Match[str]) -> str:
    return bytes(ord(char) - _BYTE for char in match[0]).decode("utf-8", "replace")


def _char(number: int) -> str:
    is_one = number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_one else "\ufffd"
