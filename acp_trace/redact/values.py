"""Secrets and their placeholders: the same secret has the same one, numbered by first appearance.

A string becomes a string, `<secret:1>`. A number becomes 0, because there is no number that says what
it is; `true`, `false` and `null` stay, for they tell one bit at most.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote

from acp_trace.redact.names import is_common

PLACEHOLDER = r"<secret:\d+>|<home(?::\d+)?>"
_PLACEHOLDER = re.compile(PLACEHOLDER)
_TAKEN = re.compile(rb"<secret:(\d{1,9})>")

#: A shorter secret is looked for as a whole word only, for it may stand in another word by chance.
_LONG = 8
#: A line of a secret of several lines (a private key) is looked for by itself, as logs are lines.
_LONG_LINE = 16


def is_placeholder(text: str) -> bool:
    """Whether this was redacted before."""
    return _PLACEHOLDER.fullmatch(text) is not None


class Values:
    """All secrets of a trace: `learn` them, then ask for placeholders."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._wanted: dict[str, str] = {}  #: what is looked for everywhere -> the secret it stands for
        self._numbers: dict[str, int] = {}
        self._taken = 0

    def taken(self, raw: bytes) -> None:
        """Notes the placeholders that a line holds already: their numbers are not given again."""
        for found in _TAKEN.finditer(raw):
            self._taken = max(self._taken, int(found[1]))

    def learn(self, secret: str, rule: str, order: Iterable[str], *, here_only: bool = False) -> None:
        """Takes a secret in. `here_only`: it goes where it was found, and is looked for nowhere else."""
        if not secret or is_placeholder(secret):
            return
        known = self._rules.get(secret)
        if known != rule and (known is None or next(one for one in order if one in (known, rule)) == rule):
            self._rules[secret] = rule
        if not here_only:
            for form in _forms(secret):
                if not is_common(form):
                    self._wanted.setdefault(form, secret)

    def rules(self) -> list[str]:
        """The rule of every secret."""
        return list(self._rules.values())

    def rule(self, secret: str) -> str | None:
        """The rule that found a secret."""
        return self._rules.get(secret)

    def placeholder(self, secret: str) -> str:
        """What stands in place of a secret."""
        number = self._numbers.setdefault(secret, self._taken + len(self._numbers) + 1)
        return f"<secret:{number}>"

    def wanted(self, but: Callable[[str], bool]) -> dict[str, str]:
        """What is to be looked for everywhere, longest first, with the secret it stands for."""
        return {
            form: self._wanted[form]
            for form in sorted(self._wanted, key=lambda one: (-len(one), one))
            if not but(form)
        }


def pattern(form: str) -> str:
    """The regular expression that finds a secret in a text."""
    found = re.escape(form)
    return found if len(form) >= _LONG else rf"(?<![^\W_]){found}(?![^\W_])"


def sign(form: str) -> bytes:
    """A part of a secret that stands in the bytes of every line that holds it, if no escape of JSON is there.

    Empty where there is none.
    """
    runs = re.split(r'[\x00-\x1f"\\/\x7f\ud800-\udfff]', form)
    return max(runs, key=len).encode()


def _forms(secret: str) -> set[str]:
    """A secret as it may be written elsewhere: without space around it, in JSON in a string, line by line."""
    lines = [line.strip() for line in secret.splitlines()] if "\n" in secret else []
    lines = [line for line in lines if len(line) >= _LONG_LINE and not line.startswith("-----")]
    return {secret, secret.strip(), json.dumps(secret)[1:-1], _decoded(secret), *lines} - {""}


def _decoded(secret: str) -> str:
    """Without the percent signs of a URL."""
    return unquote(secret, errors="strict") if re.search(r"%[0-9A-Fa-f]{2}", secret) else secret
