"""Secrets and their placeholders: the same secret has the same one, numbered by first appearance.

A string becomes a string, `<secret:1>`. A number becomes 0, because no number could show that it was
replaced; `true`, `false` and `null` stay, because they reveal at most one bit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from acp_trace.redact import pem
from acp_trace.redact.secret_names import is_common

PLACEHOLDER = r"<secret:\d+>|<home(?::\d+)?>"
_PLACEHOLDER = re.compile(PLACEHOLDER)
_TAKEN = re.compile(r"<secret:(\d{1,9})>")

#: A shorter secret is searched for as a whole word only, because it may occur in another word by chance.
_LONG = 8
#: A line of a secret of several lines (a private key) is searched for separately, because logs are lines.
_LONG_LINE = 16
#: A word in a value that may itself be a secret.
_WORD = re.compile(r"[A-Za-z0-9_~+/-]{16,}={0,2}")
_SAFE = re.compile(r"[A-Za-z0-9_.-]+")


def is_placeholder(text: str) -> bool:
    """Whether this was redacted before."""
    return _PLACEHOLDER.fullmatch(text) is not None


class Values:
    """All secrets of a trace: `learn` them, then ask for placeholders.

    `order`: the names of the rules; a secret that several find belongs to the first of them.
    """

    def __init__(self, order: Sequence[str]) -> None:
        self._order = {name: at for at, name in enumerate(order)}
        self._rules: dict[str, str] = {}
        self._inner: dict[str, str] = {}  #: secrets that were only seen within another one
        self._wanted: dict[str, str] = {}  #: what is searched for everywhere -> the secret that it represents
        self._numbers: dict[str, int] = {}
        self._taken = 0

    def taken(self, text: str) -> None:
        """Note the placeholders that a text already has: their numbers are not used again."""
        for match in _TAKEN.finditer(text):
            self._taken = max(self._taken, int(match[1]))

    def learn(self, secret: str, rule: str, *, here_only: bool = False, inner: bool = False) -> None:
        """Learn a secret. `here_only`: it is removed where it was found, and not searched for elsewhere.

        `inner`: it is part of another secret, and not counted.
        """
        if not secret or is_placeholder(secret):
            return
        rules = self._inner if inner else self._rules
        earlier = rules.get(secret)
        if earlier is None or self._order[rule] < self._order[earlier]:
            rules[secret] = rule
        if not here_only and not is_common(secret.strip()):
            for form in _forms(secret):
                if not is_common(form):
                    self._wanted.setdefault(form, secret)

    def rules(self) -> list[str]:
        """The rule of every secret."""
        return list(self._rules.values())

    def rule(self, secret: str) -> str | None:
        """The rule that found a secret."""
        return self._rules.get(secret) or self._inner.get(secret)

    def placeholder(self, secret: str) -> str:
        """Return the replacement of a secret."""
        number = self._numbers.setdefault(secret, self._taken + len(self._numbers) + 1)
        return f"<secret:{number}>"

    def wanted(self, but: Callable[[str], bool]) -> dict[str, str]:
        """Return what to search for everywhere, longest first, with the secret that it represents."""
        return {
            form: self._wanted[form]
            for form in sorted(self._wanted, key=lambda one: (-len(one), one))
            if not (but(form) or (self._wanted[form] != form and but(self._wanted[form])))
        }


def fits(text: str, start: int, end: int) -> bool:
    """Whether a match may be a secret: a short one only as a whole word."""
    if end - start >= _LONG:
        return True
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return not any(one.isalnum() and one.isascii() for one in around)


def sign(form: str) -> str:
    """Return a part of a secret that all its spellings have: letters and digits are never escaped.

    Empty if there is none.
    """
    return max(_SAFE.findall(form), key=len, default="")


def _is_opaque(word: str) -> bool:
    """Whether a word in a secret is its secret part: `x` of `{"Authorization": "Token x"}`."""
    if word.isalpha() or not any(map(str.isdigit, word)) or not any(map(str.isalpha, word)):
        return False
    return "/" not in word or (word[0] != "/" and word.lower() != word and word.upper() != word)


def _forms(secret: str) -> list[str]:
    """Return a secret's other spellings, apart from escapes: itself first, line by line, its secret words."""
    forms = [secret, secret.strip()]
    if "\n" in secret or "\r" in secret:
        lines = [line.strip() for line in secret.splitlines()]
        forms += [line for line in lines if len(line) >= _LONG_LINE and not line.startswith("-----")]
        forms += pem.lines(secret)
    forms += [word for word in _WORD.findall(secret) if _is_opaque(word)]
    return list(dict.fromkeys(form for form in forms if form))
