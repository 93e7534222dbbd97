"""`acp-trace record --listen`: what its options mean, and what each mistake is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import typer

from acp_trace.cli.errors import Misuse
from acp_trace.cli.listening import ListenOptions, listening, unusable_certificates


@dataclass(frozen=True, slots=True)
class Network:
    """The options as they were given."""

    listening: ListenOptions
    upstream: str | None
    upstream_ca: str | None = None
    headers: Sequence[str] = ()

    @property
    def given(self) -> list[str]:
        """The names of the options that were given."""
        named = {
            "--upstream": self.upstream,
            "--upstream-ca": self.upstream_ca,
            "--header": self.headers or None,
        }
        return [*self.listening.given, *(name for name, value in named.items() if value is not None)]


def check(network: Network, agent: list[str], others: list[str]) -> bool:
    """Whether a network is to be recorded. `others`: options that were given and need an agent's process.

    Raises typer.BadParameter for what does not go together.
    """
    if not network.given:
        if not agent:
            raise Misuse("Missing argument 'AGENT...'.")
        return False
    if network.listening.listen is None or network.upstream is None:
        raise Misuse("give both --listen ADDRESS and --upstream URL")
    if agent:
        raise Misuse("--upstream names an agent that runs already: give no AGENT")
    if others:
        raise Misuse(f"{others[0]} needs an AGENT that acp-trace starts: not with --listen")
    network.listening.check()
    return True


def record(network: Network, *, out: str | None, labels: Mapping[str, str], load: bool) -> None:
    """Listens, passes on and records until a signal ends it."""
    from acp_trace.transport.address import BadNetworkAddress, remote_address

    address = network.listening.address()
    try:
        remote = remote_address(network.upstream or "")
    except BadNetworkAddress as bad:
        raise typer.BadParameter(str(bad), param_hint="--upstream") from None
    if network.upstream_ca is not None and not remote.is_secure:
        raise Misuse("--upstream-ca needs an --upstream with https or wss")

    from acp_trace.record.network import run
    from acp_trace.transport.remote import BadHeader, given_header, reached

    try:
        given = [given_header(text) for text in network.headers]
        agent = reached(remote, authorities=network.upstream_ca, given=given, environment=os.environ)
    except BadHeader as bad:
        raise typer.BadParameter(str(bad), param_hint="--header") from None
    except OSError as error:
        unusable_certificates(network.upstream_ca or "", error)
    here = listening(network.listening, address)
    settings = run.NetworkSettings(
        agent, _say, here.tls, network.listening.origins(), out, load, dict(labels)
    )
    run.run(settings, here.socket, lambda: print(here.url(remote.path), flush=True))


def _say(what: str) -> None:
    from acp_trace.report.safe import safe

    print(f"acp-trace: {safe(what)}", file=sys.stderr, flush=True)
