"""A directory for each build, in the home directory, used only when complete.

It is filled in place, because Python programs contain the name of their own directory. Its marker is written
last, by a rename: a build without a marker was interrupted, and is removed and filled again. A lock keeps two
processes from filling the same directory. The installers decide what goes into it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from acp_trace.builds.tools import Cancelled, Unavailable
from acp_trace.system.files import CLOEXEC
from acp_trace.trace import lock, whole_files
from acp_trace.trace.names import make_private
from acp_trace.trace.os_errors import reason

_MARKER = "build.json"
#: Below the home directory.
DIRECTORY = "builds"
_LOOK_S = 0.2


def place(home: Path, *names: str) -> Path:
    """The directory of a build. `names`: any texts, each of which becomes the name of one directory."""
    return home.joinpath(DIRECTORY, *(_file_name(name) for name in names))


def made(directory: Path, stop: threading.Event, make: Callable[[Path], Mapping[str, Any]]) -> dict[str, Any]:
    """Return the note about a build, which is then in its directory. `make` fills it, unless it is filled.

    Raises what `make` raises, Unavailable and Cancelled.
    """
    if (noted := marker(directory)) is not None:
        return noted
    try:
        make_private(str(directory.parent))
        with _alone(directory, stop):
            if (noted := marker(directory)) is not None:
                return noted
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            try:
                noted = dict(make(directory))
                whole_files.put(directory / _MARKER, [json.dumps(noted).encode()], private=True)
            except BaseException:
                shutil.rmtree(directory, ignore_errors=True)
                raise
    except OSError as error:
        raise Unavailable(f"{directory}: {reason(error)}") from None
    return noted


def marker(directory: Path) -> dict[str, Any] | None:
    """Return the notes of a complete build; None if the build is not complete."""
    try:
        noted = json.loads((directory / _MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return noted if isinstance(noted, dict) else None


@contextmanager
def _alone(directory: Path, stop: threading.Event) -> Iterator[None]:
    """Holds the lock of a directory, once no other process fills it. Raises Cancelled and OSError."""
    fd = os.open(directory.with_name(f"{directory.name}.lock"), os.O_RDWR | os.O_CREAT | CLOEXEC, 0o600)
    try:
        while True:
            with contextlib.suppress(BlockingIOError):
                lock.hold(fd)
                break
            if stop.wait(_LOOK_S):
                raise Cancelled
        yield
    finally:
        os.close(fd)


def _file_name(name: str) -> str:
    """A text as the name of one directory: no slash, no dot at its beginning."""
    text = quote(name, safe="@+,=!~ ").replace(" ", "_")
    return f"%2E{text[1:]}" if text.startswith(".") else text or "%"
