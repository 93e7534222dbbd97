"""`acp-trace mock`."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from acp_trace.cli import common, completion, options


def mock(
    trace: common.Trace,
    sessions: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="How many times each recorded session may be opened, also at once. Default: 1."
        ),
    ] = None,
    match: options.Match = None,
    mask: options.Masks = None,
    pace: options.Pace = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS", help="Give up if nothing happens for so long while a step is due. Default: 60."
        ),
    ] = None,
    unmatched: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            autocompletion=completion.words(completion.unmatched_of_mock),
            help="What a request without a recorded answer gets: `fail`, an error (the default), or "
            "`nearest`, the answer to the most similar request.",
        ),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write the trace of the run to FILE.")
    ] = None,
    junit: Annotated[str | None, typer.Option(metavar="FILE", help="Write JUnit XML to FILE.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no report on stderr.")] = False,
) -> None:
    """Play the recorded agent to the client that starts this.

    Put this where a client expects an agent: it speaks the protocol on standard input and output. The run is
    recorded. When the client is done, stderr reports its differences from the recording, and the exit code is
    that of `replay`.
    """
    from acp_trace.cli import playable, playing
    from acp_trace.cli.outcome import Outputs, Teller
    from acp_trace.record.afterwards import start_loader
    from acp_trace.replay.drive.replay_and_compare import mock_and_compare

    given = {
        "match": match,
        "mask": mask or None,
        "pace": pace,
        "timeout": timeout,
        "unmatched": unmatched,
    }
    recording = playable.recorded(
        trace, {key: value for key, value in given.items() if value is not None}, ()
    )
    how = Outputs(junit=junit, save=save, to_stderr=True, quiet=quiet, keeps=False)
    how.check([trace])
    if junit == "-":
        raise typer.BadParameter(
            "standard output is used for the protocol: give a file", param_hint="--junit"
        )
    copies = playable.number("--sessions", sessions or "1")
    if sys.stdin.isatty() and not quiet:
        print("acp-trace: acting as an agent now, waiting for a client on standard input", file=sys.stderr)
    began = time.monotonic_ns()
    made = mock_and_compare(recording.entries, sys.argv, recording.settings, sessions=copies)
    start_loader()
    teller = Teller(how)
    teller.take(recording, made, playing.as_reported(recording, made, time.monotonic_ns() - began))
    raise typer.Exit(teller.end(1))
