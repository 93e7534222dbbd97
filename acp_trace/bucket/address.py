"""Addresses of places, as people type them. Pure: nothing is opened, and no place is asked."""

from __future__ import annotations

import os
from urllib.parse import quote, urlsplit

#: What a place may be, as obstore names it.
SCHEMES = ("file", "s3", "gs", "az")
_KNOWN = "a directory, or file://, s3://, gs:// or az://"


class BadAddress(ValueError):
    """What names no place. The message is one line, and says what would."""


def is_address(text: str) -> bool:
    """Whether it begins as the address of a place does: a directory alone does not."""
    return text.partition("://")[0] in SCHEMES and "://" in text


def url_of(text: str, directory: str) -> str:
    """The URL of a place, without a slash at its end. `directory`: where relative paths begin.

    Raises BadAddress for another scheme, for one without a bucket, and for one that holds a password: what
    gives access belongs into the environment.
    """
    if not text:
        raise BadAddress(f"the place has no name: give {_KNOWN}")
    scheme, separator, rest = text.partition("://")
    if not separator:
        path = os.path.normpath(os.path.join(directory, text))
        return f"file://{quote(path)}".rstrip("/")
    if scheme not in SCHEMES:
        raise BadAddress(f"{scheme}:// is not known: give {_KNOWN}")
    parts = urlsplit(text)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadAddress(
            "an address has no user, no password and no options: they belong into the environment"
        )
    if scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise BadAddress("a file:// address has three slashes and a whole path: file:///mnt/team")
    if scheme != "file" and not parts.netloc:
        raise BadAddress(f"{scheme}:// needs the name of a bucket: {scheme}://traces/team")
    return f"{scheme}://{rest.rstrip('/')}"


def trace_at(text: str) -> tuple[str, str] | None:
    """The place and the trace that `s3://bucket/team/7f3a9c` names; None if it is no such address."""
    if not is_address(text):
        return None
    place, slash, trace = text.rstrip("/").rpartition("/")
    return (place, trace) if slash and trace and "://" in place and not place.endswith("/") else None
