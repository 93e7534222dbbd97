"""The shapes of ids: words that name a session, a call or a user, and are new in every run.

Shapes only, and none of one agent alone. Masked ids are kept in their order, so that two sides' use of ids
can be compared. Repetitions are bounded, because a trace may hold any text. Ids in a message of ACP are known
from its method (`bindings`).
"""

from __future__ import annotations

import re

MASK = "‹id›"
_HEX = "[0-9a-fA-F]"
#: Recognisable forms, by their names.
FORMS = {
    # A word before it belongs to it: `ses_…`, `session-…`.
    "uuid": rf"(?:[A-Za-z]{{2,24}}[_-]){{0,3}}{_HEX}{{8}}-?(?:{_HEX}{{4}}-?){{3}}{_HEX}{{12}}",
    # `run_shell_command_1732309512345_0`.
    "with a moment": r"[A-Za-z][A-Za-z_-]{0,64}[_-]1[5-9]\d{11}(?:[_-][0-9A-Za-z]+)*",
    # `toolu_01A09q90qw90lq`: with digits in it.
    "behind a word": r"[A-Za-z]{2,16}_(?=[A-Za-z]*\d)[0-9A-Za-z]{8,}",
    # `code-puppy-7a5f58`, `sess-0-7d42560b`: with digits and letters.
    "short, behind words": (
        r"[a-z]{2,24}(?:-(?:[a-z]{2,24}|\d{1,4})){0,3}-(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{6,8}"
    ),
    # The address of an object in memory, as Python prints it.
    "address": rf"0x{_HEX}{{8,16}}",
    "ULID": r"[0-7][0-9A-HJKMNP-TV-Z]{25}",
    # Digits and letters, too long for a word or a number.
    "hexadecimal": rf"(?=[0-9]*[a-fA-F])(?=[a-fA-F]*[0-9]){_HEX}{{12,}}",
    # Digits, small and capital letters.
    "base 62": r"(?=[A-Za-z]*\d)(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])[0-9A-Za-z]{20,}",
}
_ID = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(FORMS.values())})(?![A-Za-z0-9])")
#: A word that may contain an id. Searching for the words first takes a fifth of the time.
_PLACE = re.compile(
    r"[0-9A-Za-z](?<![0-9A-Za-z][0-9A-Za-z])(?=[A-Za-z_-]{0,64}\d|[A-Fa-f]{7,8}-)[0-9A-Za-z_-]{7,}"
)
#: The value of a label: `cch=10e98;`.
_LABELLED = re.compile(r"(?<=[a-z]=)(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{5,}(?=[;&\s]|$)")
#: A member whose value an agent makes up, also in a text that shows an object as JSON or Python does:
#: `'task_id': '5ac630897ae2'`. All other values are compared, because a text may quote a file.
_MEMBER = r"(?:tool_?)?(?:call|turn|process|session|message|request|terminal|task)_?id"
_MADE_UP = re.compile(rf"(?i)^{_MEMBER}$")
#: Members that hold a name just as often: only a value with a digit is made up.
_OR_NAMED = r"(?:agent|thread)_?id"
_MAY_BE_MADE_UP = re.compile(rf"(?i)^{_OR_NAMED}$")
_WITH_DIGIT = r"(?=[\w-]*\d)[\w-]{6,}"
_SHOWN = re.compile(
    rf"(?i)((\\{{0,8}}[\"'])(?:{_MEMBER}|{_OR_NAMED})\2: ?\2)({_WITH_DIGIT})(?=\2)"
    rf"|((?:\b|(?<=\\[nrt]))(?:{_MEMBER}|{_OR_NAMED}): )({_WITH_DIGIT})(?![\w.])"
)
#: Fields of a request to a model whose value is an id, whatever it looks like.
_FIELD = re.compile(r"(?:^|[_.-])(?:id|uuid|nonce|cache_key|session|thread)$|(?:Id|Uuid|CacheKey)$")
_WORD = re.compile(r"(?=\D*\d)(?![{\[])[!-~]{6,}")
#: A header in the prompt: it is meant for the provider, not for the model.
_HEADER = re.compile(r"[A-Za-z]\w*-[\w-]+:(?:\s*[\w.-]+=[^;\s]*(?:;|$))+\s*")
_VALUE = re.compile(r"=[^;\s]+")


def mask(text: str, found: list[str]) -> str:
    """Return the text without its ids, which are added to `found`."""
    if text[:1].isalpha() and "=" in text[:80] and _HEADER.fullmatch(text):
        return _VALUE.sub(f"={MASK}", text)

    def note(match: re.Match[str]) -> str:
        found.append(match[0])
        return MASK

    def note_shown(match: re.Match[str]) -> str:
        found.append(match[3] or match[5])
        return f"{match[1] or match[4]}{MASK}"

    def place(match: re.Match[str]) -> str:
        word, at = match[0], match.start()
        if at and match.string[at - 1] == "\\" and word[0] in "nrt":  # an escaped end of a line
            return word[0] + _ID.sub(note, word[1:])
        return _ID.sub(note, word)

    text = _PLACE.sub(place, text)
    if "=" in text:
        text = _LABELLED.sub(note, text)
    return _SHOWN.sub(note_shown, text) if "id" in text.lower() else text


def is_named(field: str, value: str) -> bool:
    """Whether a value in a request to a model is an id because of the field that holds it."""
    return _FIELD.search(field) is not None and _WORD.fullmatch(value) is not None


def is_made_up(member: str, value: str | int) -> bool:
    """Whether a member of a tool's input or output holds an id: `taskId`, an `agentId` with a digit."""
    if _MADE_UP.search(member) is not None:
        return True
    return _MAY_BE_MADE_UP.search(member) is not None and re.fullmatch(_WITH_DIGIT, str(value)) is not None
