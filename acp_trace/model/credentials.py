"""Which parts of a value are the secret: of a header, of a login, or in the body of a login. Pure.

The names of secret headers are in `acp_trace.redact.secret_names`.

`secrets` remembers them and cuts them out of everything else.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote

from acp_trace.redact import secret_names
from acp_trace.trace import jsontext

#: `Bearer KEY`, or with any other name of a scheme (RFC 9110, 11.4).
_SCHEME = re.compile(r"[A-Za-z][\w-]*[ \t]+(?=\S)")
_BASIC = re.compile(r"basic\s+(\S+)", re.IGNORECASE)
_COOKIE = re.compile(r"=([^;,\s]+)")
_PART = re.compile(r"[,;\s]+")
_NAMED = re.compile(r"([A-Za-z][\w-]*)=\"?([^\"=][^\"]*)\"?")
#: A part of a value that is long enough, and has a digit, is a key and not a word.
_KEY = re.compile(r"(?=\D*\d)\S{12,}")
_FORM = re.compile(r"[\w.%-]+=[^&=\s]*(?:&[\w.%-]+=[^&=\s]*)*")


def in_header(name: str, value: str) -> Iterator[str]:
    """Return the secrets in the value of a header that holds one."""
    if "cookie" in name.lower():
        yield from _COOKIE.findall(value)
        return
    rest = _SCHEME.sub("", value, count=1)
    yield rest
    if basic := _BASIC.fullmatch(value):
        yield from _logins(basic[1])
    for part in _PART.split(rest):
        if named := _NAMED.fullmatch(part):
            if secret_names.is_parameter(named[1]):
                yield named[2]
        elif _KEY.fullmatch(part):
            yield part


def in_protocols(value: str) -> Iterator[str]:
    """Return the keys among the protocols of a WebSocket: a browser cannot send headers of its own with it.

    A key is in the name of a protocol (`openai-insecure-api-key.KEY`), or follows one (`bearer, KEY`).
    """
    is_next = False
    for protocol in map(str.strip, value.split(",")):
        name, _, key = protocol.partition(".")
        if is_next:
            yield protocol
        elif secret_names.is_header(name):
            yield key
        elif secret_names.is_header(
            protocol.rpartition(".")[0]
        ):  # `base64url.bearer.authorization.k8s.io.KEY`
            yield protocol.rpartition(".")[2]
        is_next = secret_names.is_header(protocol) and not key


def in_login(login: str) -> str:
    """Return the secret of `USER:PASSWORD`, as in URLs; without a colon it may be a token."""
    _, colon, password = login.partition(":")
    return unquote(password if colon else login)


def in_body(body: bytes) -> Iterator[str]:
    """Return the keys in the body of a login: members of JSON, or of a form, with names of secrets.

    Not for model requests and answers: there a member of any name is a text.
    """
    values = [jsontext.value_or_none(body)]
    if values == [None]:
        text = body.decode("utf-8", "replace")
        pairs = parse_qsl(text) if _FORM.fullmatch(text) else []
        yield from (value for name, value in pairs if secret_names.is_parameter(name))
    while values:
        value = values.pop()
        if isinstance(value, list):
            values += value
        elif isinstance(value, dict):
            values += value.values()
            texts = ((name, text) for name, text in value.items() if isinstance(text, str))
            yield from (
                text for name, text in texts if secret_names.is_parameter(name) and _KEY.fullmatch(text)
            )


def _logins(spelt: str) -> Iterator[str]:
    try:
        login = base64.b64decode(spelt + "=" * (-len(spelt) % 4), validate=True).decode()
    except ValueError:
        return
    yield in_login(login)
