"""What a recorder asks of its proxy, on its standard input: checked. Does no I/O, and needs no extra."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

#: Variables by which the one who starts a recorder says the same as with its options.
MODEL, MAP, BASE = "ACP_TRACE_MODEL", "ACP_TRACE_MODEL_MAP", "ACP_TRACE_MODEL_BASE"
#: In place of a base URL: those that the environment has stay as they are.
OFF = "off"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:#/[^\0=]*)?", re.ASCII)


class BadSetting(ValueError):
    """A setting that means nothing. The message is one line for people."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a provider is reached."""

    host: str
    port: int
    is_tls: bool


@dataclass(frozen=True, slots=True)
class Base:
    """A variable of the agent's that holds a base URL, and the URL that it would have.

    `NAME#/a/b` is a place in a variable that holds JSON. `is_found`: nobody named it, it was there.
    """

    variable: str
    url: str
    is_found: bool = False

    @property
    def address(self) -> Address:
        """Where the URL leads."""
        return _address(self.url)

    def at(self, host: str, port: int, segment: str) -> str:
        """The URL that leads to another address: a login, the path and a query stay.

        `segment` comes before the path: a slash and a word.
        """
        parts = urlsplit(self.url)
        login, at, _ = parts.netloc.rpartition("@")
        netloc, path = f"{login}{at}{host}:{port}", segment + parts.path
        return parts._replace(scheme="http", netloc=netloc, path=path).geturl()


@dataclass(frozen=True, slots=True)
class CancelledCall:
    """A recorded cancel, and the call of the model that was open then in its turn, by its number."""

    call: int
    t_ns: int  #: since the trace began
    number: int  #: of all cancels, from 1


@dataclass(frozen=True, slots=True)
class ModelFault:
    """A fault on purpose of the model. `nth`: of which call, from 1; 0: of each."""

    kind: str
    nth: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class Serve:
    """What is answered from a recording, in place of any provider.

    `recording`: a trace file with its model's side. `places`: directories of then, and those of now. `loose`:
    whether a request with another prompt gets an answer. `pace`: how much of the recorded pauses is kept.
    """

    recording: str
    places: tuple[tuple[str, str], ...] = ()
    loose: bool = True
    pace: float = 0.0
    cancels: tuple[CancelledCall, ...] = ()
    faults: tuple[ModelFault, ...] = ()

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Serve:
        """As its process is told: numbers with a point come as text."""
        places = tuple((then, now) for then, now in words["places"])
        cancels = tuple(CancelledCall(call, t_ns, number) for call, t_ns, number in words["cancels"])
        faults = tuple(ModelFault(kind, nth, time_ns) for kind, nth, time_ns in words.get("faults", ()))
        return cls(words["recording"], places, words["loose"], float(words["pace"]), cancels, faults)


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """All of it. `hosts`: by host, or by host and port, where it is answered from."""

    started: int  #: ns, monotonic: when the trace began
    everything: bool = False  #: bodies of all hosts
    hosts: tuple[tuple[str, Address], ...] = ()
    bases: tuple[Base, ...] = ()

    def mapped(self, host: str, port: int) -> Address | None:
        """Where a host is answered from instead, if it is."""
        hosts = dict(self.hosts)
        return hosts.get(f"{host}:{port}".lower()) or hosts.get(host.lower())


def hosts(text: str) -> tuple[tuple[str, Address], ...]:
    """The words of `ACP_TRACE_MODEL_MAP`: `HOST=http://HOST:PORT …`. Raises BadSetting."""
    pairs = []
    for word in text.split():
        host, equals, url = word.partition("=")
        if not equals or not host:
            raise BadSetting(f"{word!r} is not HOST=URL")
        if urlsplit(url).path.strip("/") or "?" in url:
            raise BadSetting(f"{word!r}: the URL has a path; paths stay as the agent says them")
        pairs.append((host.lower(), _address(url)))
    return tuple(pairs)


def base(text: str) -> Base:
    """What `--model-base` says: `URL`, or `NAME=URL`. Raises BadSetting."""
    name, equals, url = text.partition("=")
    if not equals or "://" in name:
        name, url = "OPENAI_BASE_URL", text
    check_name(name)
    _address(url)
    return Base(name, url)


def check_name(name: str) -> None:
    """Raises BadSetting if this is not `NAME` or `NAME#/place`."""
    if not _NAME.fullmatch(name):
        raise BadSetting(f"{name!r} is not the name of a variable")


def _address(url: str) -> Address:
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("http", "https") or not host:
        raise BadSetting(f"{url!r} is not an http:// or https:// URL")
    return Address(host, port or (443 if scheme == "https" else 80), scheme == "https")
