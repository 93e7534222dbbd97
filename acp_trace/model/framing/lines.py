"""LineCutter out of pieces: without their ends, each as soon as it is complete."""

from __future__ import annotations

from collections.abc import Iterator


class LineCutter:
    """Cuts at line feeds; a carriage return before one belongs to it. A long line costs linear time."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are complete with these bytes."""
        *complete, rest = data.split(b"\n")
        for line in complete:
            yield b"".join([*self._begun, line]).removesuffix(b"\r")
            self._begun = []
        if rest:
            self._begun.append(rest)

    def end(self) -> bytes:
        """The last line, which nothing ended; empty if there is none."""
        rest, self._begun = b"".join(self._begun), []
        return rest.removesuffix(b"\r")
