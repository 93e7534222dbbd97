"""Pieces of a recorded response -> the pieces that are served: as many, and equal but for what has moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


class Rewriting:
    """Puts what the run has in place of what the recording had. `directories`: the longest first."""

    def __init__(
        self, directories: Iterable[tuple[str, str]] = (), ids: Mapping[str, str] | None = None
    ) -> None:
        self._values = {was: now for was, now in (*directories, *(ids or {}).items()) if was != now}

    def __call__(self, pieces: Sequence[bytes]) -> list[bytes]:
        """As many pieces of a body, decoded; or as many messages of a WebSocket."""
        return [self._piece(piece) for piece in pieces]

    def _piece(self, data: bytes) -> bytes:
        for was, now in self._values.items():
            data = data.replace(was.encode(), now.encode())
        return data
