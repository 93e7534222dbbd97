"""The entry point: three standard streams, the one command that waits for no parser, the last resort.

A client waits for `record -- AGENT ARGS…`, and there is nothing to parse in it: typer would more than
double its start. Every other form, with an option or a mistake, goes the usual way (`app`).
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The entry point of `acp-trace` and of `python -m acp_trace`."""
    _standard_streams()
    if sys.argv[1:2] != ["record"]:  # a recorder is ended by Ctrl-C until it has an agent to pass it on to
        _ctrl_c_raises()
    try:
        _run(sys.argv[1:])
    except (Exception, KeyboardInterrupt) as error:
        from acp_trace.cli.errors import explain

        explain(error)


def _run(words: list[str]) -> None:
    match words:
        case ["record", "--", *agent] if agent:
            from acp_trace.record import recorder

            recorder.record(agent, out=None, labels={}, load=True)
        case _:
            from acp_trace.cli.app import app

            app()


def _ctrl_c_raises() -> None:
    """As Python has it, and `__main__` has not: what a command has begun is cleaned up."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _standard_streams() -> None:
    """Makes sure of all three: what we open must never get the number of a closed one.

    Where the encoding has no arrows, replacements are printed in their place.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if (stream.encoding or "").lower() not in ("utf-8", "utf8"):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
