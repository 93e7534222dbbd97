"""Another process of acp-trace that does a part of this one's work: how it starts, sends messages, and ends.

Python does one thing at a time, so two processes halve the time for a large trace. Such a helper is a module
that runs as a program. Whatever is wrong with it, it ends with an exit code other than 0. The process that
started it then does all of the work, and meets the fault itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from typing import IO, Any

import msgspec

import acp_trace
from acp_trace.trace import own_python
from acp_trace.trace.cores import cores

_LENGTH = 8


class Begun(msgspec.Struct, tag=True):
    """The first message of a helper: the version of its acp-trace, since another may have other messages."""

    version: str = acp_trace.__version__
    path: str = acp_trace.__file__


def can_help() -> bool:
    """Whether this machine can do two things at a time, and a Python that can be started is known."""
    return cores() > 1 and bool(sys.executable)


def started(module: str, *words: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start a module as a program. `options`: those of `Popen`, such as its streams. Raises OSError.

    The caller ends the process, even when interrupted: Ctrl-C in a terminal does not reach a helper.
    """
    return subprocess.Popen(
        own_python.module(module, *words),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **options,
    )


def run(main: Callable[[list[str]], object]) -> None:
    """Run the main function of a helper, with its words. Nothing is printed."""
    try:
        main(sys.argv[1:])
    except BaseException:  # see the module's docstring
        os._exit(1)


def output() -> IO[bytes]:
    """Return the stream for the messages of this helper. `Begun`, the first one, is already written."""
    out = open(os.dup(1), "wb")
    os.dup2(2, 1)  # output that is printed by mistake is not a message
    send(out, msgspec.msgpack.encode(Begun()))
    return out


def send(out: IO[bytes], data: bytes) -> None:
    """Write a message. Raises OSError if the other process no longer reads."""
    out.write(len(data).to_bytes(_LENGTH))
    out.write(data)
    out.flush()


def received(source: IO[bytes]) -> bytes:
    """Return the next message; empty if there is none, or only a part of one. Raises OSError."""
    size = length(source)
    data = source.read(size)
    return data if len(data) == size else b""


def is_ours(source: IO[bytes]) -> bool:
    """Whether a helper's output begins like the messages of this acp-trace. Raises OSError.

    The output of another version may not be messages.
    """
    first = BytesIO()
    send(first, msgspec.msgpack.encode(Begun()))
    return source.read(first.tell()) == first.getvalue()


def length(source: IO[bytes]) -> int:
    """Return the size of the next message, which follows, in bytes; 0 if there is none. Raises OSError."""
    return int.from_bytes(source.read(_LENGTH))
