"""Scans a directory's files at the end of a recording or a run. Nothing behind a link is read."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping

from acp_trace.replay.drive.left_list import is_listed
from acp_trace.replay.drive.workspace_files import WorkspaceFile, copied
from acp_trace.replay.left_files import (
    LONGEST_TEXT,
    LONGEST_TEXTS,
    MOST_FILES,
    LeftDirectory,
    LeftFile,
    Listing,
)


class LeftScan:
    """Scans directories, one after the other. `limit`: most bytes of files to read, the smallest first.

    `began_ns`: when the trace began, in ns since 1970.
    """

    def __init__(self, limit: int, began_ns: int = 0) -> None:
        self._left, self._texts = limit, LONGEST_TEXTS
        self._began_ns = began_ns
        self.has_limited = False  #: whether a directory has more changed files than are looked at

    def directory(
        self,
        path: str,
        files: Iterable[WorkspaceFile],
        known: Mapping[str, int],
        *,
        unknown: Collection[str] = (),
        wanted: Collection[str] = (),
        listing: Listing = "all",
        goes_on: Callable[[], bool] = lambda: True,
    ) -> LeftDirectory | None:
        """Return what may have changed in a directory, and the `wanted` files; None if that is too much.

        `path`: without links. `files`: those that exist; `known`: those that existed, with the time of their
        change in ns since 1970. Files rewritten with the same content are included. Also None if `goes_on`
        returns False, and if the directory is gone. `has_limited` tells whether it was too much.
        """
        touched = [file for file in files if known.get(file.name) != file.changed_ns or file.name in wanted]
        touched = [file for file in touched if is_listed(file.name)]
        gone = [name for name in known if is_listed(name) and not os.path.lexists(os.path.join(path, name))]
        if max(len(touched), len(gone), len(unknown)) > MOST_FILES:
            self.has_limited = True
            return None
        found: dict[str, LeftFile] = {}
        unread = {name for name in unknown if is_listed(name)}
        for file in sorted(touched, key=lambda each: (each.size, each.name)):
            if not goes_on():
                return None
            if file.name not in unread:
                content = self._content(path, file)
                if content is not None:
                    found[file.name] = content
                elif not os.path.islink(os.path.join(path, file.name)):
                    unread.add(file.name)
        if not os.path.isdir(path):
            return None
        return LeftDirectory(found, frozenset(gone) - unread, frozenset(unread), listing)

    def _content(self, path: str, file: WorkspaceFile) -> LeftFile | None:
        """Return a plain file; None if it is gone, a link, too large, or was written meanwhile."""
        copy = copied(path, file.name, self._left)
        if copy is None or copy.link is not None:
            return None
        self._left -= len(copy.content)
        made = left_file(copy.content, copy.changed_ns - self._began_ns if self._began_ns else None)
        if made.text is not None:
            if made.size > self._texts:
                return left_file(copy.content, made.t_ns, longest=-1)
            self._texts -= made.size
        return made


def left_file(content: bytes, t_ns: int | None = None, longest: int = LONGEST_TEXT) -> LeftFile:
    """Return a file with this content. `longest`: bytes up to which a text is kept."""
    digest = hashlib.sha256(content).hexdigest()
    text = None
    if b"\0" not in content:
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode()
    kept = text if len(content) <= longest else None
    return LeftFile(len(content), digest, text is not None, kept, t_ns)
