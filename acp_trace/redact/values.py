"""Secrets and their placeholders: the same secret has the same one, numbered by first appearance.

A string becomes a string, `<secret:1>`. A number becomes 0, because there is no number that says what
it is; `true`, `false` and `null` stay, for they tell one bit at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from acp_trace.redact import pem
from acp_trace.redact.secret_names import is_common

PLACEHOLDER = r"<secret:\d+>|<home(?::\d+)?>"
_PLACEHOLDER = re.compile(PLACEHOLDER)
_TAKEN = re.compile(r"<secret:(\d{1,9})>")

#: A shorter secret is looked for as a whole word only, for it may stand in another word by chance.
_LONG = 8
#: A line of a secret of several lines (a private key) is looked for by itself, as logs are lines.
_LONG_LINE = 16
#: A word in a value that may be a secret by itself.
_WORD = re.compile(r"[A-Za-z0-9_~+/-]{16,}={0,2}")
_SAFE = re.compile(r"[A-Za-z0-9_.-]+")


def is_placeholder(text: str) -> bool:
    """Whether this was redacted before."""
    return _PLACEHOLDER.fullmatch(text) is not None


class Values:
    """All secrets of a trace: `learn` them, then ask for placeholders.

    `order`: the names of the rules; where several find a secret, it belongs to the first of them.
    """

    def __init__(self, order: Sequence[str]) -> None:
        self._order = {name: at for at, name in enumerate(order)}
        self._rules: dict[str, str] = {}
        self._inner: dict[str, str] = {}  #: secrets that were only seen within another one
        self._wanted: dict[str, str] = {}  #: what is looked for everywhere -> the secret it stands for
        self._numbers: dict[str, int] = {}
        self._taken = 0

    def taken(self, text: str) -> None:
        """Notes the placeholders that a text holds already: their numbers are not given again."""
        for match in _TAKEN.finditer(text):
            self._taken = max(self._taken, int(match[1]))

    def learn(self, secret: str, rule: str, *, here_only: bool = False, inner: bool = False) -> None:
        """Takes a secret in. `here_only`: it goes where it was found, and is looked for nowhere else.

        `inner`: it is part of another one, and not counted.
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
        """What stands in place of a secret."""
        number = self._numbers.setdefault(secret, self._taken + len(self._numbers) + 1)
        return f"<secret:{number}>"

    def wanted(self, but: Callable[[str], bool]) -> dict[str, str]:
        """What is to be looked for everywhere, longest first, with the secret it stands for."""
        return {
            form: self._wanted[form]
            for form in sorted(self._wanted, key=lambda one: (-len(one), one))
            if not (but(form) or (self._wanted[form] != form and but(self._wanted[form])))
        }


def fits(text: str, start: int, end: int) -> bool:
    """Whether a secret that stands here may be one: a short one only as a whole word."""
    if end - start >= _LONG:
        return True
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return not any(one.isalnum() and one.isascii() for one in around)


def sign(form: str) -> str:
    """A part of a secret that every spelling of it has: nobody escapes letters and digits.

    Empty where there is none.
    """
    return max(_SAFE.findall(form), key=len, default="")


def _is_opaque(word: str) -> bool:
    """Whether a word in a secret is what is secret in it: `x` of `{"Authorization": "Token x"}`."""
    if word.isalpha() or not any(map(str.isdigit, word)) or not any(map(str.isalpha, word)):
        return False
    return "/" not in word or (word[0] != "/" and word.lower() != word and word.upper() != word)


def _forms(secret: str) -> list[str]:
    """A secret as it may be written elsewhere, but for escapes: itself first, line by line, what is in it."""
    forms = [secret, secret.strip()]
    if "\n" in secret or "\r" in secret:
        lines = [line.strip() for line in secret.splitlines()]
        forms += [line for line in lines if len(line) >= _LONG_LINE and not line.startswith("-----")]
        forms += pem.lines(secret)
    forms += [word for word in _WORD.findall(secret) if _is_opaque(word)]
    return list(dict.fromkeys(form for form in forms if form))
