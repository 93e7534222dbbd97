"""Requests for files, served only from a directory.

With `--unmatched workspace`, requests are served that are not in the recording. A recorded request gets its
recorded answer; but a write is also carried out, because the agent may look at the file on the disk.

Links are followed before it is decided whether a path is inside, and not when it is opened: an agent may swap
a directory for a link meanwhile (`without_links`). Only plain files are kept open: a pipe or a device could
hold the replay for ever (docs/security.md, What a replay does).
"""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

from acp_trace.protocol import methods
from acp_trace.replay.files_named import below
from acp_trace.replay.timeouts import LONGEST_FILE
from acp_trace.trace import without_links
from acp_trace.trace.os_errors import reason


class Workspace:
    """The directories of a run, served as by a client."""

    METHODS: ClassVar = (methods.READ_FILE, methods.WRITE_FILE)

    def __init__(self, directories: list[str]) -> None:
        self._roots = [Path(directory).resolve() for directory in directories]

    def serve(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """Return the result of a request for a file: `{"content": "…"}` for a read, `{}` for a write.

        None if it is another request, its path is outside, or it fails.
        """
        path = self._inside(params.get("path"))
        if path is None:
            return None
        try:
            if method == methods.READ_FILE:
                return self._read(path, params)
            if method == methods.WRITE_FILE and isinstance(params.get("content"), str):
                return self._write(path, params["content"].encode())
        except (OSError, ValueError):
            return None
        return None

    def write(self, params: dict[str, Any]) -> str | None:
        """Write the file that a request names; return why that is not possible, None if it was written.

        `Is a directory`. Nothing is written outside; that needs no reason: `written-outside` reports it.
        """
        named, content = params.get("path"), params.get("content")
        path = self._inside(named)
        if path is None:
            leads_out = isinstance(named, str) and below(named, [str(root) for root in self._roots])
            return "it leads out of the run's directory" if leads_out else None
        if not isinstance(content, str):
            return "its content is not a text"
        try:
            self._write(path, content.encode())
        except (OSError, ValueError) as error:
            return reason(error)
        return None

    def _inside(self, named: object) -> Path | None:
        if not isinstance(named, str) or not os.path.isabs(named):  # the protocol has only absolute paths
            return None
        try:
            path = Path(named).resolve()
        except (OSError, RuntimeError, ValueError):  # too long, links in a circle, or a NUL
            return None
        return path if any(path.is_relative_to(root) for root in self._roots) else None

    def _read(self, path: Path, params: dict[str, Any]) -> dict[str, Any] | None:
        with open(without_links.plain_file(str(path), os.O_RDONLY), "rb") as file:
            read = file.read(LONGEST_FILE + 1)
        if len(read) > LONGEST_FILE:
            return None
        text = read.decode("utf-8")
        line, limit = (params.get(key) for key in ("line", "limit"))
        if isinstance(line, int) or isinstance(limit, int):
            first = max(line, 1) - 1 if isinstance(line, int) else 0
            lines = StringIO(text, newline="\n").readlines()[first:]  # lines end only at a newline
            text = "".join(lines[: max(limit, 0)] if isinstance(limit, int) else lines)
        return {"content": text}

    def _write(self, path: Path, content: bytes) -> dict[str, Any]:
        how = os.O_WRONLY | os.O_CREAT
        with open(without_links.plain_file(str(path), how, make=True), "wb") as file:  # as editors do
            file.truncate()
            file.write(content)
        return {}
