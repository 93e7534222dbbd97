"""The objects of a directory or a bucket, through obstore: the place that this package brings.

The only module that talks to such a place. It raises every error as a PlaceError with one line; so does its
import if the extra `team` is not installed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from acp_trace.places import layout
from acp_trace.places.place import AccessDenied, LackingPackages, Object, PlaceError, SharedPlace
from acp_trace.team.bucket import endpoints, profiles, reasons, walked

try:
    import obstore
    from obstore.exceptions import AlreadyExistsError, NotFoundError
    from obstore.store import ObjectStore, from_url
except ImportError as error:
    raise LackingPackages from error

_GONE = NotFoundError, FileNotFoundError
#: An endpoint without TLS is one that the environment names: a server of the team, or a test.
_CLIENT: Any = {"connect_timeout": "10s", "timeout": "300s", "allow_http": True}
_RETRIES: Any = {"max_retries": 4, "retry_timeout": timedelta(seconds=60)}
#: For the marker, which is asked for first: a place that does not answer a small request is away.
_FIRST: Any = {**_CLIENT, "timeout": "15s"}
_PART = 1 << 20


class ObjectStorage(SharedPlace):
    """A directory, or a bucket of S3, Google Cloud or Azure."""

    def __init__(self, url: str, *, make: bool) -> None:
        """`make`: a directory that is not there is made."""
        self.url = url
        with self._errors_explained():
            access = _access(url)
            self._first = _opened(url, access, _FIRST, make=make)
            self._objects = _opened(url, access, _CLIENT, make=make)

    def names(self, prefix: str, after: str = "") -> Iterator[Object]:
        """All objects whose names begin so (up to a slash), in no order; of these, those after a name."""
        with self._errors_explained():
            if (root := self.path_of("")) is not None:
                yield from (Object(*each) for each in walked.files(root, prefix) if each[0] > after)
                return
            for page in obstore.list(self._objects, prefix, offset=after or None):
                for each in page:
                    yield Object(each["path"], each["size"], each["last_modified"])

    def directories(self, prefix: str) -> list[str]:
        """The directories below a prefix (up to a slash): they are listed, and their objects are not."""
        with self._errors_explained():
            if (root := self.path_of("")) is not None:
                return walked.directories(root, prefix)
            return list(obstore.list_with_delimiter(self._objects, prefix)["common_prefixes"])

    def put(self, name: str, data: bytes | IO[bytes]) -> bool:
        """Puts an object, unless it is there; whether it was put. It appears whole or not at all."""
        with self._errors_explained():
            self.check(name)
            try:
                obstore.put(self._objects, name, data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
        return True

    def remove(self, names: list[str]) -> None:
        """Remove objects. An object that is already gone is not an error."""
        with self._errors_explained():
            for name in names:
                self.check(name)
                with contextlib.suppress(*_GONE):
                    obstore.delete(self._objects, name)

    def has(self, name: str) -> bool:
        """Whether an object is there."""
        with self._errors_explained():
            self.check(name)
            try:
                obstore.head(self._objects, name)
            except _GONE:
                return False
        return True

    def pieces(self, name: str) -> Iterator[bytes] | None:
        """An object, piece by piece; None if it is not there."""
        with self._errors_explained():
            self.check(name)
            try:
                found = obstore.get(self._first if name == layout.MARKER else self._objects, name)
            except _GONE as error:
                if "NoSuchBucket" in str(error):
                    raise
                return None
        return self._pieces(found)

    def part(self, name: str, start: int, end: int) -> bytes:
        """The bytes of an object from `start` to before `end`."""
        with self._errors_explained():
            self.check(name)
            return bytes(obstore.get_range(self._objects, name, start=start, end=end))

    def path_of(self, name: str) -> Path | None:
        """The file that an object is, if the place is a directory."""
        if not self.url.startswith("file://"):
            return None
        return Path(unquote(urlsplit(self.url).path), name)

    def _pieces(self, found: Any) -> Iterator[bytes]:
        with self._errors_explained():
            for piece in found.stream(min_chunk_size=_PART):
                yield bytes(piece)

    def check(self, name: str) -> None:
        """Raises PlaceError for what must not be opened in a directory.

        That is a pipe or a device, because to read it might never end, and what a link leads out to.
        """
        if (root := self.path_of("")) is None:
            return
        with self._errors_explained():
            walked.check(root, name)
        with contextlib.suppress(OSError):
            mode = os.stat(root / name).st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise PlaceError(f"{self.url}: {name} is not a regular file: remove it")

    @contextlib.contextmanager
    def _errors_explained(self) -> Iterator[None]:
        """Return obstore's error in one line."""
        try:
            yield
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
        raise PlaceError(f"{url}: {variable} must be http://HOST or https://HOST")
    try:
        profile = profiles.provider()
    except profiles.NoProfile as error:
        raise PlaceError(f"{url}: {error}") from error
    return {"credential_provider": profile} if profile else {}


def _opened(url: str, access: dict[str, Any], client: Any, *, make: bool) -> ObjectStore:
    if url.startswith("file://"):
        return from_url(url, mkdir=make)
    return from_url(url, client_options=client, retry_config=_RETRIES, **access)
