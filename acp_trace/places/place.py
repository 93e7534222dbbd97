"""What a place must provide, and its errors. docs/team.md, "Other places".

A place keeps objects: it lists them, reads them, puts one that is absent, and removes them. How the objects
are called and what they contain is not its business.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple, Protocol, runtime_checkable

#: The message if the extra is not installed.
INSTALL = "a place for traces needs more packages: pip install 'acp-trace[team]'"


class PlaceError(Exception):
    """The place did not do what it was asked to do: one line, with what to do if that is known."""


class AccessDenied(PlaceError):
    """The credentials do not allow it."""


class NoPlace(PlaceError):
    """The address has no place yet, but could have one."""


class LackingPackages(PlaceError):
    """The extra is not installed."""

    def __init__(self, line: str = INSTALL) -> None:
        super().__init__(line)


class Object(NamedTuple):
    """An object as a list shows it."""

    name: str
    size: int  #: in bytes
    modified: datetime  #: when it was put, with a zone


@runtime_checkable
class SharedPlace(Protocol):
    """A place that has been opened. A package that takes an address inherits from it (`opening`).

    Names are those of objects, with slashes: `traces/day=2026-11-20/…`. Methods are called from several
    threads, and raise PlaceError with one line. Those that are not abstract are made of the others; a place
    that can do better replaces them.
    """

    url: str  #: the address, without a slash at its end; `open_place` sets it
    is_new: bool = False  #: whether it has become a place just now; `open_place` sets it

    @abstractmethod
    def names(self, prefix: str, after: str = "") -> Iterator[Object]:
        """All objects whose names begin so (up to a slash), in no order; of these, those after a name."""

    @abstractmethod
    def put(self, name: str, data: bytes | IO[bytes]) -> bool:
        """Puts an object, unless it is there; whether it was put. It appears whole or not at all."""

    @abstractmethod
    def remove(self, names: list[str]) -> None:
        """Remove objects. An object that is already gone is not an error."""

    @abstractmethod
    def pieces(self, name: str) -> Iterator[bytes] | None:
        """An object, piece by piece; None if it is not there."""

    @abstractmethod
    def part(self, name: str, start: int, end: int) -> bytes:
        """The bytes of an object from `start` to before `end`."""

    def directories(self, prefix: str) -> list[str]:
        """The directories below a prefix (up to a slash), without what is in them."""
        below = (each.name.removeprefix(prefix).partition("/") for each in self.names(prefix))
        return sorted({f"{prefix}{first}" for first, slash, _ in below if slash})

    def has(self, name: str) -> bool:
        """Whether an object is there."""
        return self.pieces(name) is not None

    def read(self, name: str) -> bytes | None:
        """A whole small object; None if it is not there."""
        pieces = self.pieces(name)
        return None if pieces is None else b"".join(pieces)

    def beginning(self, name: str, size: int) -> bytes:
        """The first bytes of an object; nothing if they may not be read, or it is not there or empty."""
        with contextlib.suppress(PlaceError):
            return self.part(name, 0, size)
        return b""

    def path_of(self, name: str) -> Path | None:  # noqa: ARG002
        """The file that an object is, if the place is a directory that DuckDB may read by itself."""
        return None

    def check(self, name: str) -> None:
        """Raises PlaceError for what must not be opened, if the place is a directory."""
