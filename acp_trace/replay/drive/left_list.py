"""The list of the files at the end of a recording, as in its workspace snapshot: written and read.

docs/trace-format.md, "Workspace snapshots". A list may come from anyone: one value that no recorder writes
makes the whole list invalid. Names are only compared with other names; no file is opened by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from acp_trace.replay.drive.member_names import is_inside, is_usable
from acp_trace.replay.drive.secret_files import is_likely_secret
from acp_trace.replay.left_files import LISTINGS, MOST_FILES, LeftDirectory, LeftFile

#: Where texts of the end are in the archive: `end/0/a.txt`. Older readers skip them.
TEXTS = "end/"
_MOST_DIRECTORIES = 1000
#: Most characters of a path, and bytes of a name in it, that are written: most systems allow no more.
_LONGEST, _LONGEST_NAME = 1024, 255
_LARGEST = 1 << 62
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class _Invalid(ValueError):
    """A list that no recorder writes."""


def is_listed(name: str) -> bool:
    """Return whether a list may have a file of this name: it can be shown, and is not a likely secret."""
    return (
        len(name) <= _LONGEST
        and name.isprintable()
        and PurePosixPath(name).as_posix() == name
        and is_inside(name)
        and is_usable(name)
        and all(len(part.encode()) <= _LONGEST_NAME for part in PurePosixPath(name).parts)
        and not is_likely_secret(name)
    )


def written(directories: Mapping[int, LeftDirectory]) -> list[dict[str, Any]]:
    """Return the list in its JSON form, without the texts."""
    return [
        {
            "directory": number,
            "listing": left.listing,
            "files": [
                {
                    "name": name,
                    "size": file.size,
                    "sha256": file.digest,
                    "text": file.is_text,
                    **({} if file.t_ns is None else {"t": file.t_ns}),
                }
                for name, file in left.files.items()
            ],
            "deleted": sorted(left.deleted),
            "unknown": sorted(left.unknown),
        }
        for number, left in directories.items()
    ]


def read(value: object) -> dict[int, LeftDirectory] | None:
    """Return the directories of a decoded list, by number; None if a recorder would not write it."""
    try:
        left: dict[int, LeftDirectory] = {}
        for each in _list(value, _MOST_DIRECTORIES):
            number = _integer(each.get("directory"), _MOST_DIRECTORIES)
            if number in left:
                raise _Invalid
            left[number] = _directory(each)
    except _Invalid:
        return None
    return left


def _directory(value: dict[str, Any]) -> LeftDirectory:
    if value.get("listing") not in LISTINGS:
        raise _Invalid
    files = {_name(each.get("name")): _file(each) for each in _list(value.get("files"), MOST_FILES)}
    deleted, unknown = (frozenset(map(_name, _texts(value.get(key)))) for key in ("deleted", "unknown"))
    counts = map(len, (value["files"], value["deleted"], value["unknown"]))
    if len({*files, *deleted, *unknown}) != sum(counts):  # a name occurs twice
        raise _Invalid
    return LeftDirectory(files, deleted, unknown, value["listing"])


def _file(value: dict[str, Any]) -> LeftFile:
    digest, is_text = value.get("sha256"), value.get("text")
    if not isinstance(digest, str) or _DIGEST.fullmatch(digest) is None or not isinstance(is_text, bool):
        raise _Invalid
    t_ns = _integer(value["t"], _LARGEST, -_LARGEST) if "t" in value else None
    return LeftFile(_integer(value.get("size"), _LARGEST), digest, is_text, t_ns=t_ns)


def _name(value: object) -> str:
    if not isinstance(value, str) or not is_listed(value):
        raise _Invalid
    return value


def _integer(value: object, most: int, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < most:
        raise _Invalid
    return value


def _list(value: object, most: int) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > most or not all(isinstance(each, dict) for each in value):
        raise _Invalid
    return value


def _texts(value: object) -> Iterable[object]:
    if not isinstance(value, list) or len(value) > MOST_FILES:
        raise _Invalid
    return value
