"""What an id looks like: a word that names a session, a call, a user, and that each run makes anew.

Only shapes: no agent's own. What is masked is kept in its order, so that it can be seen whether two requests
use their ids alike.
"""

from __future__ import annotations

import re

MASK = "‹id›"
_HEX = "[0-9a-fA-F]"
_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    # A word before it belongs to it: `ses_…`, `session-…`.
    rf"(?:[A-Za-z]{{2,24}}[_-]){{0,3}}{_HEX}{{8}}-?(?:{_HEX}{{4}}-?){{3}}{_HEX}{{12}}"
    # With a moment in it: `run_shell_command_1732309512345_0`.
    r"|[A-Za-z][A-Za-z_-]*[_-]1[5-9]\d{11}(?:[_-][0-9A-Za-z]+)*"
    # With a word before it, and digits in it.
    r"|[A-Za-z]{2,16}_(?=[A-Za-z]*\d)[0-9A-Za-z]{8,}"
    # A short one behind words, with digits and letters: `code-puppy-7a5f58`.
    r"|[a-z]{2,24}(?:-[a-z]{2,24}){0,3}-(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{6,8}"
    # The address of an object in memory.
    rf"|0x{_HEX}{{8,16}}"
    # ULID.
    r"|[0-7][0-9A-HJKMNP-TV-Z]{25}"
    # Digits and letters of hexadecimal, too long for a word or a number.
    rf"|(?=[0-9]*[a-fA-F])(?=[a-fA-F]*[0-9]){_HEX}{{12,}}"
    # Digits, small and capital letters.
    r"|(?=[A-Za-z]*\d)(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])[0-9A-Za-z]{20,}"
    r")(?![A-Za-z0-9])"
    # What a label says: `cch=10e98;`.
    rf"|(?<=[a-z]=)(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{{5,}}(?=[;&\s]|$)"
)
#: Fields whose value is an id whatever it looks like.
_FIELD = re.compile(r"(?:^|[_.-])(?:id|uuid|nonce|cache_key|session|thread)$|(?:Id|Uuid|CacheKey)$")
_WORD = re.compile(r"(?=\D*\d)(?![{\[])[!-~]{6,}")
#: A header in the prompt: it tells the provider something, and nothing to the model.
_HEADER = re.compile(r"[A-Za-z]\w*-[\w-]+:(?:\s*[\w.-]+=[^;\s]*(?:;|$))+\s*")
_VALUE = re.compile(r"=[^;\s]+")


def mask(text: str, found: list[str]) -> str:
    """The text without its ids, which are added to those found."""
    if len(text) < 5:
        return text

    if text[:1].isalpha() and "=" in text[:80] and _HEADER.fullmatch(text):
        return _VALUE.sub(f"={MASK}", text)

    def note(match: re.Match[str]) -> str:
        found.append(match[0])
        return MASK

    return _ID.sub(note, text)


def is_named(field: str, value: str) -> bool:
    """Whether a value is an id because of the field that holds it."""
    return _FIELD.search(field) is not None and _WORD.fullmatch(value) is not None
