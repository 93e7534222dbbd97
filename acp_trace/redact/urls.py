"""Secrets in URLs: userinfo (RFC 3986, 3.2.1), and parameters with secret names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from acp_trace.redact.rules import PARAMETERS, USERINFO
from acp_trace.redact.secret_names import is_parameter
from acp_trace.redact.values import PLACEHOLDER

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_LONGEST_SCHEME = 20
#: What follows `://`. The placeholders of an earlier redaction belong to it.
_REST = re.compile(rf"(?:{PLACEHOLDER}|[^\s\"'<>`\\])+")
_USERINFO = re.compile(rf"((?:{PLACEHOLDER}|[^:])*)(?::(.*))?", re.DOTALL)
_AUTHORITY = re.compile(r"[^/?#]*")
_PARAMETER = re.compile(r"(?<=[?&#;])([\w.~%-]+)=")
_VALUE = re.compile(r"[^&#;]*")
#: A URL that can hold a secret. Up to the next one, so that every text takes linear time.
_MAY = re.compile(
    r"://(?:(?:[^/?#\s\"'<>`\\@]|<(?:secret|home))*+@|(?:[^\s\"'`\\?#:]|:(?!//))*[?#](?:[^\s\"'`\\=:]|:(?!//))*=)"
)
_WEB = ("http", "https", "ws", "wss")
_PROSE = ").,;:!]}*"  #: ends a sentence, but not a token


def plain(spelt: str) -> str:
    """Return a part of a URL without its escapes: the secret itself."""
    text = unquote(spelt)
    return spelt if "\ufffd" in text else text


class Span(NamedTuple):
    """A secret in a text."""

    start: int
    end: int
    rule: str
    here_only: bool = False


def may_hold(text: str) -> bool:
    """Whether a URL in a text may hold a secret; most hold none, which is quickly decided."""
    return "://" in text and _MAY.search(text) is not None


def spans(text: str) -> Iterator[Span]:
    """Yield the secrets in all URLs of a text, in order.

    A URL may be in the path or in a parameter of another one (`?next=https://…`). Of a secret that has a
    secret in it, only the outer one is returned.
    """
    for at, rest in _urls(text):
        end = 0
        for span in sorted([*_logins(text, at, rest), *_parameters(at, rest)]):
            if span.start >= end:
                end = span.end
                yield span


def _urls(text: str) -> Iterator[tuple[int, str]]:
    """Yield the URLs of a text: where the part after `://` begins, and that part, with the URLs in it."""
    at = text.find("://")
    while at >= 0:
        scheme = _SCHEME.search(text, max(at - _LONGEST_SCHEME, 0), at)
        rest = _REST.match(text, at + 3) if scheme else None
        if rest:
            yield rest.start(), rest[0]
        at = text.find("://", rest.end() if rest else at + 3)


def _logins(text: str, at: int, rest: str) -> Iterator[Span]:
    """Yield the userinfo of a URL, and of each URL in it."""
    begin = 0
    while begin >= 0:
        scheme = _SCHEME.search(text, max(at + begin - 3 - _LONGEST_SCHEME, 0), at + begin - 3)
        authority = _AUTHORITY.match(rest, begin)
        assert authority is not None
        userinfo = authority[0].rpartition("@")[0]
        if scheme and userinfo:
            yield from _userinfo(scheme[0].lower(), userinfo, at + begin)
        following = rest.find("://", begin)
        begin = following + 3 if following >= 0 else -1


def _parameters(at: int, rest: str) -> Iterator[Span]:
    """Yield the values of parameters with secret names. A value can contain another (`?u=/x?token=…`)."""
    authority = _AUTHORITY.match(rest)
    assert authority is not None
    end = authority.end()
    for match in _PARAMETER.finditer(rest, end):
        if match.start() >= end and is_parameter(match[1]):
            value = _VALUE.match(rest, match.end())
            assert value is not None
            end = value.end()
            if found := value[0].rstrip(_PROSE):
                yield Span(at + match.end(), at + match.end() + len(found), PARAMETERS)


def _userinfo(scheme: str, userinfo: str, at: int) -> Iterator[Span]:
    match = _USERINFO.fullmatch(userinfo)
    assert match is not None
    user, password = match[1], match[2]
    if user and (password or scheme in _WEB):  # `ssh://git@…` is not a secret
        # Beside a password the user is a name, such as `postgres`; without one it may be a token.
        yield Span(at, at + len(user), USERINFO, here_only=bool(password))
    if password:
        yield Span(at + match.start(2), at + match.end(2), USERINFO)
