"""What `record --out` may name, and the directory that it needs.

Imports nothing that takes time: it is asked before the agent starts.
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
    """What the path is, if no trace can be recorded into it; None for what is good, or not there.

    A pipe would stop the traffic as soon as its reader stops. Character devices, such as /dev/null, are good,
    also through a link. Any other link is not: nothing is written through it, and it may belong to the
    system (`/dev/stderr` leads to whatever file standard error is). `links`: it is let pass, because it
    came when the recording had begun; then it is kept under a number like any file. `-` is no file here:
    standard output carries the protocol.
    """
    if (name := os.fspath(path)) == "-":
        return "standard output, which carries the protocol"
    if name.endswith(("/", os.sep)):
        return "a folder"
    try:
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
        mode = os.stat(path).st_mode
    except OSError:  # the recorder will say, if it is worse than that
        return "a link that leads nowhere" if not links and os.path.islink(path) else None
    if is_link and not links and stat.S_ISREG(mode):
        return "a link"
    if stat.S_ISCHR(mode) and _is_terminal(path):
        return "a terminal"
    return next((what for is_one, what in _KINDS if is_one(mode)), None)


def obstacle(path: str | os.PathLike[str]) -> str | None:
    """Makes the directory that the file needs; why no file can be made there, None if one can.

    What is asked once, before the agent starts, is a mistake on the command line. What happens to the
    directory later is a loss, and the traffic goes on.
    """
    try:
        if stat.S_ISCHR(os.stat(path).st_mode):
            return None
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # a name that is too long, a directory that may not be searched
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
    """What is there in the place of a directory, or of one above it."""
    while not os.path.lexists(directory) and (above := os.path.dirname(directory)) not in ("", directory):
        directory = above
    return directory


def _is_terminal(path: str | os.PathLike[str]) -> bool:
    """Whether a device is one: what nobody reads there would stop the traffic."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    except OSError:
        return False
    try:
        return os.isatty(fd)
    finally:
        os.close(fd)
