"""What commands read whole or to its end: files, pipes and standard input, but no device without an end.

Reading `/dev/zero` would take all memory or the whole disk. A terminal is read because somebody types there,
and the null device because it is always at its end.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from io import UnsupportedOperation

from acp_trace.system.files import device_number

#: Standard input as messages call it.
STANDARD_INPUT = "standard input"


class Unreadable(Exception):
    """Nothing of this file can be read as what was asked for. The message is one line for people."""


def whole(name: str, what: str) -> bytes:
    """Return all bytes of a file, or of standard input for `-`. Raises OSError, and Unreadable for a device.

    `what` says in the message what the file should be: `a log`.
    """
    if name == "-":
        refuse_device(None, what)
        return sys.stdin.buffer.read()
    refuse_device(name, what)
    with open(name, "rb") as stream:
        return stream.read()


def refuse_device(name: str | None, what: str) -> None:
    """Raise Unreadable if a file is a disk or a device without an end, and OSError if there is no such file.

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
