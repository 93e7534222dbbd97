"""Which trace a tool call means, opened. What waits in the spool is loaded first, as for every command."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from acp_trace.mcp_server.tool import CallRefused
from acp_trace.places.address import trace_at, url_of
from acp_trace.report.safe import safe
from acp_trace.store.catalog import is_path, resolve
from acp_trace.store.sources import Source
from acp_trace.store.sweep import sweep
from acp_trace.trace.home import Home

#: The URLs of the places that the server may read: those that it was started with, and no other.
_places: tuple[str, ...] = ()


def allow(places: Sequence[str]) -> None:
    """From now on, traces of these places are opened, and of no other.

    What an agent asks for may be the idea of what it has read: the name of a stranger's bucket could carry
    that away.
    """
    global _places  # noqa: PLW0603  (of the process of a call, which gets it again each time)
    _places = tuple(places)


@contextmanager
def opened(home: Home, name: str) -> Iterator[Source]:
    """The trace of this name. Raises CallRefused, and like `resolve`.

    Only regular files are opened: a pipe has no end, and standard input is the connection to the client.
    """
    name = os.path.expanduser(name) if name.startswith("~/") else name
    if name == "-":
        raise CallRefused("standard input is the connection to the MCP client: name a file, an id or `last`")
    if "://" in name:
        with closing(_fetched(name)) as source:
            yield source
        return
    if is_path(name):
        if not stat.S_ISREG(Path(name).stat().st_mode):
            raise CallRefused(f"{safe(name)} is not a regular file")
    else:
        sweep(home)
    with closing(resolve(home, name)) as source:
        yield source


def _fetched(address: str) -> Source:
    named = trace_at(address)
    if named is None or url_of(named[0], "/") not in _places:
        which = f"of {', '.join(_places)}" if _places else "of no place: `acp-trace mcp --at DEST` adds one"
        raise CallRefused(f"{safe(address)} cannot be read: this server reads traces {which}")
    from acp_trace.places.fetched import FetchedSource  # which needs packages that others do not

    return FetchedSource(address)


def name_of(home: Home, source: Source) -> str:
    """What names this trace in the next call: its id, or its file; of a file in the spool, its id."""
    path = Path(source.name)
    return path.stem if path.parent == home.spool else source.name
