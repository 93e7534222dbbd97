"""Builds that are given as commands: `NAME=COMMAND`, and files with a name, a tab and a command on each line.

Text in, names and words out. Nothing is run, and no shell reads a command.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

#: In a command or its arguments: the directory of the build.
PLACE = "{build}"


class BadBuild(ValueError):
    """A build that cannot be read. The message is one line."""


class NamedCommand(NamedTuple):
    """A build, and the words that start it."""

    name: str
    argv: tuple[str, ...]


def named(text: str) -> NamedCommand:
    """The build of `NAME=COMMAND`. Raises BadBuild."""
    name, equals, command = text.partition("=")
    if not equals or not name.strip():
        raise BadBuild(f"{text!r} is not NAME=COMMAND")
    return _command(name.strip(), command, text)


def in_file(text: str) -> list[NamedCommand]:
    """The builds of a file: one a line, oldest first. Raises BadBuild.

    Empty lines, and those that begin with `#`, do not count.
    """
    return list(_lines(text.splitlines()))


def distinct(builds: Sequence[NamedCommand]) -> list[NamedCommand]:
    """The same, if each has a name of its own. Raises BadBuild."""
    names = [build.name for build in builds]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadBuild(f"there are two builds named {twice!r}")
    return list(builds)


def in_place(argv: Iterable[str], directory: str) -> tuple[str, ...]:
    """The words with the build's directory in place of `{build}`."""
    return tuple(word.replace(PLACE, directory) for word in argv)


def _lines(lines: Iterable[str]) -> Iterator[NamedCommand]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, tab, command = line.partition("\t")
        if not tab or not name.strip():
            raise BadBuild(f"line {number} is not a name, a tab and a command")
        yield _command(name.strip(), command, f"line {number}")


def _command(name: str, command: str, where: str) -> NamedCommand:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadBuild(f"{where}: {error}") from None
    if not words:
        raise BadBuild(f"{where} has no command")
    return NamedCommand(name, tuple(words))
