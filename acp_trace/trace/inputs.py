"""Inputs that commands read to their end: files, pipes and standard input, but no endless device.

Reading `/dev/zero` would take all memory or the whole disk. A terminal is read because a person types there,
and the null device because it is always at its end.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from io import UnsupportedOperation

from acp_trace.system.files import device_number

#: The name of standard input in messages.
STANDARD_INPUT = "standard input"


class Unreadable(Exception):
    """A file that cannot be read as what the command needs. The message is one line for people."""


def whole(name: str, what: str) -> bytes:
    """Return all bytes of a file, or of standard input for `-`. Raises OSError, and Unreadable for a device.

    `what` is the expected content, for the message: `a log`.
    """
    if name == "-":
        refuse_device(None, what)
        return sys.stdin.buffer.read()
    refuse_device(name, what)
    with open(name, "rb") as stream:
        return stream.read()


def refuse_device(name: str | None, what: str) -> None:
    """Raise Unreadable if a file is a disk or an endless device, and OSError if it does not exist.

    `name` is None for standard input.
    """
    if name is None:
        with suppress(UnsupportedOperation):  # a stream that a program put there
            _refuse(STANDARD_INPUT, os.fstat(sys.stdin.fileno()), what)
    else:
        _refuse(name, os.stat(name), what)


def _refuse(name: str, status: os.stat_result, what: str) -> None:
    if stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and not _ends(status)):
        raise Unreadable(f"{name} is a device; {what} must be a file or a pipe")


def _ends(device: os.stat_result) -> bool:
    with suppress(OSError):
        if device_number(device) == device_number(os.stat(os.devnull)):
            return True
        return os.isatty(0) and device_number(device) == device_number(os.fstat(0))
    return False
