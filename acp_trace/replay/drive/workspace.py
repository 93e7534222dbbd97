"""Requests for files, served from a folder and from nowhere else (`--unmatched workspace`).

Links are followed before it is decided whether a path lies inside (issue 5, Security).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

_LONGEST = 16 << 20  #: bytes of a file that is read


class Workspace:
    """The folders of a live run, as a client would serve them."""

    def __init__(self, folders: list[str]) -> None:
        self._roots = [Path(one).resolve() for one in folders]

    def serve(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The result of a request; None where it is another one, lies outside, or fails."""
        path = self._inside(params.get("path"))
        if path is None:
            return None
        try:
            if method == "fs/read_text_file":
                return self._read(path, params)
            if method == "fs/write_text_file" and isinstance(params.get("content"), str):
                path.write_text(params["content"], encoding="utf-8", newline="")
                return {}
        except (OSError, ValueError):
            return None
        return None

    def _inside(self, named: object) -> Path | None:
        if not isinstance(named, str) or "\0" in named:
            return None
        try:
            path = Path(named).resolve()
        except (OSError, RuntimeError):
            return None
        return path if any(path.is_relative_to(root) for root in self._roots) else None

    def _read(self, path: Path, params: dict[str, Any]) -> dict[str, Any] | None:
        if not path.is_file() or path.stat().st_size > _LONGEST:
            return None
        text = path.read_bytes().decode("utf-8")
        line, limit = (params.get(key) for key in ("line", "limit"))
        if isinstance(line, int) or isinstance(limit, int):
            first = max(line, 1) - 1 if isinstance(line, int) else 0
            lines = text.splitlines(keepends=True)[first:]
            text = "".join(lines[: max(limit, 0)] if isinstance(limit, int) else lines)
        return {"content": text}
