"""What must not be written of an agent's traffic with its model, and how it is cut out of what is.

Headers and parameters of a URL that hold secrets, by their names; and values that are secrets, wherever they
stand: those of the environment's variables whose names say so, and those that such headers and parameters
had. What was cut is `<cut>`, or null for a header.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from acp_trace.model.wire.events import Headers
from acp_trace.redact import names

CUT = "<cut>"
_CUT = CUT.encode()
#: The value that a replay gives to variables that held keys: not a secret, and a word of many texts.
DUMMY = "acp-trace"
#: What is shorter stands in too many texts; a word that is that short is no secret either.
_SHORTEST = 6
#: Words, between hyphens, of the names of headers whose values are not written.
_WORDS = names.words(
    "auth authorization authentication apikey cookie credential credentials jwt key passwd password secret "
    "sig signature token"
)
#: Names that have such a word, and hold none.
_HARMLESS = names.words("sec-websocket-key sec-websocket-accept www-authenticate proxy-authenticate")
_SPLIT = re.compile(r"[-_.]")
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|key|aws4-hmac-sha256)\s+", re.IGNORECASE)
_BASIC = re.compile(r"basic\s+(\S+)", re.IGNORECASE)
#: `openai-insecure-api-key.KEY` among the protocols that a WebSocket may speak.
_PROTOCOLS = "sec-websocket-protocol"
_COOKIE = re.compile(r"=([^;,\s]+)")
_QUERY = re.compile(r"([?&;])([^=&;#]+)=([^&;#]*)")
#: `user:password@` of a URL.
_USERINFO = re.compile(r"://([^/?#@\s]+)@")


class Secrets:
    """All that is known to be secret so far. `environment`: the agent's, with its secrets."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._forms: dict[bytes, None] = {}
        self._longest_first: list[bytes] = []
        for name, value in environment.items():
            if names.is_variable(name):
                self.learn(value)
            if userinfo := _USERINFO.search(value):
                self._learn_login(userinfo[1])

    def learn(self, value: str) -> None:
        """From now on this value is cut, in every spelling that is likely, wherever it stands."""
        value = value.strip()
        if len(value) < _SHORTEST or names.is_common(value) or value in (CUT, DUMMY):
            return
        for form in _spellings(value):
            self._forms.setdefault(form.encode("utf-8", "surrogateescape"))
        self._longest_first = sorted(self._forms, key=len, reverse=True)

    def cut(self, data: bytes) -> bytes:
        """The data without the values that are secret."""
        for form in self._longest_first:
            if form in data:
                data = data.replace(form, _CUT)
        return data

    def open_end(self, data: bytes) -> int:
        """How many bytes at the end of the data may be the beginning of a secret that goes on behind it."""
        longest = 0
        for form in self._longest_first:
            tail = data[max(len(data) - len(form) + 1, 0) :]
            at = tail.find(form[:1])
            while at >= 0 and len(tail) - at > longest:
                if form.startswith(tail[at:]):
                    longest = len(tail) - at
                    break
                at = tail.find(form[:1], at + 1)
        return longest

    def learn_headers(self, headers: Headers) -> None:
        """Takes in the values of the headers that hold secrets."""
        for name, value in headers:
            if name == _PROTOCOLS:
                self._learn_protocols(value)
            if not is_secret(name):
                continue
            if "cookie" in name:
                for found in _COOKIE.findall(value):
                    self.learn(found)
            else:
                self.learn(_SCHEME.sub("", value, count=1))
                if basic := _BASIC.fullmatch(value):
                    with contextlib.suppress(ValueError):
                        self._learn_login(base64.b64decode(basic[1], validate=True).decode())

    def headers(self, headers: Headers) -> list[tuple[str, str | None]]:
        """The headers as they are written: of some only that they were there."""
        return [(name, None if is_secret(name) else self.text(value)) for name, value in headers]

    def target(self, target: str) -> str:
        """A path with its query, without what its parameters say that is secret; that is learned."""

        def parameter(match: re.Match[str]) -> str:
            before, name, value = match.groups()
            if not names.is_parameter(name):
                return match[0]
            self.learn(unquote_plus(value))
            self.learn(unquote(value))
            return f"{before}{name}={CUT}"

        return self.text(_QUERY.sub(parameter, target))

    def text(self, text: str) -> str:
        """A text without the values that are secret, nor logins in URLs."""
        if "@" in text:
            text = _USERINFO.sub(f"://{CUT}@", text)
        return self.cut(text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")

    def _learn_protocols(self, value: str) -> None:
        """Browsers' WebSockets have no headers of their own: a key is in the name of a protocol."""
        for protocol in value.split(","):
            name, _, key = protocol.strip().partition(".")
            if is_secret(name):
                self.learn(key)

    def _learn_login(self, login: str) -> None:
        _, colon, password = login.partition(":")
        self.learn(unquote(password if colon else login))


class Cutting:
    """A body that comes in pieces: a secret may be in two of them."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """The data without secrets; what may be the beginning of one comes with the next piece."""
        data = self._secrets.cut(self._held + data)
        held = self._secrets.open_end(data)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def finish(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return held


def is_secret(name: str) -> bool:
    """Whether the values of a header of this name are not written."""
    return name not in _HARMLESS and not _WORDS.isdisjoint(_SPLIT.split(name.lower()))


def _spellings(value: str) -> Iterable[str]:
    """The value as it is, in JSON, and in URLs."""
    json_ascii, json_text = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    return dict.fromkeys(
        [
            value,
            json_ascii,
            json_text,
            json_text.replace("/", "\\/"),
            *(form for safe in ("", "/") for form in (quote(value, safe), quote_plus(value, safe))),
            json.dumps(json_text)[1:-1],
        ]
    )
