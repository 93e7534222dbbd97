"""The rows of a large trace, read and analysed in a process of their own, while this one writes them.

Reading and analysing takes as long as writing, and Python does one thing at a time.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from acp_trace.store.collected_rows import CollectedRows
from acp_trace.store.fill_process import LIVE, Filled, Read, decoded
from acp_trace.store.read_ahead import read_ahead
from acp_trace.trace import helper
from acp_trace.trace.files import Lines
from acp_trace.trace.helper import Begun, received

#: From this size on, in bytes: starting a process takes as long as loading half of them.
LARGE = 32 << 20
#: The most bytes of rows that wait for DuckDB, which sometimes takes half a second to compress its data.
_AHEAD = 64 << 20
#: What the pipe between the two should hold: neither waits for the other at each batch.
_PIPE = 1 << 20


class NotFilled(Exception):
    """The other process did not start, or was killed, or cannot read the trace: not all rows were added."""


def is_worthwhile(lines: Lines) -> bool:
    """Whether a trace is large enough, and this machine can do two things at a time."""
    return lines.seekable() and os.fstat(lines.fileno()).st_size >= LARGE and helper.can_help()


def fill(rows: CollectedRows, lines: Lines, tick: Callable[[int], None] | None = None) -> Filled:
    """As `fill.fill`, from the start of `lines`. `tick` is called with the bytes read so far.

    Nothing else may read `lines` meanwhile. Raises NotFilled, and what `rows` raises.
    """
    lines.rewind()
    with _messages(lines) as next_message:
        if decoded(next_message()) != Begun():
            raise NotFilled
        while isinstance(message := decoded(next_message()), Read):
            rows.batch(message.batch)
            if tick is not None:
                tick(message.position)
        if not isinstance(message, Filled):
            raise NotFilled
        return message


@contextmanager
def _messages(lines: Lines) -> Iterator[Callable[[], bytes]]:
    """Gives what the other process says, message by message. It does not outlive the block."""
    words = [LIVE] if lines.live else []
    try:
        process = helper.started(
            "acp_trace.store.fill_process",
            *words,
            stdin=lines.fileno(),
            stdout=subprocess.PIPE,
            pipesize=_PIPE,
        )
    except OSError as error:
        raise NotFilled from error
    assert process.stdout is not None
    with process, read_ahead(partial(received, process.stdout), _AHEAD) as next_message:
        try:
            yield next_message
        finally:
            process.kill()  # and with it ends what the thread waits for
