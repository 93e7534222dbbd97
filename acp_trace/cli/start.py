"""The entry point: three standard streams, the one command that waits for no parser, the last resort.

A client waits for `record -- AGENT ARGS…`, and there is nothing to parse in it: typer would more than
double its start. Every other form, with an option or a mistake, goes the usual way (`app`).
"""

from __future__ import annotations

import errno
import os
import sys

#: `cli/errors.py`, which may not be at hand.
_UNREADABLE, _INTERRUPTED = 3, 130
#: How many descriptors an import needs.
_ENOUGH = 8


def main() -> None:
    """The entry point of `acp-trace` and of `python -m acp_trace`."""
    try:
        _main()
    except KeyboardInterrupt:  # a second Ctrl-C, while the first was being reported
        raise SystemExit(_INTERRUPTED) from None


def _main() -> None:
    if sys.argv[1:2] == ["record"]:  # it passes signals on to its agent; until then they end it
        _standard_streams()
        _explained()
        return
    try:
        _standard_streams()
        from acp_trace.cli import signals

        try:
            signals.run(_explained)
        except SystemExit as ended:
            if _is_written() or ended.code == _UNREADABLE:
                raise
            os.write(2, b"acp-trace: standard output cannot be written\n")
            raise SystemExit(_UNREADABLE) from None
    except (OSError, ImportError):
        if not _out_of_descriptors():
            raise
        os.write(2, b"acp-trace: too many open files: raise the limit (ulimit -n)\n")
        raise SystemExit(_UNREADABLE) from None


def _is_written() -> bool:
    """Flush both streams. Return whether standard output took everything, or its reader has gone.

    Python also flushes at its end, but would print a traceback, and end with 120.
    """
    taken = True
    for fd, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError as error:
            taken = taken and (fd == 2 or error.errno == errno.EPIPE)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, fd)
            os.close(null)
    return taken


def _out_of_descriptors() -> bool:
    """Whether so few are left that a module cannot even be found, which looks as if it were not there."""
    descriptors: list[int] = []
    try:
        while len(descriptors) < _ENOUGH:
            descriptors.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    finally:
        for fd in descriptors:
            os.close(fd)
    return False


def _explained() -> None:
    try:
        _run(sys.argv[1:])
    except Exception as error:
        from acp_trace.cli.errors import explain

        explain(error)


def _run(words: list[str]) -> None:
    match words:
        case ["record", "--", *agent] if agent and not os.environ.get("ACP_TRACE_MODEL"):
            from acp_trace.record import recorder

            recorder.record(agent, out=None, labels={}, load=True)
        case _:
            from acp_trace.cli.app import app_for

            app_for(words)()


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
