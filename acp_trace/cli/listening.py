"""`--listen` and what belongs to it: the options, the socket, and what each mistake is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    import socket

    from acp_trace.transport.address import ListenAddress
    from acp_trace.transport.serving import ServerTls

AllowRemote = Annotated[
    bool, typer.Option("--allow-remote", help="Allow --listen at an address that other machines can reach.")
]
AllowOrigin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ORIGIN",
        help="With --listen: let pages of this origin connect, such as https://app.example. For a client "
        "that runs in a browser. Repeatable. Pages of other origins are refused.",
    ),
]
TlsCert = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Listen with TLS. FILE has the certificate and its chain, in PEM."),
]
TlsKey = Annotated[str | None, typer.Option(metavar="FILE", help="The private key for --tls-cert, in PEM.")]


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """The options as they were given."""

    listen: str | None
    allow_remote: bool = False
    tls_cert: str | None = None
    tls_key: str | None = None
    allow_origin: Sequence[str] = ()

    @property
    def given(self) -> list[str]:
        """The names of those that were given."""
        named = {
            "--listen": self.listen,
            "--allow-remote": self.allow_remote or None,
            "--tls-cert": self.tls_cert,
            "--tls-key": self.tls_key,
            "--allow-origin": self.allow_origin or None,
        }
        return [name for name, value in named.items() if value is not None]

    def check(self) -> None:
        """Raises Misuse for what does not go together."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise Misuse("give both --tls-cert FILE and --tls-key FILE")
        self.origins()

    def origins(self) -> frozenset[str]:
        """The origins of pages that may use it, as browsers write them. Raises typer.BadParameter."""
        from acp_trace.gate.names import BadOrigin, origin

        try:
            return frozenset(map(origin, self.allow_origin))
        except BadOrigin as bad:
            raise typer.BadParameter(str(bad), param_hint="--allow-origin") from None

    def address(self) -> ListenAddress:
        """Where to listen. Raises typer.BadParameter; ends the command if the extra is not installed."""
        from acp_trace.transport import extra
        from acp_trace.transport.address import BadNetworkAddress, listen_address

        try:
            address = listen_address(self.listen or "", allow_remote=self.allow_remote)
        except BadNetworkAddress as bad:
            raise typer.BadParameter(str(bad), param_hint="--listen") from None
        if not extra.is_installed():
            fail(extra.INSTALL, USAGE)
        return address


@dataclass(frozen=True, slots=True)
class Listening:
    """What listens now."""

    address: ListenAddress
    socket: socket.socket
    tls: ServerTls | None

    def url(self, path: str) -> str:
        """The URL for a client."""
        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://{host}:{self.socket.getsockname()[1]}{path}"


def listening(options: ListenOptions, address: ListenAddress) -> Listening:
    """Listens. Ends the command if that cannot be."""
    from acp_trace.trace.os_errors import reason
    from acp_trace.transport.serving import ServerTls, bound

    tls = None
    if options.tls_cert is not None and options.tls_key is not None:
        tls = ServerTls(options.tls_cert, options.tls_key)
        try:
            tls.check()
        except OSError as error:
            unusable_certificates(error.filename or f"{options.tls_cert}, {options.tls_key}", error)
    try:
        return Listening(address, bound(address), tls)
    except OSError as error:
        fail(f"cannot listen at {options.listen}: {reason(error)}", UNREADABLE)


def unusable_certificates(what: str, error: OSError) -> NoReturn:
    """Ends the command: files of certificates cannot be used."""
    import ssl

    from acp_trace.trace.os_errors import reason

    why = "is not a file of certificates in PEM" if isinstance(error, ssl.SSLError) else reason(error)
    fail(f"{what}: {why}", UNREADABLE)
