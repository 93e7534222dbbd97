"""Secrets that must not be written of an agent's traffic with its model, and how they are cut out.

Headers and URL parameters are secret by their names; other values are secret wherever they occur: those of
environment variables with secret names, and those that such headers and parameters had. A cut value becomes
`<cut>`, or null for a header. `credentials` finds the secret part of a value.
"""

from __future__ import annotations

import html
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from acp_trace.model import credentials
from acp_trace.model.wire.events import Headers
from acp_trace.redact import secret_names
from acp_trace.redact.finder import Finder

CUT = "<cut>"
_CUT = CUT.encode()
#: The value that a replay gives to variables that held keys: not a secret, and a word of many texts.
DUMMY = "acp-trace"
#: Shorter values occur in too many texts; a word this short is not a secret either.
_SHORTEST = 6
_PROTOCOLS = "sec-websocket-protocol"
#: What was cut before, in a trace that was exported and imported, stays as it is.
_QUERY = re.compile(r"([?&;#])([^=&;#?\s]+)=((?:<cut>|[^&;#\s<>\"])*)")
#: `user:password@` of a URL.
_USERINFO = re.compile(r"://([^/?#@\s]+)@")
#: Characters that some escape in JSON to embed it in HTML, in lower (Go) or upper case (.NET).
_ESCAPED_SMALL = {ord(char): f"\\u{ord(char):04x}" for char in "&<>"}
_ESCAPED_CAPITAL = {ord(char): f"\\u{ord(char):04X}" for char in "&'+<>"}
_NOTHING = re.compile("(?!)")
_PERCENT = re.compile(r"%[0-9A-F]{2}")


class Secrets:
    """All secrets known so far. `environment`: the agent's, with its secrets."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._forms: set[str] = set()  #: a character for each byte
        self._finder: Finder | None = None  #: made when it is needed
        self._sorted: list[str] = []
        self._starts = _NOTHING
        for name, value in environment.items():
            if secret_names.is_variable(name):
                self.learn(value)
            if userinfo := _USERINFO.search(value):
                self.learn(credentials.in_login(userinfo[1]))

    @staticmethod
    def prepare() -> None:
        """Import slow modules early: the agent starts meanwhile."""
        from acp_trace.redact import scan

        del scan

    def learn(self, value: str) -> None:
        """Cut this value from now on, in every likely spelling, wherever it occurs."""
        value = value.strip()
        if len(value) < _SHORTEST or secret_names.is_common(value) or value in (CUT, DUMMY):
            return
        self._forms |= {form.decode("latin-1") for form in _spellings(value)}
        self._finder = None

    def forms(self) -> frozenset[str]:
        """Return all spellings of all secrets so far, a character for each byte."""
        return frozenset(self._forms)

    @staticmethod
    def late_spans(data: bytes, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Return where one of these forms occurs in the data, from left to right."""
        text = data.decode("latin-1")
        return Finder(form for form in forms if form in text).spans(text)

    def cut(self, data: bytes) -> bytes:
        """Return the data without secret values."""
        done, rest = self._cut(data, len(data))
        return done + rest

    def cut_open(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the data without secrets; and its end, unchanged, if a secret may begin in it."""
        done, rest = self._cut(data, len(data) - self._open_end(data))
        open_at = len(rest) - self._open_end(rest)
        return done + rest[:open_at], rest[open_at:]

    def _cut(self, data: bytes, before: int) -> tuple[bytes, bytes]:
        """Return the data up to the last secret that begins before a place, without secrets; and the rest."""
        done: list[bytes] = []
        end = 0
        text = data.decode("latin-1")
        if self._is_quick(len(text)) and not any(form in text for form in self._forms):
            return b"", data
        for start, stop in self._made().spans(text):
            if start >= before:
                break
            done += [data[end:start], _CUT]
            end = stop
        return b"".join(done), data[end:]

    def learn_headers(self, headers: Headers) -> None:
        """Learn the values of headers that hold secrets."""
        for name, value in headers:
            if name == _PROTOCOLS:
                for key in credentials.in_protocols(value):
                    self.learn(key)
            elif secret_names.is_header(name):
                for secret in credentials.in_header(name, value):
                    self.learn(secret)

    def learn_body(self, body: bytes) -> None:
        """Learn the secrets in the body of a login."""
        for secret in credentials.in_body(body):
            self.learn(secret)

    def headers(self, headers: Headers) -> list[tuple[str, str | None]]:
        """Return the headers as they are written: secret ones without their value."""
        return [
            (name, None if secret_names.is_header(name) else self._header(name, value))
            for name, value in headers
        ]

    def host(self, host: str) -> str:
        """Return a host without a login before it; the login is learned."""
        login, _, plain = host.rpartition("@")
        if login:
            self.learn(credentials.in_login(login))
        return self.text(plain)

    def target(self, target: str) -> str:
        """Return a path with its query, without the secret values of its parameters; these are learned."""
        return self._shown(self.text(_QUERY.sub(self._parameter, target)))

    def text(self, text: str) -> str:
        """Return a text without secret values and without logins in URLs."""
        if "@" in text:
            for login in _USERINFO.findall(text):
                self.learn(credentials.in_login(login))
            text = _USERINFO.sub(f"://{CUT}@", text)
        return self.cut(text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")

    def _header(self, name: str, value: str) -> str:
        return self.host(value) if name.lower() == "host" else self.target(value)

    def _parameter(self, match: re.Match[str]) -> str:
        before, name, value = match.groups()
        if not secret_names.is_parameter(name):
            return match[0]
        for spelt in (value, unquote_plus(value), unquote(value)):
            self.learn(spelt)
        return f"{before}{name}={CUT}"

    def _shown(self, text: str) -> str:
        """Return a text without values shaped like keys of well-known makers; these are learned."""
        from acp_trace.redact import (
            scan,
        )  # see `prepare`

        hits = [hit for hit in scan.secrets(text) if hit.secret and CUT not in hit.secret]
        for hit in reversed(hits):
            self.learn(hit.secret or "")
            text = text[: hit.start] + CUT + text[hit.end :]
        return text

    def _open_end(self, data: bytes) -> int:
        """Return how many bytes at the end of the data may be the beginning of a secret."""
        longest = self._made().longest
        tail = data[max(len(data) - longest + 1, 0) :].decode("latin-1")
        for start in self._starts.finditer(tail):
            end = tail[start.start() :]
            place = bisect_right(self._sorted, end)
            if place < len(self._sorted) and self._sorted[place].startswith(end):
                return len(end)
        return 0

    def _is_quick(self, size: int) -> bool:
        """Whether searching for each secret is faster than looking at each character."""
        # Measured, in µs: one search, plus the time for each 16 kB; six characters.
        return len(self._forms) * (1 + size / 16_384) < size / 6

    def _made(self) -> Finder:
        if self._finder is None:
            self._finder = Finder(self._forms)
            self._sorted = sorted(self._forms)
            first = "".join(sorted({re.escape(form[0]) for form in self._forms}))
            self._starts = re.compile(f"[{first}]") if first else _NOTHING
        return self._finder


class Cutting:
    """A body that comes in pieces: a secret may be in two of them."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return the data without secrets; a possible beginning of a secret comes with the next piece."""
        data, self._held = self._secrets.cut_open(self._held + data)
        return data

    def finish(self) -> bytes:
        """Return what was held back."""
        held, self._held = self._held, b""
        return self._secrets.cut(held)


def _spellings(value: str) -> Iterable[bytes]:
    """Return the value as it is, in JSON, in URLs, and in HTML."""
    json_ascii, json_text = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    raw = value.encode("utf-8", "surrogateescape")
    quoted = [form for safe in ("", "/") for form in (quote(raw, safe), quote_plus(raw, safe))]
    texts = [
        value,
        json_ascii,
        json_text,
        json_text.replace("/", "\\/"),
        json_text.translate(_ESCAPED_SMALL),
        json_text.translate(_ESCAPED_CAPITAL),
        *quoted,
        *(_PERCENT.sub(lambda match: match[0].lower(), form) for form in quoted),
        json.dumps(json_text)[1:-1],
        html.escape(value),
    ]
    return dict.fromkeys(text.encode("utf-8", "surrogateescape") for text in texts)
