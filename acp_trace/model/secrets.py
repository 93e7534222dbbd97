"""What must not be written of an agent's traffic with its model, and how it is cut out of what is.

Headers and parameters of a URL that hold secrets, by their names; and values that are secrets, wherever they
stand: those of the environment's variables whose names say so, and those that such headers and parameters
had. What was cut is `<cut>`, or null for a header. `credentials` knows where secrets stand.
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
#: What is shorter stands in too many texts; a word that is that short is no secret either.
_SHORTEST = 6
_PROTOCOLS = "sec-websocket-protocol"
#: What was cut before, in a trace that is exported and imported, stays as it is.
_QUERY = re.compile(r"([?&;#])([^=&;#?\s]+)=((?:<cut>|[^&;#\s<>\"])*)")
#: `user:password@` of a URL.
_USERINFO = re.compile(r"://([^/?#@\s]+)@")
#: What some escape in JSON so that it can stand in HTML, in small letters (Go) or capital ones (.NET).
_ESCAPED_SMALL = {ord(char): f"\\u{ord(char):04x}" for char in "&<>"}
_ESCAPED_CAPITAL = {ord(char): f"\\u{ord(char):04X}" for char in "&'+<>"}
_NOTHING = re.compile("(?!)")
_PERCENT = re.compile(r"%[0-9A-F]{2}")


class Secrets:
    """All that is known to be secret so far. `environment`: the agent's, with its secrets."""

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
        """Imports what takes a while: the agent starts meanwhile."""
        from acp_trace.redact import scan

        del scan

    def learn(self, value: str) -> None:
        """From now on this value is cut, in every spelling that is likely, wherever it stands."""
        value = value.strip()
        if len(value) < _SHORTEST or secret_names.is_common(value) or value in (CUT, DUMMY):
            return
        self._forms |= {form.decode("latin-1") for form in _spellings(value)}
        self._finder = None

    def forms(self) -> frozenset[str]:
        """All spellings of all that is secret so far, a character for each byte."""
        return frozenset(self._forms)

    @staticmethod
    def late_spans(data: bytes, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Where one of these forms stands in the data, from left to right."""
        text = data.decode("latin-1")
        return Finder(form for form in forms if form in text).spans(text)

    def cut(self, data: bytes) -> bytes:
        """The data without the values that are secret."""
        done, rest = self._cut(data, len(data))
        return done + rest

    def cut_open(self, data: bytes) -> tuple[bytes, bytes]:
        """The data without secrets; its end, as it is, if that may be the beginning of one that goes on."""
        done, rest = self._cut(data, len(data) - self._open_end(data))
        open_at = len(rest) - self._open_end(rest)
        return done + rest[:open_at], rest[open_at:]

    def _cut(self, data: bytes, before: int) -> tuple[bytes, bytes]:
        """The data up to the last secret that begins before a place, without secrets; and what is behind."""
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
        """Takes in the values of the headers that hold secrets."""
        for name, value in headers:
            if name == _PROTOCOLS:
                for key in credentials.in_protocols(value):
                    self.learn(key)
            elif secret_names.is_header(name):
                for secret in credentials.in_header(name, value):
                    self.learn(secret)

    def learn_body(self, body: bytes) -> None:
        """Takes in what the body of a login holds."""
        for secret in credentials.in_body(body):
            self.learn(secret)

    def headers(self, headers: Headers) -> list[tuple[str, str | None]]:
        """The headers as they are written: of some only that they were there."""
        return [
            (name, None if secret_names.is_header(name) else self._header(name, value))
            for name, value in headers
        ]

    def host(self, host: str) -> str:
        """A host, without a login in front of it; that is learned."""
        login, _, plain = host.rpartition("@")
        if login:
            self.learn(credentials.in_login(login))
        return self.text(plain)

    def target(self, target: str) -> str:
        """A path with its query, without what its parameters say that is secret; that is learned."""
        return self._shown(self.text(_QUERY.sub(self._parameter, target)))

    def text(self, text: str) -> str:
        """A text without the values that are secret, nor logins in URLs."""
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
        """A text without what has the shape of a key, as those of well-known makers have; that is learned."""
        from acp_trace.redact import (
            scan,
        )  # see `prepare`

        hits = [hit for hit in scan.secrets(text) if hit.secret and CUT not in hit.secret]
        for hit in reversed(hits):
            self.learn(hit.secret or "")
            text = text[: hit.start] + CUT + text[hit.end :]
        return text

    def _open_end(self, data: bytes) -> int:
        """How many bytes at the end of the data may be the beginning of a secret."""
        longest = self._made().longest
        tail = data[max(len(data) - longest + 1, 0) :].decode("latin-1")
        for start in self._starts.finditer(tail):
            end = tail[start.start() :]
            place = bisect_right(self._sorted, end)
            if place < len(self._sorted) and self._sorted[place].startswith(end):
                return len(end)
        return 0

    def _is_quick(self, size: int) -> bool:
        """Whether to look for each secret takes less time than to look at each character."""
        # Measured, in µs: a search, and what it takes for each 16 kB; six characters.
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
        """The data without secrets; what may be the beginning of one comes with the next piece."""
        data, self._held = self._secrets.cut_open(self._held + data)
        return data

    def finish(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return self._secrets.cut(held)


def _spellings(value: str) -> Iterable[bytes]:
    """The value as it is, in JSON, in URLs, and in HTML."""
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
