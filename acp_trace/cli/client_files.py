"""The configuration file of a client on disk: found, read, and replaced whole, with a copy of what it was."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.cli.errors import UNREADABLE, USAGE, fail

if TYPE_CHECKING:
    from acp_trace.clients.table import EditableClient

_BACKUP = ".before-acp-trace"


def client_named(name: str, choices: Sequence[str] | None = None) -> EditableClient:
    """The client of that name. Ends with exit code 2 for another, and says which there are.

    `choices`: those that the command can do something with, if not all.
    """
    from acp_trace.clients.table import CLIENTS
    from acp_trace.trace.near_misses import any_of, suggestion

    if name not in CLIENTS:
        known = choices or list(CLIENTS)
        hint = suggestion(name, known) or f": it can be {any_of(known)}"
        fail(f"there is no client {name}{hint}", USAGE)
    return CLIENTS[name]


def file_of(client: EditableClient, given: Path | None) -> Path:
    """Its configuration file, there or not: what a link leads to. Ends with exit code 2 if it has none."""
    if given is None and not client.files:
        fail(
            f"{client.title} does not name its agents in a file that can be edited: `acp-trace doctor "
            f"--client {client.name}` prints what to write",
            USAGE,
        )
    if given is None:
        given = place_of(client)
    if given is None:
        fail(f"the configuration file of {client.title} was not found: name it with --config", USAGE)
    return Path(os.path.realpath(given))


def place_of(client: EditableClient) -> Path | None:
    """Where its configuration file is on this machine, there or not; None if it has none."""
    from acp_trace.clients.table import config_file

    place = config_file(client, sys.platform, {**os.environ, "HOME": str(Path.home())})
    return None if place is None else Path(place)


def text_of(file: Path) -> str | None:
    """The file's text; None if there is no such file. Ends with exit code 3 if the file cannot be read."""
    from acp_trace.trace.os_errors import reason

    try:
        if file.exists() and not file.is_file():
            fail(f"{file} is not a regular file", UNREADABLE)
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        fail(f"{file}: {reason(error)}", UNREADABLE)
    except UnicodeDecodeError as error:
        fail(f"{file}: is not UTF-8 (byte {error.start})", UNREADABLE)


def replace(file: Path, text: str | None, *, keep: bool) -> Path | None:
    """Gives the file that text, or removes it for None: whole or not at all, and with its mode.

    `keep`: what it was is kept in a new file beside it, which is returned. Otherwise, copies of what it is
    then are removed, and None is returned. Raises OSError.
    """
    from acp_trace.trace.whole_files import put

    if text is None:
        _check_writable(file)
        file.unlink()
        return None
    is_new = not file.exists()
    if is_new:
        file.parent.mkdir(parents=True, exist_ok=True)
    else:
        _check_writable(file)
    backup = None if is_new or not keep else _copied(file)
    mode = None if is_new else stat.S_IMODE(file.stat().st_mode)
    put(file, [text.encode()], private=not is_new)
    if mode is not None:
        file.chmod(mode)
    if not keep:
        _remove_copies(file)
    return backup


def _check_writable(file: Path) -> None:
    """A directory that may be written does not make it right to replace a file that may not."""
    if not file.stat().st_mode & 0o222:
        raise PermissionError(13, "it is read-only: make it writable first", str(file))


def _remove_copies(file: Path) -> None:
    """Removes the copies of what the file is now: they keep nothing that it does not have."""
    now = file.read_bytes()
    for copy in file.parent.glob(f"{glob.escape(file.name)}{_BACKUP}*"):
        if copy.is_file() and copy.read_bytes() == now:
            copy.unlink()


def _copied(file: Path) -> Path:
    """A copy with a name of its own, with its mode and times."""
    from acp_trace.trace.whole_files import put

    number = 0
    while True:
        backup = file.with_name(f"{file.name}{_BACKUP}{f'.{number}' if number else ''}")
        try:
            put(backup, [file.read_bytes()], private=True, new=True)
        except FileExistsError:
            number += 1
            continue
        shutil.copystat(file, backup)
        return backup
