"""Which requests a listener answers. Pure.

Every page that a browser has open can send requests to a port of this machine, and choose their method, path
and body. A page cannot choose the headers that its browser adds about it, and the gate checks those:

| part of the request | has to be | otherwise | what that stops |
|---|---|---|---|
| target | a path (RFC 9112, 3.2.1) | 400 | requests that a server behind us would send on to another host |
| `Host` | a name of this listener | 403 | a page that has its own name lead here (DNS rebinding) |
| `Origin` | this listener, or allowed | 403 | WebSockets and posts of another page |
| `Sec-Fetch-Site` | `same-origin` or `none` | 403 | requests without `Origin`, such as those for images |

As a rule, programs that are not browsers send neither of the last two. Some send the URL of their server as
`Origin`, which is the listener's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from acp_trace.gate.names import HostAndPort, host_and_port, is_ip, is_loopback, written

#: A path and a query in visible ASCII, without a fragment. A path that begins with `//` or `/\` names a
#: host if it is read as part of a URL (URL Standard, "relative slash state").
_PATH = re.compile(rb"""/(?:[!"$-.0->@-\[\]-~][!"$->@-\[\]-~]*)?(?:\?[!"$-~]*)?""")
#: Values of a browser for the source of a request: a page of this listener, or a typed address.
_SITES = ("same-origin", "none")
_LOOKED_AT = (b"host", b"origin", b"sec-fetch-site")


class TurnedAway(NamedTuple):
    """A refused request: the HTTP status, and the reason."""

    status: int
    why: str


NOT_A_PATH = TurnedAway(400, "the target of a request has to be a path")
OTHER_HOST = TurnedAway(403, "the request is for another host")
OTHER_ORIGIN = TurnedAway(403, "the request comes from a page of another origin")


def of_target(method: str, target: bytes) -> TurnedAway | None:
    """Return why a target is refused for every client; None if it is a path."""
    return NOT_A_PATH if method.upper() == "CONNECT" or not _PATH.fullmatch(target) else None


@dataclass(frozen=True, slots=True)
class Listener:
    """How clients reach a listener.

    `host` and `port` are those of its socket. `scheme` is http or https. `origins` are other pages' origins
    that may use the listener, as `names.origin` returns them.
    """

    host: str
    port: int
    scheme: str = "http"
    origins: Collection[str] = ()

    def refusal(
        self, method: str, target: bytes, headers: Iterable[tuple[bytes, bytes]]
    ) -> TurnedAway | None:
        """Return why a request is not answered; None if it is answered.

        `target`: as in the request line, or `:path` of HTTP/2. `headers`: names in any case, each as often as
        it came; `:authority` of HTTP/2 counts as `Host`.
        """
        if (refused := of_target(method, target)) is not None:
            return refused
        hosts, origins, sites = _looked_at(headers)
        host = host_and_port(hosts[0]) if len(hosts) == 1 else None
        if host is None or not self._is_called(host):
            return OTHER_HOST
        if len(origins) > 1 or len(sites) > 1:
            return OTHER_ORIGIN
        if origins and origins[0] in self.origins:
            return None
        if origins and not self._is_own(origins[0], host):
            return OTHER_ORIGIN
        return None if all(site in _SITES for site in sites) else OTHER_ORIGIN

    def _is_called(self, host: HostAndPort) -> bool:
        """Whether this is a name of the listener. Names that lead to a network address are unknown.

        The port may differ: a client may connect through a tunnel (`ssh -L`), which has another port.
        """
        return not is_loopback(self.host) or is_loopback(host.host)

    def _is_own(self, origin: str, host: HostAndPort) -> bool:
        """Whether a page with this origin came from this listener.

        A network name proves nothing, because a page can have its own name lead here. An address does.
        """
        if is_loopback(self.host):
            host = host._replace(port=host.port or self.port)
        elif not (is_ip(host.host) or is_loopback(host.host)):
            return False
        return origin.lower() == written(self.scheme, host)


def _looked_at(headers: Iterable[tuple[bytes, bytes]]) -> list[list[str]]:
    """Return the values of the headers that count, for each name in the order of `_LOOKED_AT`."""
    values: dict[bytes, list[str]] = {name: [] for name in _LOOKED_AT}
    for name, value in headers:
        if (known := values.get(name.strip().lower())) is not None:
            known.append(value.strip().decode("latin-1"))
    return list(values.values())
