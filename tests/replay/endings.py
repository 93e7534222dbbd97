"""Ways to end a run, or not to: what the scripted agent does in the middle of its script.

Nothing here sleeps: who hangs waits for a pipe that nobody writes to.
"""

from __future__ import annotations

import os
import signal
import sys

from tests.replay.wire import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.replay.wire import Wire


def dies(code: int) -> Callable[[Wire], None]:
    """Ends with a code."""

    def end(wire: Wire) -> None:
        wire.flush()
        os._exit(code)

    return end


def crashes(wire: Wire) -> None:
    """Ends by a signal of its own."""
    wire.flush()
    os.abort()


def hangs(wire: Wire) -> None:
    """Does nothing any more."""
    wire.flush()
    reads, _ = os.pipe()
    os.read(reads, 1)


def is_stubborn(wire: Wire) -> None:
    """Does nothing any more, whoever asks it to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hangs(wire)


def hangs_up(wire: Wire) -> None:
    """Closes its output, and lives on."""
    wire.flush()
    os.close(1)
    hangs(wire)


def goes_deaf(wire: Wire) -> None:
    """Closes its input, and lives on."""
    wire.flush()
    os.close(0)
    hangs(wire)


def floods(wire: Wire) -> None:
    """Says sound updates without end."""
    line = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":' % (
        wire.session.encode()
    )
    wire.flush()
    line += b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"more"}}}}\n'
    while True:
        write(line * 20)


def babbles(wire: Wire) -> None:
    """Says what is no message, without end."""
    while True:
        write(b"no message at all, and long enough to fill many a page\n" * 20)


def never_ends_its_line(wire: Wire) -> None:
    """Says one line without end."""
    while True:
        write(b"x" * 65536)


def _forks() -> bool:
    """Whether this is a new process. Windows has no fork: `scenario.py` skips these there."""
    return sys.platform != "win32" and os.fork() == 0


def leaves_a_child(wire: Wire) -> None:
    """Ends, and leaves a child that holds its output."""
    wire.flush()
    if _forks():
        is_stubborn(wire)
    os._exit(0)


def leaves_a_stranger(wire: Wire) -> None:
    """Ends, and leaves a child that holds its output and is in no group of ours. That says who it is."""
    wire.flush()
    reads, writes = os.pipe()
    if _forks():
        os.close(reads)
        if sys.platform != "win32":
            os.setsid()
            signal.alarm(60)  # where a test fails to end it
        os.write(2, b"stranger %d\n" % os.getpid())
        os.close(writes)
        os.close(2)
        is_stubborn(wire)
    os.close(writes)
    os.read(reads, 1)  # until it has said so
    os._exit(0)


#: A line that is no UTF-8.
NO_TEXT = b"\xff\xfe\n"
