"""The objects of a place, through obstore: listed, read, put if they are absent, removed. None is changed.

The one module that talks to a place. What it raises is a PlaceError with one line, whatever the place is.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from acp_trace.bucket import endpoints, layout, profiles, reasons, walked
from acp_trace.trace.jsontext import object_in

if TYPE_CHECKING:
    from obstore.store import ObjectStore

#: What is said where the extra is not installed.
INSTALL = "a place for traces needs more packages: pip install 'acp-trace[team]'"
#: An endpoint without TLS is one that the environment names: a server of the team, or a test.
_CLIENT: Any = {"connect_timeout": "10s", "timeout": "300s", "allow_http": True}
_RETRIES: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=60)}
#: Of the first request, for the marker: a place that does not answer a small one is away.
_FIRST: Any = {**_CLIENT, "timeout": "15s"}
_PART = 1 << 20
#: Bytes of a marker, which has 23: anyone may have put a file of any length there.
_LONGEST_MARKER = 1 << 16


class PlaceError(Exception):
    """The place does not do what was asked of it: one line, with what to do if that is known."""


class AccessDenied(PlaceError):
    """The credentials do not allow it."""


class NoPlace(PlaceError):
    """There is no place at this address, and could be one."""


class LackingPackages(PlaceError):
    """The extra is not installed."""


class Object(NamedTuple):
    """What a list says of an object."""

    name: str
    size: int
    modified: datetime  #: when it was put


class SharedPlace:
    """A place that has been opened. Its methods can be called from several threads, and raise PlaceError."""

    def __init__(self, url: str, *, make: bool = False) -> None:
        """`make`: a directory that is not there is made, and a place that is none yet becomes one."""
        self.url = url
        self.is_new = False  #: whether it has become one just now
        with self._told():
            access = _access(url)
            self._objects = _opened(url, access, _FIRST, make=make)
        marked = self._marker()
        with self._told():
            self._objects = _opened(url, access, _CLIENT, make=make)
        if marked is None:
            if not make:
                makes = f"`acp-trace push {shlex.quote(url)}` makes one"
                raise NoPlace(f"{url} is not a place for traces: {makes}")
            if self.put(layout.MARKER, json.dumps({"acp_trace_place": layout.VERSION}).encode() + b"\n"):
                self.is_new = True
                return
            marked = self._marker() or b""  # another machine has put it meanwhile
        self._check(marked)

    def names(self, prefix: str, after: str = "") -> Iterator[Object]:
        """All objects whose names begin so (up to a slash), in no order; of these, those after a name."""
        import obstore

        with self._told():
            if (root := self.path_of("")) is not None:
                yield from (Object(*each) for each in walked.files(root, prefix) if each[0] > after)
                return
            for page in obstore.list(self._objects, prefix, offset=after or None):
                for each in page:
                    yield Object(each["path"], each["size"], each["last_modified"])

    def directories(self, prefix: str) -> list[str]:
        """The directories below a prefix (up to a slash): they are listed, and their objects are not."""
        import obstore

        with self._told():
            if (root := self.path_of("")) is not None:
                return walked.directories(root, prefix)
            return list(obstore.list_with_delimiter(self._objects, prefix)["common_prefixes"])

    def put(self, name: str, data: bytes | IO[bytes]) -> bool:
        """Puts an object, unless it is there; whether it was put. It appears whole or not at all."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        with self._told():
            self.check(name)
            try:
                obstore.put(self._objects, name, data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
        return True

    def remove(self, names: list[str]) -> None:
        """Removes objects. One that is not there any more is none the worse for it."""
        import obstore
        from obstore.exceptions import NotFoundError

        with self._told():
            for name in names:
                self.check(name)
                with contextlib.suppress(NotFoundError, FileNotFoundError):
                    obstore.delete(self._objects, name)

    def has(self, name: str) -> bool:
        """Whether an object is there."""
        import obstore
        from obstore.exceptions import NotFoundError

        with self._told():
            self.check(name)
            try:
                obstore.head(self._objects, name)
            except (NotFoundError, FileNotFoundError):
                return False
        return True

    def read(self, name: str) -> bytes | None:
        """A whole small object; None if it is not there."""
        pieces = self.pieces(name)
        return None if pieces is None else b"".join(pieces)

    def pieces(self, name: str) -> Iterator[bytes] | None:
        """An object, piece by piece; None if it is not there."""
        import obstore
        from obstore.exceptions import NotFoundError

        with self._told():
            self.check(name)
            try:
                found = obstore.get(self._objects, name)
            except (NotFoundError, FileNotFoundError) as error:
                if "NoSuchBucket" in str(error):
                    raise
                return None
        return self._pieces(found)

    def beginning(self, name: str, size: int) -> bytes:
        """The first bytes of an object; nothing if they may not be read, or it is not there or empty."""
        with contextlib.suppress(PlaceError):
            return self.part(name, 0, size)
        return b""

    def part(self, name: str, start: int, end: int) -> bytes:
        """The bytes of an object from `start` to before `end`."""
        import obstore

        with self._told():
            self.check(name)
            return bytes(obstore.get_range(self._objects, name, start=start, end=end))

    def path_of(self, name: str) -> Path | None:
        """The file that an object is, if the place is a directory."""
        if not self.url.startswith("file://"):
            return None
        return Path(unquote(urlsplit(self.url).path), name)

    def _pieces(self, found: Any) -> Iterator[bytes]:
        with self._told():
            for piece in found.stream(min_chunk_size=_PART):
                yield bytes(piece)

    def check(self, name: str) -> None:
        """Raises PlaceError for what must not be opened in a directory.

        That is a pipe or a device, because to read it might never end, and what a link leads out to.
        """
        if (root := self.path_of("")) is None:
            return
        with self._told():
            walked.check(root, name)
        with contextlib.suppress(OSError):
            mode = os.stat(root / name).st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise PlaceError(f"{self.url}: {name} is not a regular file: remove it")

    def _marker(self) -> bytes | None:
        """The marker, or the beginning of one that is too long; None if it is not there."""
        pieces = self.pieces(layout.MARKER)
        if pieces is None:
            return None
        marked = b""
        while len(marked) <= _LONGEST_MARKER and (piece := next(pieces, b"")):
            marked += piece
        return marked

    def _check(self, marked: bytes) -> None:
        document = object_in(marked) if len(marked) <= _LONGEST_MARKER else {}
        version = document.get("acp_trace_place")
        if not isinstance(version, int):
            raise PlaceError(f"{self.url}: {layout.MARKER} in it is not acp-trace's: use another place")
        if version != layout.VERSION:
            raise PlaceError(
                f"{self.url} has layout {version}, and this acp-trace knows {layout.VERSION}: update it"
            )

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What obstore says, in one line."""
        try:
            yield
        except ImportError as error:
            raise LackingPackages(INSTALL) from error
        except (PlaceError, MemoryError):
            raise
        except walked.LeadsOut as error:
            why = f"{error.name} is a link that leads out of the place: remove it, or use what it leads to"
            raise PlaceError(f"{self.url}: {why}") from None
        except Exception as error:
            # The errors of obstore have OSError, ValueError or a class of their own as their base.
            if type(error).__module__.partition(".")[0] != "obstore" and not isinstance(
                error, (OSError, ValueError)
            ):
                raise
            why = reasons.why(self.url, error)
            kind = AccessDenied if why.startswith(reasons.DENIES) else PlaceError
            raise kind(f"{self.url} {why}") from error


def _access(url: str) -> dict[str, Any]:
    """The options of a store that say who asks, if the environment alone does not. Raises PlaceError."""
    if not url.startswith("s3://"):
        return {}
    if (variable := endpoints.invalid()) is not None:
        raise PlaceError(f"{url}: {variable} is not an address with http:// or https:// before its name")
    try:
        profile = profiles.provider()
    except profiles.NoProfile as error:
        raise PlaceError(f"{url}: {error}") from error
    return {"credential_provider": profile} if profile else {}


def _opened(url: str, access: dict[str, Any], client: Any, *, make: bool) -> ObjectStore:
    from obstore.store import from_url

    if url.startswith("file://"):
        return from_url(url, mkdir=make)
    return from_url(url, client_options=client, retry_config=_RETRIES, **access)
