"""Copies of the files where the recorder was started, made before a session is opened there.

Most clients start an agent in the directory in which they then open a session. The early copies have the
former state of files that the agent changes in its first moments.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acp_trace.replay.drive.secret_files import is_likely_secret
from acp_trace.replay.drive.workspace_files import (
    FileCopy,
    WorkspaceFile,
    changed_ns,
    copied,
    files_in,
    is_too_much,
)


class _Place(NamedTuple):
    """A copy without its content, and the content's place."""

    copy: FileCopy
    start: int
    size: int


class EarlyCopies:
    """Copies of a directory's files, the smallest first.

    `limit`: bytes of all of them; `beside`: the directory in which they are kept, in a file without a name.
    """

    def __init__(self, directory: str, limit: int, beside: str, *, secrets: bool = False) -> None:
        self._directory = os.path.realpath(directory)
        self._places: dict[str, _Place] = {}
        self._stream = tempfile.TemporaryFile(dir=beside)
        self._left = limit
        self._to_copy: Iterator[WorkspaceFile] = self._files(secrets=secrets)

    def _files(self, *, secrets: bool) -> Iterator[WorkspaceFile]:
        files = [] if is_too_much(self._directory) else files_in(self._directory)
        wanted = (file for file in files if secrets or not is_likely_secret(file.name))
        yield from sorted(wanted, key=lambda file: (file.size, file.name))

    def go_on(self, until: float) -> bool:
        """Copy files until a moment of the monotonic clock; return whether there are more. Raises OSError."""
        while time.monotonic() < until:
            file = next(self._to_copy, None)
            if file is None or file.size > self._left:
                return False
            copy = copied(self._directory, file.name, file.size)
            if copy is not None:
                place = _Place(copy._replace(content=b""), self._stream.tell(), len(copy.content))
                self._stream.write(copy.content)
                self._places[file.name] = place
                self._left -= place.size
        return True

    def is_of(self, directory: str) -> bool:
        """Whether these are copies of that directory, by any name."""
        return os.path.realpath(directory) == self._directory

    def at(self, files: Iterable[WorkspaceFile], since_ns: int) -> Iterator[WorkspaceFile]:
        """Yield files of the directory as they were at a time since 1970, as far as the copies know.

        A file changed since then has its former size. A deleted file appears again if it may have existed
        then: its directory was changed since.
        """
        names = set()
        for file in files:
            names.add(file.name)
            place = self._place(file.name, since_ns) if file.changed_ns >= since_ns else None
            yield file if place is None else file._replace(size=place.size)
        for name, place in self._places.items():
            if name not in names and self._is_gone(name, since_ns):
                yield WorkspaceFile(name, place.size, place.copy.changed_ns)

    def of(self, name: str, since_ns: int) -> FileCopy | None:
        """Return a file as it was at a time since 1970, or before; None if only newer content is known."""
        place = self._place(name, since_ns)
        if place is None:
            return None
        self._stream.seek(place.start)
        return place.copy._replace(content=self._stream.read(place.size))

    def close(self) -> None:
        """Release the copies: none are left."""
        self._stream.close()
        self._places, self._to_copy = {}, iter(())

    def _place(self, name: str, since_ns: int) -> _Place | None:
        place = self._places.get(name)
        return None if place is None or place.copy.changed_ns >= since_ns else place

    def _is_gone(self, name: str, since_ns: int) -> bool:
        """Whether a file may have been deleted since: the directory that held it was changed since."""
        path = os.path.join(self._directory, name)
        if os.path.lexists(path):  # git ignores it now
            return False
        while True:
            path = os.path.dirname(path)
            try:
                return changed_ns(os.lstat(path)) >= since_ns
            except FileNotFoundError:
                if path == os.path.dirname(path):
                    return False
            except OSError:
                return False
