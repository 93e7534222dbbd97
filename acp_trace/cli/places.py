"""What the commands of a place share: the DEST argument, opening it, errors."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.places.fetched import FetchedSource
    from acp_trace.places.place import SharedPlace

Destination = Annotated[
    str,
    typer.Argument(
        metavar="DEST", help="The place: a directory, or an address: file://, s3://, gs:// or az://."
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="DEST",
        help="Read traces from this place instead: a directory, s3://, gs:// or az://.",
    ),
]


OlderAt = Annotated[str | None, typer.Option("--at", metavar="DEST", hidden=True)]  #: `team …` today


def url_of(text: str) -> str:
    """The URL of a place. Ends with exit code 2 for what names none."""
    from acp_trace.places.address import BadAddress, url_of

    try:
        return url_of(text, os.getcwd())
    except BadAddress as error:
        fail(str(error), USAGE)


@contextmanager
def opened(text: str, *, make: bool = False) -> Iterator[SharedPlace]:
    """A place. Ends with exit code 3 if it fails, and with 2 without the packages."""
    from acp_trace.places.opening import open_place

    url = url_of(text)
    with telling(text):
        yield open_place(url, make=make)


@contextmanager
def telling(text: str) -> Iterator[None]:
    """Ends with exit code 3 where a place fails, or has a trace not, and with 2 without the packages."""
    from acp_trace.cli.unanswered import ended_by_signals
    from acp_trace.places.place import LackingPackages, PlaceError
    from acp_trace.places.pull import NotInPlace
    from acp_trace.trace.near_misses import did_you_mean

    try:
        with ended_by_signals():
            yield
    except LackingPackages as error:
        fail(str(error), USAGE)
    except PlaceError as error:
        fail(str(error), UNREADABLE)
    except NotInPlace as error:
        fail(f"{error}{did_you_mean(error.candidates) or f'; {_listed(text)}'}", UNREADABLE)


def addresses(dest: str, traces: list[str]) -> list[str]:
    """The addresses of a place's traces for ids, and for `last` and `last~2`, as the place has them now.

    Ends with exit code 2 for text that cannot be an id, with 3 if the place has too few.
    """
    from acp_trace.places.pull import find, is_last

    if any(text == "-" or "/" in text or os.sep in text for text in traces):
        raise Misuse("with --at, a trace is an id, `last` or `last~2`")
    with opened(dest) as place:
        return [f"{place.url}/{find(place, text).id if is_last(text) else text}" for text in traces]


def fetched(text: str) -> FetchedSource | None:
    """The trace that `s3://bucket/team/7f3a9c` names, or `/mnt/team/7f3a9c`; None if this is not an address.

    Ends with exit code 2 if the address names no trace, with 3 if the place lacks the trace.
    """
    from acp_trace.places.address import BadAddress, address_of

    try:
        address = address_of(text)
        if address is None:
            return None
        from acp_trace.places.fetched import FetchedSource  # which files do not need

        with telling(address.rpartition("/")[0]):
            return FetchedSource(address)
    except BadAddress as error:
        fail(str(error), USAGE)


def not_an_address(text: str, does: str) -> None:
    """Ends with exit code 2 for the address of a trace in a place; `does`: the command for it there."""
    from acp_trace.places.address import is_address

    if is_address(text):
        place, _, trace = text.rpartition("/")
        command = does.format(place=shlex.quote(place), trace=shlex.quote(trace))
        fail(f"{text} is in a shared place: use `acp-trace {command}`", USAGE)


def _listed(place: str) -> str:
    return f"see `acp-trace team ls {shlex.quote(place)}`"
