"""Names that decide whether a value beside them is a secret, and words that are none. Tables.

Only for the names of URL parameters, of options and of environment variables: JSON keys are never
judged by their names.
"""

from __future__ import annotations

import re
from urllib.parse import unquote


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that read better unquoted."""
    return frozenset(text.split())


PARAMETERS = words(
    "accesskey accesstoken apikey apitoken auth authkey authorization authtoken awsaccesskeyid bearer "
    "clientsecret code credential credentials devicecode idtoken jwt key passphrase passwd password "
    "privatetoken pwd refreshtoken secret sessiontoken sig signature subscriptionkey token usercode "
    "xamzcredential xamzsecuritytoken xamzsignature xgoogcredential xgoogsignature"
)

OPTIONS = words(
    "api-key apikey api-token access-token access-key auth-token auth bearer bearer-token client-secret "
    "credential credentials passphrase passwd password pat secret secret-key token oauth-token "
    "auth-header cookie dsn jwt pass private-key"
)
OPTION_ENDS = (
    "-api-key",
    "-apikey",
    "-access-key",
    "-secret-key",
    "-private-key",
    "-passphrase",
    "-password",
    "-secret",
    "-token",
)

#: Options whose value is a header: `Name: value`.
HEADER_OPTIONS = frozenset({"--header", "-H", "--headers"})

#: Options whose value is `USER:PASSWORD`.
USER_OPTIONS = frozenset({"-u", "--user", "--proxy-user"})

VARIABLES = words(
    "API_KEY APIKEY AUTHORIZATION COOKIE CREDENTIALS PASSPHRASE PASSWD PASSWORD PAT PGPASSWORD SECRET TOKEN"
)
VARIABLE_ENDS = words(
    "_KEY _APIKEY _TOKEN _SECRET _PASSWORD _PASSWD _PASS _PASSPHRASE _PAT _CREDENTIAL _CREDENTIALS _AUTH "
    "_COOKIE _DSN"
)

_COMMON = words(
    "true false none null undefined auto always never yes default enabled disabled debug info warn warning "
    "error fatal trace verbose quiet silent development production staging test testing local localhost "
    "utf-8 utf8 en_us.utf-8 c.utf-8 text json stdio http https sse latest stable xterm-256color "
    "truecolor xterm dumb screen vt100 ansi linux bash zsh fish less more cat vim nvim nano emacs"
)
_MIME = re.compile(r"(?:application|audio|image|multipart|text|video|\*)/[\w.+*-]+(?:;.*)?")
#: Programs and folders of the system; lists of them (`PATH`) are cut first.
_SYSTEM = re.compile(
    r"/(?:bin|dev|etc|lib|nix|opt|private|run|sbin|snap|tmp|usr|var)(?:/[\w.@+-]+)*/?"
    r"|[A-Za-z]:\\(?:Windows|Program Files)[^:]*"
)
_LIST = re.compile(r":(?!\\)|;")

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPACE = re.compile(r"[-_.]")


def is_parameter(name: str) -> bool:
    """Whether a URL parameter of this name holds a secret."""
    return _SPACE.sub("", unquote(name)).lower() in PARAMETERS


def is_option(name: str) -> bool:
    """Whether an option (`--api-key`) of this name holds a secret."""
    plain = _HUMP.sub("-", name.lstrip("-")).lower().replace("_", "-")
    return plain in OPTIONS or plain.endswith(OPTION_ENDS)


def is_variable(name: str) -> bool:
    """Whether an environment variable of this name holds a secret."""
    plain = _HUMP.sub("_", name).upper()
    return plain in VARIABLES or plain.endswith(tuple(VARIABLE_ENDS))


def is_common(value: str) -> bool:
    """Whether a value is a word, a number or a folder that many have: it goes from its own place only."""
    if len(value) < 4 or (len(value) < 8 and value.isdigit()) or value.lower() in _COMMON:
        return True
    return bool(_MIME.fullmatch(value)) or all(map(_SYSTEM.fullmatch, _LIST.split(value)))
