r"""Paths of Windows, as texts: what they are, and which files are the same. Pure; the system is never asked.

A path of Windows is on a drive (`C:\a`, `c:/a`, `\\?\C:\a`) or on a share (`\\server\share\a`,
`//server/share/a`). Its names are separated by either slash and compared without case. WSL shows a drive as
`/mnt/c`, Git Bash as `/c`. Windows shows the files of WSL as a share, `\\wsl$\Ubuntu`, below which case
counts. All other paths are those of POSIX.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

_URI = re.compile(r"file:(?=/)")
_SHARE = re.compile(
    r"(?:[\\/]{2}[?.][\\/]unc[\\/]|\\\\|//)([^\\/?]+)[\\/]+([^\\/]+)(?=[\\/]|\Z)", re.IGNORECASE
)
_DRIVE = re.compile(r"(?:[\\/]{2}[?.][\\/]|/{0,3})([A-Za-z]):(?=[\\/]|\Z)")
_MOUNT = re.compile(r"/(?:mnt/|cygdrive/)?([A-Za-z])(?=/|\Z)")
_SLASHES = re.compile(r"[\\/]+")
_WSL = ("wsl$", "wsl.localhost")


class WindowsPath(NamedTuple):
    """A path on a drive (`C:`) or a share (`//server/share`), and the names below it."""

    root: str
    names: tuple[str, ...]

    @property
    def is_drive(self) -> bool:
        """Whether it is on a drive."""
        return self.root.endswith(":")

    @property
    def is_linux(self) -> bool:
        """Whether it is in the share with the files of WSL: case counts below that."""
        return self.root[2:].partition("/")[0].lower() in _WSL

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for all ways to write the same path."""
        root = self.root.lower()
        for name in _WSL:
            root = root.replace(f"//{name}/", f"//{_WSL[0]}/")
        names: list[str] = []
        for name in self.names:
            if name == "..":
                del names[-1:]
            elif name != ".":
                names.append(name if self.is_linux else name.lower())
        return root, *names


def read(path: str, *, mounts: bool = False) -> WindowsPath | None:
    """Return a path or file URI of Windows; None for other texts. `mounts`: also read `/mnt/c/a`, `/c/a`."""
    if path.startswith("file:"):
        path = unquote(_URI.sub("", path, count=1))
        path = path if _DRIVE.match(path) else path.replace("////", "//", 1)
    if match := _DRIVE.match(path):
        return WindowsPath(f"{match[1].upper()}:", _names(path[match.end() :]))
    if match := _SHARE.match(path):
        return WindowsPath(f"//{match[1]}/{match[2]}", _names(path[match.end() :]))
    if mounts and (match := _MOUNT.match(path)):
        return WindowsPath(f"{match[1].upper()}:", _names(path[match.end() :]))
    return None


def _names(rest: str) -> tuple[str, ...]:
    return tuple(name for name in _SLASHES.split(rest) if name)


def folded(text: str) -> str:
    """Return a text of the same length that is equal for paths that differ by case and slashes."""
    lowered = text.lower()
    return (lowered if len(lowered) == len(text) else text).replace("\\", "/")


def is_root(path: str) -> bool:
    r"""Whether a path is `/`, or a drive without a directory: `C:`, `c:/`, `\\?\C:\`. A share is not."""
    found = read(path)
    return not path.strip("/\\") if found is None else found.is_drive and not found.names


def spelt_root(directory: str) -> Iterator[str]:
    r"""Yield the ways to write a root: for `C:\`, also `c:\`, `C:/` and `c:/`."""
    found = read(directory)
    if directory:
        yield directory
    for letter in (found.root, found.root.lower()) if found is not None else ():
        yield from (f"{letter}\\", f"{letter}/")


def last_name(directory: str) -> str:
    """Return the last name of a directory; empty for a root."""
    return posixpath.basename(directory) if read(directory) is None else ntpath.basename(directory)


def key(directory: str) -> str | tuple[str, ...]:
    """Return a value that is equal for all ways to write a directory."""
    found = read(directory)
    return directory if found is None else found.key


def below(path: str, directory: str) -> str | None:
    r"""Return the rest of a path in a directory of Windows, with slashes of POSIX: `src/a.ts`.

    Empty for the directory itself. None if the path is elsewhere, or the directory is not one of Windows.
    """
    above = read(directory)
    if above is None:
        return None
    inner = read(path, mounts=above.is_drive)
    if inner is None:
        return None
    inner = inner._replace(names=_names(ntpath.normpath("\\".join(["", *inner.names]))))
    depth = len(above.key)
    return "/".join(inner.names[depth - 1 :]) if inner.key[:depth] == above.key else None


def uri(directory: str) -> str:
    r"""Return the file URI of a directory: `file:///C:/a%20b` for `C:\a b`, `file:///w` for `/w`."""
    found = read(directory)
    if found is None:
        return f"file://{quote(directory)}"
    inner = "".join(f"/{quote(name)}" for name in found.names)
    return f"file:///{found.root}{inner}" if found.is_drive else f"file:{quote(found.root)}{inner}"
