"""The settings that a recorder sends to its proxy's standard input, checked. Does no I/O, needs no extra."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

#: Variables with the same meaning as the recorder's options.
MODEL, MAP, BASE = "ACP_TRACE_MODEL", "ACP_TRACE_MODEL_MAP", "ACP_TRACE_MODEL_BASE"
#: In place of a base URL: the environment's base URLs stay as they are.
OFF = "off"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:#/[^\0=]*)?", re.ASCII)


class BadSetting(ValueError):
    """An invalid setting. The message is one line for people."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a provider is reached."""

    host: str
    port: int
    is_tls: bool


@dataclass(frozen=True, slots=True)
class Base:
    """A variable of the agent that holds a base URL, and the URL that it would have without the proxy.

    `NAME#/a/b` is a place in a variable that holds JSON. `is_found`: found in the environment, not named.
    """

    variable: str
    url: str
    is_found: bool = False

    @property
    def address(self) -> Address:
        """The address to which the URL leads."""
        return _address(self.url)

    def at(self, host: str, port: int, segment: str) -> str:
        """Return the URL with another address: its login, path and query stay.

        `segment` comes before the path: a slash and a word.
        """
        parts = urlsplit(self.url)
        login, at, _ = parts.netloc.rpartition("@")
        netloc, path = f"{login}{at}{host}:{port}", segment + parts.path
        return parts._replace(scheme="http", netloc=netloc, path=path).geturl()


@dataclass(frozen=True, slots=True)
class CancelledCall:
    """A recorded cancel, and the number of the model call that was open in its turn."""

    call: int
    t_ns: int  #: since the trace began
    number: int  #: of all cancels, from 1


@dataclass(frozen=True, slots=True)
class ModelFault:
    """A deliberate fault of the model. `nth`: the number of the call, from 1; 0: every call."""

    kind: str
    nth: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class Serve:
    """What to answer from a recording, in place of any provider.

    `recording`: a trace file with its model's side. `places`: recorded directories and the current ones.
    `loose`: whether a request with another prompt gets an answer. `pace`: the share of the recorded pauses to
    keep.
    """

    recording: str
    places: tuple[tuple[str, str], ...] = ()
    loose: bool = True
    pace: float = 0.0
    cancels: tuple[CancelledCall, ...] = ()
    faults: tuple[ModelFault, ...] = ()

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Serve:
        """Read what the process is sent: numbers with a decimal point come as text."""
        places = tuple((then, now) for then, now in words["places"])
        cancels = tuple(CancelledCall(call, t_ns, number) for call, t_ns, number in words["cancels"])
        faults = tuple(ModelFault(kind, nth, time_ns) for kind, nth, time_ns in words.get("faults", ()))
        return cls(words["recording"], places, words["loose"], float(words["pace"]), cancels, faults)


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """All settings. `hosts`: by host, or by host and port, where it is answered from."""

    started: int  #: ns, monotonic: when the trace began
    everything: bool = False  #: bodies of all hosts
    hosts: tuple[tuple[str, Address], ...] = ()
    bases: tuple[Base, ...] = ()

    def mapped(self, host: str, port: int) -> Address | None:
        """Return the address that answers for a host instead, if it is mapped."""
        hosts = dict(self.hosts)
        return hosts.get(f"{host}:{port}".lower()) or hosts.get(host.lower())


def hosts(text: str) -> tuple[tuple[str, Address], ...]:
    """Read the value of `ACP_TRACE_MODEL_MAP`: `HOST=http://HOST:PORT …`. Raises BadSetting."""
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
    """Read the value of `--model-base`: `URL`, or `NAME=URL`. Raises BadSetting."""
    name, equals, url = text.partition("=")
    if not equals or "://" in name:
        name, url = "OPENAI_BASE_URL", text
    check_name(name)
    _address(url)
    return Base(name, url)


def check_name(name: str) -> None:
    """Raise BadSetting if this is not `NAME` or `NAME#/place`."""
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
