"""Which paths `record --out` may name, and the directory that they need.

Imports nothing slow: it is called before the agent starts.
"""

from __future__ import annotations

import os
import stat

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISBLK, "a disk"),
)


def refused(path: str | os.PathLike[str], *, links: bool = False) -> str | None:
    """Return what the path is, if no trace can be recorded into it; None if it is usable or does not exist.

    A pipe would stop the traffic as soon as its reader stops. Character devices, such as /dev/null, are
    usable, even through a link. Any other link is refused: nothing is written through it, and it may belong
    to the system (`/dev/stderr` leads to the file that standard error is). `links`: accept a link, because it
    appeared after the recording had begun; it is then kept under a number like any file. `-` is not a file
    here: standard output carries the protocol.
    """
    if (name := os.fspath(path)) == "-":
        return "standard output, which carries the protocol"
    if name.endswith(("/", os.sep)):
        return "a folder"
    try:
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
        mode = os.stat(path).st_mode
    except OSError:  # the recorder will report worse problems
        return "a link that leads nowhere" if not links and os.path.islink(path) else None
    if is_link and not links and stat.S_ISREG(mode):
        return "a link"
    if stat.S_ISCHR(mode) and _is_terminal(path):
        return "a terminal"
    return next((what for is_one, what in _KINDS if is_one(mode)), None)


def obstacle(path: str | os.PathLike[str]) -> str | None:
    """Make the directory that the file needs; return why no file can be made there, or None.

    A problem before the agent starts is a mistake on the command line. A later problem with the directory is
    a loss, and the traffic goes on.
    """
    try:
        if stat.S_ISCHR(os.stat(path).st_mode):
            return None
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # a name that is too long, a directory without search permission
        return error.strerror
    directory = os.path.dirname(path) or os.curdir
    try:
        os.makedirs(directory, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return f"{_in_the_way(os.fspath(directory))} is not a directory"
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return None if os.access(directory, os.W_OK | os.X_OK) else f"{os.fspath(directory)} is not writable"


def _in_the_way(directory: str) -> str:
    """Return what is in the place of a directory, or of a parent."""
    while not os.path.lexists(directory) and (above := os.path.dirname(directory)) not in ("", directory):
        directory = above
    return directory


def _is_terminal(path: str | os.PathLike[str]) -> bool:
    """Whether a device is a terminal: output that is not read there would stop the traffic."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    except OSError:
        return False
    try:
        return os.isatty(fd)
    finally:
        os.close(fd)
