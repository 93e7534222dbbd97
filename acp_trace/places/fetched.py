"""A trace of a place, to look at as at a file: fetched when it is opened, gone when it is closed."""

from __future__ import annotations

import os
import shlex
import tempfile

from acp_trace.places import pull
from acp_trace.places.address import BadAddress, trace_at, url_of
from acp_trace.places.opening import open_place
from acp_trace.places.place import NoPlace, PlaceError
from acp_trace.store.sources import FileSource
from acp_trace.trace.files import Lines
from acp_trace.trace.scratch import naming_directory


class FetchedSource(FileSource):
    """The trace that `s3://traces/team/7f3a9c` names: an id, or a unique beginning or end of one.

    Raises BadAddress for what names none, NotInPlace if the place does not have it, and PlaceError if the
    place fails, is none, or needs packages that are not installed.
    """

    def __init__(self, address: str) -> None:
        named = trace_at(address)
        if named is None:
            raise BadAddress(f"{address} is not a trace in a place: {url_of(address, os.getcwd())}/ID")
        url = url_of(named[0], os.getcwd())
        try:
            place = open_place(url)
        except NoPlace:
            _tell_of_place(url_of(address, os.getcwd()))
            raise
        kept = pull.find(place, named[1])
        file = tempfile.TemporaryFile()
        try:
            with naming_directory():
                file.writelines(pull.lines(place, kept))
                file.seek(0)
        except BaseException:
            file.close()
            raise
        self._begin(kept.id, Lines(file))


def _tell_of_place(url: str) -> None:
    """Raises BadAddress if this is a place itself, and not a trace of one."""
    try:
        open_place(url)
    except PlaceError:
        return
    listed = f"see `acp-trace team ls {shlex.quote(url)}`"
    raise BadAddress(f"{url} is a place: name a trace of it, {url}/ID or {url}/last; {listed}")
