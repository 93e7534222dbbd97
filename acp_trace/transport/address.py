"""Addresses that people name: where to listen, and the URL of a remote side. Pure; opens no connection.

An agent does what its client says, so any program that can connect can read and write files: only programs on
this machine may, unless `allow_remote` is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from acp_trace.gate.names import is_ip, is_loopback

#: The path of the endpoint, if a URL names none (RFD "Streamable HTTP & WebSocket Transport").
ENDPOINT = "/acp"
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_HTTP = {"ws": "http", "wss": "https"}
_WEBSOCKET = {"http": "ws", "https": "wss"}
_LOCALHOST = "127.0.0.1"


class BadNetworkAddress(ValueError):
    """An unusable address; the message says in one line what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where to listen. `port` 0: any free port."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect to it."""
        return is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class RemoteAddress:
    """The endpoint of a remote side.

    `scheme`: http, https, ws or wss. `path` begins with `/`. `query`: without `?`, empty if there is none.
    """

    scheme: str
    host: str
    port: int
    path: str
    query: str = ""
    credentials: str = ""  #: `user:password`, as written in the URL

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(self.host)

    @property
    def is_secure(self) -> bool:
        """Whether it uses TLS."""
        return self.scheme in ("https", "wss")

    @property
    def is_websocket(self) -> bool:
        """Whether the URL asks for a WebSocket."""
        return self.scheme in ("ws", "wss")

    @property
    def authority(self) -> str:
        """Host and port as in a `Host` header: the port of the scheme is left out."""
        return _joined(self.host, None if self.port == _PORTS[self.scheme] else self.port)

    @property
    def origin(self) -> str:
        """The origin of a page from this address."""
        return f"{_HTTP.get(self.scheme, self.scheme)}://{self.authority}"

    @property
    def http(self) -> str:
        """The URL for a request, without credentials."""
        return self._url(_HTTP.get(self.scheme, self.scheme))

    @property
    def websocket(self) -> str:
        """The URL for a WebSocket, without credentials."""
        return self._url(_WEBSOCKET.get(self.scheme, self.scheme))

    @property
    def shown(self) -> str:
        """The URL for people and for a trace, without credentials and query, which can hold secrets."""
        return f"{self.scheme}://{self.authority}{self.path}"

    def _url(self, scheme: str) -> str:
        return f"{scheme}://{self.authority}{self.path}{'?' if self.query else ''}{self.query}"


def listen_address(text: str, *, allow_remote: bool = False) -> ListenAddress:
    """Parse `HOST:PORT`, `:PORT` or `PORT`. Raises BadNetworkAddress, also if others can connect to it."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not (port.isascii() and port.isdigit() and int(port[:6]) <= 65_535) or (
        colon and ":" in host and not is_ip(host)
    ):
        raise BadNetworkAddress(
            f"{text!r} is not an address to listen at: give HOST:PORT or PORT, such as 127.0.0.1:4180"
        )
    address = ListenAddress(host or _LOCALHOST, int(port))
    if not (allow_remote or address.is_loopback):
        raise BadNetworkAddress(
            f"{text!r} can be reached from other machines, and anyone who reaches an agent can run "
            f"commands: give 127.0.0.1, or --allow-remote if that is intended"
        )
    return address


def remote_address(text: str) -> RemoteAddress:
    """Return the endpoint that a URL names, `/acp` if it has no path. Raises BadNetworkAddress."""
    wrong = BadNetworkAddress(
        "not a URL of an agent: give one such as http://127.0.0.1:4170/acp or ws://127.0.0.1:4170/acp"
    )
    if not text.isascii() or any(character <= " " for character in text):
        raise wrong
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in _PORTS or not parts.hostname or port == 0:
        raise wrong
    path = ENDPOINT if parts.path in ("", "/") else parts.path
    return RemoteAddress(
        parts.scheme, parts.hostname, port or _PORTS[parts.scheme], path, parts.query, _credentials(parts)
    )


def _credentials(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[0]


def _joined(host: str, port: int | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"
