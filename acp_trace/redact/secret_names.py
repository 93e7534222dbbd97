"""Names that decide whether a value beside them is a secret, and words that are not secrets. Tables.

One table for headers, environment variables, options and parameters of URLs: a name holds a secret if it ends
in one of the table's words. The word may be joined to others in any way (`x-usertoken`, `userToken`,
`USER_TOKEN`), and a number may follow (`x-apikeyv2`). JSON keys are never judged by their names, except in
the bodies of logins.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

Where = Literal["header", "variable", "option", "parameter"]


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that read better unquoted."""
    return frozenset(text.split())


#: A name whose last word ends in one of these holds a secret, wherever it is.
ENDS = words(
    "token secret secrets password passwords passwd passphrase passcode pass pwd pat otp auth authorization "
    "bearer jwt cookie credential credentials creds"
)
#: The same of several words, joined in any way. A key alone usually does not open anything.
JOINED_ENDS = words(
    "apikey apikeys accesskey secretkey privatekey authkey masterkey signingkey encryptionkey sharedkey "
    "subscriptionkey servicekey adminkey"
)
#: Ends in some places only: elsewhere these usually mean something else.
ENDS_IN: dict[Where, frozenset[str]] = {
    "header": words("key keys sig signature cred authentication dsn"),
    "variable": words("key keys cred dsn"),
    "option": words("dsn"),
    "parameter": words("sig signature"),
}
#: Whole names in one place, without the characters between their words.
NAMES_IN: dict[Where, frozenset[str]] = {
    "header": frozenset(),
    "variable": frozenset(),
    "option": words("authheader"),
    "parameter": words(
        "key code authcode authorizationcode codeverifier devicecode usercode assertion clientassertion "
        "accesskeyid awsaccesskeyid"
    ),
}
#: Ends of harmless names that end in one of these: English words, and names of protocols.
HARMLESS = words(
    "pagetoken synctoken nexttoken continuationtoken eostoken bostoken padtoken unktoken stoptoken "
    "secwebsocketkey allowcredentials idempotencykey cachekey sortkey partitionkey primarykey foreignkey "
    "surrogatekey hotkey monkey turkey donkey whiskey hockey jockey lackey bypass compass trespass surpass "
    "overpass underpass encompass multipass singlepass compat expat sacred"
)
#: Whole names that are harmless in one place.
HARMLESS_IN: dict[Where, frozenset[str]] = {
    "header": frozenset(),
    "variable": words("pwd oldpwd key keys"),
    "option": frozenset(),
    "parameter": frozenset(),
}
#: In the middle of a header's name a word counts too (`x-token-raw`), but not if the header counts something.
_COUNTS = words("count counts limit limits remaining reset usage used budget length size")
#: Options that begin like this switch something on or off: what follows is not their value.
_SWITCHES = words("no skip without disable enable use require allow")

#: Options whose value is a header: `Name: value`.
HEADER_OPTIONS = frozenset({"--header", "-H", "--headers"})

#: Options whose value is `USER:PASSWORD`.
USER_OPTIONS = frozenset({"-u", "--user", "--proxy-user"})

_COMMON = words(
    "true false none null undefined auto always never yes default enabled disabled debug info warn warning "
    "error fatal trace verbose quiet silent development production staging test testing local localhost "
    "utf-8 utf8 en_us.utf-8 c.utf-8 text json stdio http https sse latest stable xterm-256color "
    "truecolor xterm dumb screen vt100 ansi linux bash zsh fish less more cat vim nvim nano emacs"
)
_MIME = re.compile(r"(?:application|audio|image|multipart|text|video|\*)/[\w.+*-]+(?:;.*)?")
#: Programs and directories of the system; lists of them (`PATH`) are split first.
_SYSTEM = re.compile(
    r"/(?:bin|dev|etc|lib|nix|opt|private|run|sbin|snap|tmp|usr|var)(?:/[\w.@+-]+)*/?"
    r"|[A-Za-z]:\\(?:Windows|Program Files)[^:]*"
)
_LIST = re.compile(r":(?!\\)|;")

_SEPARATOR = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: A number at the end of a name, also one of a version.
_NUMBER = re.compile(r"v?\d+\Z")


def is_header(name: str) -> bool:
    """Whether the values of a header of this name are secret. Any of its words decides."""
    parts = _words(name)
    if not parts or parts[-1] in _COUNTS:
        return False
    return any(_is_secret(parts[:end], "header") for end in range(1, len(parts) + 1))


def is_variable(name: str) -> bool:
    """Whether an environment variable of this name holds a secret."""
    return _is_secret(_words(name), "variable")


def is_option(name: str) -> bool:
    """Whether an option (`--api-key`) of this name holds a secret."""
    parts = _words(name)
    return bool(parts) and parts[0] not in _SWITCHES and _is_secret(parts, "option")


def is_parameter(name: str) -> bool:
    """Whether a URL parameter of this name holds a secret."""
    return _is_secret(_words(unquote(name)), "parameter")


@lru_cache(4096)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name in small letters, without a number at the end of the last one."""
    parts = [part.lower() for part in _SEPARATOR.split(name) if part]
    while parts and _NUMBER.search(parts[-1]):
        parts[-1] = _NUMBER.sub("", parts[-1])
        if parts[-1]:
            break
        parts.pop()
    return tuple(parts)


def _is_secret(parts: tuple[str, ...], where: Where) -> bool:
    joined = "".join(parts)
    if joined in NAMES_IN[where]:
        return True
    if not parts or joined in HARMLESS_IN[where] or joined.endswith(_HARMLESS_ENDS):
        return False
    return parts[-1].endswith(_ENDS[where]) or joined.endswith(_JOINED)


_HARMLESS_ENDS, _JOINED = tuple(HARMLESS), tuple(JOINED_ENDS)
_ENDS: dict[Where, tuple[str, ...]] = {where: tuple(ENDS | more) for where, more in ENDS_IN.items()}


def is_common(value: str) -> bool:
    """Whether a value is a common word, number or directory: it is removed from its own place only."""
    if len(value) < 4 or (len(value) < 8 and value.isdigit()) or value.lower() in _COMMON:
        return True
    return bool(_MIME.fullmatch(value)) or all(map(_SYSTEM.fullmatch, _LIST.split(value)))
