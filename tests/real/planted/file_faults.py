"""Faults in what an agent leaves in its directories: the table. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from acp_trace.replay.left_files import LeftDirectory, LeftFile

LeftEdit = Callable[[Mapping[str, LeftFile]], dict[str, LeftFile]]


class FileFault(NamedTuple):
    """One fault; `codes` as those of a `Fault`. `edit`: the files that are left, from those of the recording."""

    name: str
    codes: str
    edit: LeftEdit
    left_out: str = ""

    def planted(self, left: LeftDirectory) -> LeftDirectory:
        """What a directory holds after it."""
        files = self.edit(left.files) if left.files else {}
        gone = left.files.keys() - files.keys()
        return replace(left, files=files, deleted=left.deleted | gone)


def _holding(text: str) -> Callable[[LeftFile], LeftFile]:
    content = text.encode()
    return lambda file: replace(file, size=len(content), digest=sha256(content).hexdigest(), text=text)


def _each(change: Callable[[LeftFile], LeftFile]) -> LeftEdit:
    return lambda files: {name: change(file) for name, file in files.items()}


def _named(change: Callable[[str], str]) -> LeftEdit:
    return lambda files: {change(name): file for name, file in files.items()}


FILE_FAULTS = [
    FileFault("files have different content", "file-differs", _each(_holding("planted\n"))),
    FileFault("files are empty", "file-differs", _each(_holding(""))),
    FileFault("files are missing", "file-missing", lambda _files: {}),
    FileFault("files have other names", "file-missing file-extra", _named(lambda name: f"planted-{name}")),
    FileFault("files are in another directory", "file-missing file-extra", _named(lambda name: f"planted/{name}")),
    FileFault("an additional file", "file-extra", lambda files: {**files, "planted.txt": _holding("planted\n")(next(iter(files.values())))}),
]  # fmt: skip
