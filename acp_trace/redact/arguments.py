"""Secrets in command lines: `--api-key X`, `API_KEY=X`, `--header 'Authorization: Bearer X'`.

Single arguments, and arguments that are a command line themselves (`sh -c …`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acp_trace.redact.secret_names import HEADER_OPTIONS, USER_OPTIONS, is_option, is_variable

_WORD = r"\"[^\"]*\"|'[^']*'|[^\s;&|\"']+"
_INNER_OPTION = re.compile(rf"(?<!\S)(--?[A-Za-z][\w-]*)(?:=|\s+)({_WORD})")
_INNER_VARIABLE = re.compile(rf"(?<![\w-])([A-Za-z_]\w*)=({_WORD})")
_WHOLE = re.compile(r"(--?[A-Za-z][\w-]*(?=[=:])|[A-Za-z_]\w*(?==))[=:](.+)", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'", re.DOTALL)
#: Settings in an argument: JSON, one-line TOML, or either of them in a string. (Not possessive: CPython 3.11
#: once ended such a repetition after text that its look-ahead had seen.)
_PAIR = re.compile(r"([A-Za-z_][\w-]*)\\{0,3}[\"']?\s*[:=]\s*\\{0,3}[\"']((?:[^\"'\\]|\\(?![\"'\\]))+)")
_BLOCK = re.compile(r"(?<![\w-])(?:env|headers|http_headers)\\{0,3}[\"']?\s*[:=]\s*\{([^{}]{1,10000})\}")
_GLUED = re.compile(r"-H(?=[\w-]+:)")
_SHELL = re.compile(r"-[a-z]*c")  #: what follows is a command line
_HEADER = re.compile(r"[\w-]+:\s*(.+)", re.DOTALL)
_SCHEME = re.compile(r"(?:ApiKey|Basic|Bearer|Digest|Negotiate|Token)\s+(?=\S)", re.IGNORECASE)


def header_start(value: str) -> int:
    """Return where the secret of a header's value begins: after its scheme (RFC 9110, 11.4)."""
    scheme = _SCHEME.match(value)
    return scheme.end() if scheme else 0


def spans(argument: str, before: str | None) -> list[tuple[int, int]]:
    """Return the secrets in an argument, in order; `before` is the previous argument."""
    if before is not None and not argument.startswith("-"):
        if before in HEADER_OPTIONS:
            return list(_header(argument, 0))
        if before in USER_OPTIONS:
            return list(_password(argument, 0))
        if before.startswith("-") and "=" not in before and is_option(before):
            return [(0, len(argument))] if argument else []
    whole = None if before is not None and _SHELL.fullmatch(before) else _WHOLE.fullmatch(argument)
    if whole:
        value = _QUOTED.fullmatch(whole[2])
        at, text = (whole.start(2) + 1, whole[2][1:-1]) if value else (whole.start(2), whole[2])
        if value_spans := list(_named(whole[1], text, at)):
            return value_spans
    if glued := _GLUED.match(argument):
        return list(_header(argument[glued.end() :], glued.end()))
    inner = [
        span
        for pattern in (_INNER_OPTION, _INNER_VARIABLE)
        for match in pattern.finditer(argument)
        for span in _named(match[1], *_unquoted(match[2], match.start(2)))
    ]
    if "{" in argument:
        inner += [*_blocks(argument), *settings(argument)]
    return _apart(inner)


def _named(name: str, value: str, at: int) -> Iterator[tuple[int, int]]:
    if name in HEADER_OPTIONS:
        yield from _header(value, at)
    elif name in USER_OPTIONS:
        yield from _password(value, at)
    elif value and (is_option(name) if name.startswith("-") else is_variable(name)):
        yield at, at + len(value)


def _header(text: str, at: int) -> Iterator[tuple[int, int]]:
    if match := _HEADER.fullmatch(text):
        start = match.start(1) + header_start(match[1])
        yield at + start, at + len(text)


def _password(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Return the password in `USER:PASSWORD`; two numbers are a user and a group."""
    password = text.partition(":")[2]
    if password and not password.isdigit() and "/" not in password[:1]:
        yield at + len(text) - len(password), at + len(text)


def settings(text: str) -> Iterator[tuple[int, int]]:
    """Return the values in settings (JSON, TOML) beside names of options and of variables."""
    for pair in _PAIR.finditer(text):
        if is_option(pair[1]) or is_variable(pair[1]):
            yield pair.start(2) + header_start(pair[2]), pair.end(2)


def _blocks(argument: str) -> Iterator[tuple[int, int]]:
    """Return all values of variables and headers in settings."""
    for block in _BLOCK.finditer(argument):
        for pair in _PAIR.finditer(argument, *block.span(1)):
            yield pair.start(2) + header_start(pair[2]), pair.end(2)


def _unquoted(word: str, at: int) -> tuple[str, int]:
    return (word[1:-1], at + 1) if word[0] in "\"'" else (word, at)


def _apart(candidates: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return them in order, each once, without those that begin in another."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(candidates):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart
