"""`acp-trace mock`."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion, options
from acp_trace.cli.errors import Misuse
from acp_trace.cli.listening import AllowOrigin, AllowRemote, ListenOptions, TlsCert, TlsKey, listening

if TYPE_CHECKING:
    from acp_trace.replay.drive.listening import ListeningClient


def mock(
    trace: common.Trace,
    sessions: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="How many times the client may open each recorded session, one after the other or "
            "concurrently. Default: 1.",
        ),
    ] = None,
    match: options.Match = None,
    mask: options.Masks = None,
    pace: options.Pace = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="Give up after SECONDS of silence while a request of either side is open. Default: 60, or "
            "twice the recording's longest silence if that is longer.",
        ),
    ] = None,
    unmatched: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            autocompletion=completion.words(completion.unmatched_of_mock),
            help="What to do with a request that has no recorded answer. `fail`: answer with an error (the "
            "default). `nearest`: give the answer to the most similar request.",
        ),
    ] = None,
    fault: options.Faults = None,
    chaos: options.Chaos = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="AGENT",
            help="Behave like this faulty agent, such as agent:ignores-cancel. Repeatable. docs/faults.md "
            "lists the agents.",
            autocompletion=completion.words(completion.agents_of_mock),
        ),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write the trace of the run to FILE.")
    ] = None,
    junit: Annotated[str | None, typer.Option(metavar="FILE", help="Write JUnit XML to FILE.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no report on stderr.")] = False,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Serve ACP over HTTP and WebSocket at ADDRESS (HOST:PORT), for one connection, instead of "
            "on standard input and output.",
        ),
    ] = None,
    allow_remote: AllowRemote = False,
    allow_origin: AllowOrigin = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Play the recorded agent to the client that starts it.

    Put this command where a client expects an agent: it speaks the protocol on standard input and output, or
    with `--listen` over HTTP and WebSocket. The run is recorded. When the client is done, stderr shows how it
    differed from the recording, and the exit codes are those of `replay`.
    """
    from acp_trace.cli import playable, playing
    from acp_trace.cli.outcome import Outputs, Teller
    from acp_trace.cli.reports import Reports
    from acp_trace.record.afterwards import start_loader
    from acp_trace.replay.drive.replay_and_compare import mock_and_compare
    from acp_trace.replay.faults.agents import AGENTS
    from acp_trace.replay.session_copies import copies as copies_of

    of_agents = [text for name in options.agents(as_ or (), in_mock=True) for text in AGENTS[name].faults]
    given = {
        "match": match,
        "mask": mask or None,
        "pace": pace,
        "timeout": timeout,
        "unmatched": unmatched,
        "fault": [*dict.fromkeys([*of_agents, *(fault or ())])] or None,
        "chaos": chaos,
    }
    recording = playable.recorded(
        trace, {key: value for key, value in given.items() if value is not None}, ()
    )
    how = Outputs(Reports(junit=junit), save=save, to_stderr=True, quiet=quiet, keeps=False)
    how.check([trace])
    if junit == "-":
        raise typer.BadParameter(
            "standard output is used for the protocol: give a file", param_hint="--junit"
        )
    copies = playable.number("--sessions", sessions or "1")
    several = replace(recording, entries=copies_of(recording.entries, copies))
    playable.check_faults([several], "agent", is_quiet=quiet)
    client = _listening(
        ListenOptions(listen, allow_remote, tls_cert, tls_key, allow_origin or ()), is_quiet=quiet
    )
    if client is None and sys.stdin.isatty() and not quiet:
        print("acp-trace: acting as an agent now, waiting for a client on standard input", file=sys.stderr)
    began = time.monotonic_ns()
    try:
        with playing.recorded(recording.name):
            made = mock_and_compare(
                recording.entries, sys.argv, recording.settings, sessions=copies, client=client
            )
    finally:
        start_loader()
    teller = Teller(how)
    teller.take(recording, made, playing.as_reported(recording, made, time.monotonic_ns() - began))
    raise typer.Exit(teller.end(1))


def _listening(options: ListenOptions, *, is_quiet: bool) -> ListeningClient | None:
    """Listens at an address from now on; where is said when the mock is ready. None if none was given."""
    if options.listen is None:
        if options.given:
            raise Misuse(f"{options.given[0]} needs --listen")
        return None
    options.check()
    address = options.address()
    from acp_trace.replay.drive.listening import ListeningClient
    from acp_trace.transport.address import ENDPOINT
    from acp_trace.transport.serving import keep_quiet

    here = listening(options, address)
    url = here.url(ENDPOINT)

    def ready() -> None:
        if not is_quiet:
            waiting = f"waiting for a client at {url}"
            print(f"acp-trace: acting as an agent now, {waiting}", file=sys.stderr, flush=True)

    keep_quiet()
    return ListeningClient(here.socket, here.tls, ready, options.origins())
