r"""Home folders: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`, learned where a trace says where it is.

NAME is taken from the agent's folder and arguments and from the folders of sessions. From then on it
goes in every form: with either slash, and as `-home-NAME` in the names that agents give to folders.
"""

from __future__ import annotations

import re

_FIRST = r"(?:/|\\{1,4})"
_SLASH = r"[\\/]{1,4}"
_DRIVE = rf"(?:[A-Za-z]:|{_FIRST}(?:mnt{_SLASH})?[a-z])(?={_SLASH}[Uu]sers)"  # Windows, WSL, MSYS
_ABOVE = rf"{_FIRST}(?:var|export)(?={_SLASH}home)"
_WSL = rf"{_FIRST}wsl[\w$.]*{_SLASH}[\w.-]+"
_PARENT = rf"(?:(?<![\\/])(?:{_DRIVE}|{_ABOVE}|{_WSL}))?{_FIRST}(?:home|[Uu]sers){_SLASH}"
#: Not in the middle of a path; but after the `\n` of JSON that stands in a string, and after `C%3A`.
_START = r"(?:(?<![\w.-])|(?<=\\[nrt])|(?<=%3[Aa]))"
#: In a path names have spaces; in an argument that may hold more than a path they end there.
_PATH = re.compile(rf"(?:file:{_SLASH})?{_PARENT}([^\\/:]+)")
_ARGUMENT = re.compile(rf"{_START}{_PARENT}([^\\/:\s\"'=,;]+)")
_NOBODY = frozenset({"linuxbrew", "public", "shared", "default", "all users"})


class Homes:
    """The names of the people whose home folders a trace names."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._folders: set[str] = set()  #: where agents and sessions are at work

    def folder(self, path: str) -> None:
        """Takes in a path that the agent or a session is at work in."""
        self._folders.add(path.rstrip("\\/"))
        if found := _PATH.match(path):
            self._add(found[1])

    def argument(self, argument: str) -> None:
        """Takes in an argument of the agent."""
        for found in _ARGUMENT.finditer(argument):
            self._add(found[1])

    def _add(self, name: str) -> None:
        if name.lower() not in _NOBODY and not name.startswith("<") and name not in self.names:
            self.names.append(name)

    def is_near(self, value: str) -> bool:
        """Whether a value is one of the folders, one above it, or something in it: told anyway."""
        value = value.rstrip("\\/")
        return any(
            value == folder or _below(value, folder) or _below(folder, value) for folder in self._folders
        )

    def pattern(self) -> str:
        """The regular expression of all of them; group `h1` is the first one's. Empty where there is none."""
        return "|".join(
            rf"(?P<h{number}>{_forms(re.escape(name))})" for number, name in enumerate(self.names, 1)
        )


def placeholder(group: str, found: str) -> str:
    """What stands in place of a home folder that a group of the pattern found."""
    made = "<home>" if group == "h1" else f"<home:{group[1:]}>"
    return f"-{made}" if found.startswith("-") else made


def _below(path: str, folder: str) -> bool:
    return bool(folder) and path.startswith(folder) and path[len(folder)] in "\\/"


def _forms(name: str) -> str:
    path = rf"{_START}{_PARENT}{name}(?![\w-]|\.\w)"
    slug = rf"(?<=[\\/])-(?:home|[Uu]sers)-{name}(?![^\W_])"
    return f"{path}|{slug}"
