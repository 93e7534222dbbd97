"""Hosts, ports and origins as text, and which of them mean this machine. Pure.

A host is written as in RFC 3986, 3.2.2, and an origin as in RFC 6454, 6.2. Other spellings are refused and
not guessed at: `evil.example@127.0.0.1`, `127.1` and `0x7f000001` are not names of this machine.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

_PORTS = {"http": 80, "https": 443}
_HOST_AND_PORT = re.compile(
    r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._~-]+))(?::(?P<port>[0-9]{1,5}))?"
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_HIGHEST_PORT = 65_535


class BadOrigin(ValueError):
    """The text is not an origin. The message is one line that says what to give."""


class HostAndPort(NamedTuple):
    """A host in lower case, without brackets, and its port. `port` is None if the text has none."""

    host: str
    port: int | None


def host_and_port(text: str) -> HostAndPort | None:
    """Return the host and the port in a `Host` header or in an origin; None if the text is malformed."""
    match = _HOST_AND_PORT.fullmatch(text)
    if match is None:
        return None
    port = None if match["port"] is None else int(match["port"])
    if (match["v6"] and not _is_v6(match["v6"])) or (port is not None and not 0 < port <= _HIGHEST_PORT):
        return None
    return HostAndPort((match["v6"] or match["name"]).lower(), port)


def origin(text: str) -> str:
    """Return an origin that a person wrote as browsers write it. Raises BadOrigin.

    Upper case, a final slash and the scheme's default port do not matter: `HTTPS://App.example:443/` is
    `https://app.example`. Other schemes are accepted as well (`tauri://localhost`). `null` is refused,
    because every sandboxed page has it.
    """
    scheme, separator, rest = text.removesuffix("/").partition("://")
    scheme, parts = scheme.lower(), host_and_port(rest)
    if not separator or not _SCHEME.fullmatch(scheme) or parts is None:
        raise BadOrigin(f"{text!r} is not the origin of a page: give SCHEME://HOST[:PORT], without a path")
    return written(scheme, parts)


def written(scheme: str, parts: HostAndPort) -> str:
    """Return an origin as browsers write it, without the port of its scheme."""
    host = f"[{parts.host}]" if ":" in parts.host else parts.host
    is_usual = parts.port in (None, _PORTS.get(scheme))
    return f"{scheme}://{host}" if is_usual else f"{scheme}://{host}:{parts.port}"


def is_ip(host: str) -> bool:
    """Return whether a host is an address and not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host means this machine, regardless of DNS: a loopback address, or `localhost`.

    Names below `localhost` count too (RFC 6761, 6.3). A final dot does not matter.
    """
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    if not is_ip(host):
        return False
    address = ipaddress.ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _is_v6(text: str) -> bool:
    return ":" in text and is_ip(text)
