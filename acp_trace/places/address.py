"""Addresses of places, as people type them. No place is asked; of a directory only whether it is one.

The schemes are those that a package takes (`opening`), `file` for a directory.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, urlsplit

from acp_trace.places import layout
from acp_trace.places.opening import schemes

#: `s3:/traces` would be a directory: a slash was forgotten. Anyone who means a directory writes `./s3:`.
_MISTYPED = re.compile(r"([a-z][a-z0-9+.-]+):(?!//)", re.IGNORECASE)
#: Control characters, and bytes that are not UTF-8: no object's name has them.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class BadAddress(ValueError):
    """What names no place. The message is one line, and says what would."""


def is_address(text: str) -> bool:
    """Whether it begins as the address of a place does: a directory alone does not."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and scheme in schemes()


def url_of(text: str, directory: str) -> str:
    """The URL of a place, without a slash at its end. `directory`: where relative paths begin.

    Raises BadAddress for another scheme, for one without a bucket, and for one that holds a password: what
    gives access belongs into the environment.
    """
    if not text:
        raise BadAddress(f"no place was named: give {_known()}")
    if _UNPRINTABLE.search(text):
        raise BadAddress(
            "the name of the place contains a line break, or another character that no place accepts"
        )
    scheme, separator, rest = text.partition("://")
    if (mistyped := _MISTYPED.match(text)) is not None and mistyped[1].lower() in schemes():
        begins = f"{mistyped[1].lower()}://{'/' * (mistyped[1].lower() == 'file')}"
        raise BadAddress(f"{text} is mistyped: an address begins with {begins}")
    if not separator:
        if text == "~" or text.startswith("~/"):
            raise BadAddress("~ is not expanded here: write the whole path, or ~ without quotes")
        path = os.path.normpath(os.path.join(directory, text))
        return f"file://{quote(path)}".rstrip("/")
    if scheme not in schemes():
        raise BadAddress(f"{scheme}:// is not known: give {_known()}")
    parts = urlsplit(text)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadAddress(
            "an address must not contain a user, a password or options: they belong in the environment"
        )
    if scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise BadAddress("a file:// address has three slashes and a whole path: file:///mnt/team")
    if scheme != "file" and not parts.netloc:
        raise BadAddress(f"{scheme}:// needs the name of a bucket: {scheme}://traces/team")
    address = f"{scheme}://{rest.rstrip('/')}"
    if scheme != "file" and "//" in rest.rstrip("/"):
        named = f"{scheme}://{re.sub('/+', '/', rest).rstrip('/')}"
        raise BadAddress(f"{address} has a part without a name: write {named}")
    return address


def _known() -> str:
    *some, last = (f"{scheme}://" for scheme in schemes())
    return f"a directory, or {', '.join(some)} or {last}"


def trace_at(text: str) -> tuple[str, str] | None:
    """The place and the trace that `s3://bucket/team/7f3a9c` names; None if it is not such an address."""
    if not is_address(text):
        return None
    place, slash, trace = text.rstrip("/").rpartition("/")
    return (place, trace) if slash and trace and "://" in place and not place.endswith("/") else None


def address_of(text: str) -> str | None:
    """The address of a trace that is meant: `s3://…/ID`, or `DIR/ID` of a directory that is a place.

    None for files, also for those that are not there, and for all that may be an id. Raises BadAddress.
    """
    if "://" in text:
        return text
    directory, _, trace = text.rpartition("/")
    if not directory or not trace or os.path.lexists(text):
        return None
    if not os.path.isfile(os.path.join(directory, layout.MARKER)):
        return None
    return f"{url_of(directory, os.getcwd())}/{trace}"
