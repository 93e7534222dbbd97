"""`acp-trace record --listen`: what its options mean, and what each mistake is called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import typer

from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail


@dataclass(frozen=True, slots=True)
class Network:
    """The options as they were given."""

    listen: str | None
    upstream: str | None
    allow_remote: bool = False
    tls_cert: str | None = None
    tls_key: str | None = None
    upstream_ca: str | None = None

    @property
    def given(self) -> list[str]:
        """The names of the options that were given."""
        named = {
            "--listen": self.listen,
            "--upstream": self.upstream,
            "--allow-remote": self.allow_remote or None,
            "--tls-cert": self.tls_cert,
            "--tls-key": self.tls_key,
            "--upstream-ca": self.upstream_ca,
        }
        return [name for name, value in named.items() if value is not None]


def check(network: Network, agent: list[str], others: list[str]) -> bool:
    """Whether a network is to be recorded. `others`: options that were given and need an agent's process.

    Raises typer.BadParameter for what does not go together.
    """
    if not network.given:
        if not agent:
            raise Misuse("Missing argument 'AGENT...'.")
        return False
    if network.listen is None or network.upstream is None:
        raise Misuse("give both --listen ADDRESS and --upstream URL")
    if agent:
        raise Misuse("--upstream names an agent that runs already: give no AGENT")
    if others:
        raise Misuse(f"{others[0]} needs an AGENT that acp-trace starts: not with --listen")
    if (network.tls_cert is None) != (network.tls_key is None):
        raise Misuse("give both --tls-cert FILE and --tls-key FILE")
    return True


def record(network: Network, *, out: str | None, labels: Mapping[str, str], load: bool) -> None:
    """Listens, passes on and records until a signal ends it."""
    from acp_trace.transport import extra
    from acp_trace.transport.address import BadNetworkAddress, listen_address, remote_address

    try:
        address = listen_address(network.listen or "", allow_remote=network.allow_remote)
    except BadNetworkAddress as bad:
        raise typer.BadParameter(str(bad), param_hint="--listen") from None
    try:
        remote = remote_address(network.upstream or "")
    except BadNetworkAddress as bad:
        raise typer.BadParameter(str(bad), param_hint="--upstream") from None
    if network.upstream_ca is not None and not remote.is_secure:
        raise Misuse("--upstream-ca is for an --upstream with https or wss")
    if not extra.is_installed():
        fail(extra.INSTALL, USAGE)

    from acp_trace.record.network import run, upstream
    from acp_trace.transport.serving import ServerTls, bound

    tls = ServerTls(network.tls_cert, network.tls_key) if network.tls_cert and network.tls_key else None
    try:
        if tls is not None:
            tls.check()
    except OSError as error:
        _unusable(f"{network.tls_cert}, {network.tls_key}", error)
    try:
        trust = upstream.trust(remote, network.upstream_ca)
    except OSError as error:
        _unusable(network.upstream_ca or "", error)
    try:
        listener = bound(address)
    except OSError as error:
        fail(f"cannot listen at {network.listen}: {error.strerror or error}", UNREADABLE)
    port = listener.getsockname()[1]
    host = f"[{address.host}]" if ":" in address.host else address.host
    scheme = "http" if tls is None else "https"
    url = f"{scheme}://{host}:{port}{remote.path}"
    settings = run.NetworkSettings(address, remote, _say, tls, trust, out, load, dict(labels))
    run.run(settings, listener, lambda: print(url, flush=True))


def _unusable(what: str, error: OSError) -> NoReturn:
    import ssl

    why = "is not a file of certificates in PEM" if isinstance(error, ssl.SSLError) else error.strerror
    fail(f"{what}: {why or error}", UNREADABLE)


def _say(what: str) -> None:
    from acp_trace.report.safe import safe

    print(f"acp-trace: {safe(what)}", file=sys.stderr, flush=True)
