"""Which directory ids are looked up in, and that it is up to date."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from acp_trace.store.sweep import sweep
from acp_trace.trace.home import Home

#: What functions take as `home`; None: where the commands look (`ACP_TRACE_HOME`).
HomePath = Home | str | PathLike[str] | None


def home_of(home: HomePath) -> Home:
    """The home that is meant; nothing in it is touched. Raises OSError if the environment names none."""
    if isinstance(home, Home):
        return home
    return Home.find() if home is None else Home(Path(home).expanduser().absolute())


def swept_home(home: HomePath) -> Home:
    """The same, after what waits in its spool was loaded. Raises StoreError, and OSError as `home_of`."""
    found = home_of(home)
    sweep(found)
    return found
