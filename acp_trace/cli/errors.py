"""A failure -> one line on stderr and an exit code (docs/report.md, Exit codes). Never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import typer

DIFFERS, USAGE, UNREADABLE, NOTHING, DIED = 1, 2, 3, 4, 5


@contextmanager
def unread() -> Iterator[None]:
    """Let the reader of standard output go in the middle (`| head`): the rest is discarded.

    The work after that is still done, so that a failure does not become a success.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)


class Misuse(typer.BadParameter):
    """A command line that makes no sense, although no value is at fault: reported without "Invalid value"."""

    def format_message(self) -> str:
        """The message as it is."""
        return self.message


def fail(message: str, code: int) -> NoReturn:
    """Says one line and ends with the exit code."""
    from acp_trace.report.safe import safe

    with suppress(OSError):  # without a stderr, the exit code alone reports it
        print(f"acp-trace: {safe(message)}", file=sys.stderr)
    raise SystemExit(code)


def explain(error: BaseException) -> NoReturn:
    """Print the line and end with the code for an error that reached the top; re-raise unexpected ones."""
    from acp_trace.record.model_side import Lacking
    from acp_trace.store.catalog import NoTrace, UnknownTrace
    from acp_trace.store.errors import Conflict, StoreError
    from acp_trace.trace.inputs import Unreadable
    from acp_trace.trace.os_errors import file_and_reason
    from acp_trace.trace.parse import NewerFormat

    if isinstance(error, NoTrace):
        fail(str(error), NOTHING)
    if isinstance(error, (UnknownTrace, Unreadable, NewerFormat, Conflict, StoreError)):
        fail(str(error), UNREADABLE)
    if isinstance(error, Lacking):
        fail(str(error), USAGE)
    if isinstance(error, OSError):
        fail(file_and_reason(error), UNREADABLE)
    duckdb = sys.modules.get("duckdb")  # if it was not needed, it is not the cause
    if duckdb is not None and isinstance(error, duckdb.Error):
        fail(f"the store: {str(error).partition(chr(10))[0]}", UNREADABLE)
    raise error
