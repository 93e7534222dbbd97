"""A place of another package: whatever that package raises becomes one PlaceError that names the package.

The place of this package needs no such care.
"""

# ruff: noqa: D102 (the methods are those of `place.SharedPlace`)

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from acp_trace.places.place import Object, PlaceError, SharedPlace


class ForeignPlace(SharedPlace):
    """A place that never raises anything but PlaceError, MemoryError and what Python itself needs to end.

    `package`: the name of the distribution, for messages. `url`: as in `open_place`.
    """

    def __init__(self, place: SharedPlace, package: str, url: str) -> None:
        self.url = place.url = url
        self._place = place
        self._package = package

    def names(self, prefix: str, after: str = "") -> Iterator[Object]:
        with self._reported():
            yield from self._place.names(prefix, after)

    def put(self, name: str, data: bytes | IO[bytes]) -> bool:
        with self._reported():
            return self._place.put(name, data)

    def remove(self, names: list[str]) -> None:
        with self._reported():
            self._place.remove(names)

    def pieces(self, name: str) -> Iterator[bytes] | None:
        with self._reported():
            pieces = self._place.pieces(name)
        return None if pieces is None else self._each(pieces)

    def _each(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        with self._reported():
            yield from pieces

    def part(self, name: str, start: int, end: int) -> bytes:
        with self._reported():
            return self._place.part(name, start, end)

    def directories(self, prefix: str) -> list[str]:
        with self._reported():
            return self._place.directories(prefix)

    def has(self, name: str) -> bool:
        with self._reported():
            return self._place.has(name)

    def read(self, name: str) -> bytes | None:
        with self._reported():
            return self._place.read(name)

    def beginning(self, name: str, size: int) -> bytes:
        with self._reported():
            return self._place.beginning(name, size)

    def path_of(self, name: str) -> Path | None:
        with self._reported():
            return self._place.path_of(name)

    def check(self, name: str) -> None:
        with self._reported():
            self._place.check(name)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (PlaceError, MemoryError, GeneratorExit):
            raise
        except (Exception, SystemExit) as error:
            raise failure(self.url, self._package, error) from error


def failure(url: str, package: str, error: BaseException) -> PlaceError:
    """Return the error for what a package raised: one line with the package, the type and the reason."""
    scheme = url.partition("://")[0]
    why = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}"
    return PlaceError(f"{url}: the package {package}, which handles {scheme}://, failed: {why}")
