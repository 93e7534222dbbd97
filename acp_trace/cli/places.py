"""What the commands of a place share: the DEST argument, opening it, what goes wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.bucket.fetched import FetchedSource
    from acp_trace.bucket.objects import SharedPlace

_LAST = re.compile(r"last(?:~(\d{1,9}))?")

Destination = Annotated[
    str,
    typer.Argument(metavar="DEST", help="A directory, or the URL of one: file://, s3://, gs:// or az://."),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="DEST", help="In this place instead: a directory, s3://, gs:// or az://."),
]


def url_of(text: str) -> str:
    """The URL of a place. Ends with exit code 2 for what names none."""
    from acp_trace.bucket.address import BadAddress, url_of

    try:
        return url_of(text, os.getcwd())
    except BadAddress as error:
        fail(str(error), USAGE)


@contextmanager
def opened(text: str, *, make: bool = False) -> Iterator[SharedPlace]:
    """A place. Ends with exit code 3 where it fails, and with 2 without the packages."""
    from acp_trace.bucket.objects import SharedPlace

    url = url_of(text)
    with telling(text):
        yield SharedPlace(url, make=make)


@contextmanager
def telling(text: str) -> Iterator[None]:
    """Ends with exit code 3 where a place fails, or has a trace not, and with 2 without the packages."""
    from acp_trace.bucket.objects import LackingPackages, PlaceError
    from acp_trace.bucket.pull import NotInPlace
    from acp_trace.trace.near_misses import did_you_mean

    try:
        yield
    except LackingPackages as error:
        fail(str(error), USAGE)
    except PlaceError as error:
        fail(str(error), UNREADABLE)
    except NotInPlace as error:
        fail(f"{error}{did_you_mean(error.candidates) or f'; see `acp-trace ls --at {text}`'}", UNREADABLE)


def addresses(dest: str, traces: list[str]) -> list[str]:
    """The addresses of traces of a place: of ids, and of `last` and `last~2`, as the place has them now.

    Ends with exit code 2 for what may be no id, with 3 for a place without traces.
    """
    url = url_of(dest)
    named: list[str] = []
    with opened(dest) as place:
        for text in traces:
            if text == "-" or "/" in text or os.sep in text:
                raise Misuse("with --at, a trace is an id, `last` or `last~2`")
            named.append(
                f"{url}/{_newest(place, int(last[1] or 0)) if (last := _LAST.fullmatch(text)) else text}"
            )
    return named


def _newest(place: SharedPlace, number: int) -> str:
    """The id of the newest trace of a place, or of the one so many before. Ends with 3 if there is none."""
    from acp_trace.bucket.pull import kept_in

    traces = kept_in(place)
    if number >= len(traces):
        fail(f"{place.url} has {len(traces) or 'no'} trace{'' if len(traces) == 1 else 's'}", UNREADABLE)
    return traces[number].id


def fetched(address: str) -> FetchedSource:
    """The trace that `s3://bucket/team/7f3a9c` names.

    Ends with exit code 2 for what names none, with 3 if the place has it not.
    """
    from acp_trace.bucket.address import BadAddress
    from acp_trace.bucket.fetched import FetchedSource

    try:
        with telling(address.rpartition("/")[0]):
            return FetchedSource(address)
    except BadAddress as error:
        fail(str(error), USAGE)
