"""The results so far, for the next run: one JSON file for each question, in the home directory.

A file belongs to one process at a time. One that cannot be read is as good as none: then all is done again.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from acp_trace.system.files import CLOEXEC
from acp_trace.trace import lock, whole_files
from acp_trace.trace.names import make_private

T = TypeVar("T")
#: Below the home directory.
_DIRECTORY = "asked"
_LOOK_S = 0.2


class InUse(Exception):
    """Another process answers the same question now."""


class KeptFile:
    """The file of one question."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, shape: type[T]) -> T | None:
        """The kept results; None if there are none, or they cannot be read."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=shape)
        except (OSError, msgspec.MsgspecError, RecursionError):
            return None

    def write(self, value: object) -> None:
        """Keep this in place of the previous results. Raises OSError."""
        whole_files.put(self._path, [msgspec.json.encode(value)], private=True)

    def forget(self) -> None:
        """Removes it."""
        self._path.unlink(missing_ok=True)


def _is_held(fd: int) -> bool:
    try:
        lock.hold(fd)
    except BlockingIOError:
        return False
    return True


@contextmanager
def kept(home: Path, command: str, question: str, *, waits: bool = False) -> Iterator[KeptFile]:
    """Yields the file of a question, locked against other processes. Raises InUse and OSError.

    `waits`: wait for another process that asks the same question, instead of raising InUse.
    """
    name = hashlib.sha256(question.encode()).hexdigest()[:20]
    directory = home / _DIRECTORY
    make_private(str(directory))
    path = directory / f"{command}-{name}.json"
    fd = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | CLOEXEC, 0o600)
    try:
        while not _is_held(fd):
            if not waits:
                raise InUse(
                    f"another `acp-trace {command}` is already doing the same work: wait until it ends"
                )
            time.sleep(_LOOK_S)
        yield KeptFile(path)
    finally:
        os.close(fd)
