"""Files of a bucket, as a file system that DuckDB reads from: ranges of bytes, when they are needed.

DuckDB's wheel has no reader of buckets, and fetches none here. It takes any file system of fsspec instead, so
this is one, over the place as it was opened: with its access, its retries and its errors.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fsspec import AbstractFileSystem

from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.team.lake.ranges import ObjectFile

PROTOCOL = "acp-trace-place"
_BUFFER = 64 << 10


class LakeFiles(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """The files that a commit names. `problem`: the first error of the place, which DuckDB reports badly.

    `read`: how many bytes of which file were read.
    """

    protocol = PROTOCOL
    cachable = False

    def __init__(self, place: SharedPlace, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self._place = place
        self._sizes = sizes
        self.problem: PlaceError | None = None
        self.read: dict[str, int] = {}

    def url(self, name: str) -> str:
        """What a file is called in SQL."""
        return f"{PROTOCOL}://{name}"

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """A commit's entry for a file. Raises FileNotFoundError for all other files."""
        name = self._strip_protocol(path)
        if name not in self._sizes:
            raise FileNotFoundError(name)
        return {"name": name, "size": self._sizes[name], "type": "file"}

    def modified(self, path: str) -> datetime:  # noqa: ARG002
        """Always the same: files are never changed."""
        return datetime.fromtimestamp(0, UTC)

    def glob(self, path: str, **_: Any) -> list[str]:
        """Return the name itself."""
        return [path]

    def _open(self, path: str, mode: str = "rb", **_: Any) -> io.BufferedReader:
        if mode != "rb":
            raise PermissionError("the tables of a place are only read")
        return io.BufferedReader(ObjectFile(partial(self.part, path), self.info(path)["size"]), _BUFFER)

    def part(self, name: str, start: int, end: int) -> bytes:
        """Some bytes of a file. Raises PlaceError."""
        try:
            data = self._place.part(name, start, end)
        except PlaceError as error:
            self.problem = self.problem or error
            raise
        self.read[name] = self.read.get(name, 0) + len(data)
        return data
