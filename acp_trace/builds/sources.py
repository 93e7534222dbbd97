"""Where builds come from: their names in order, and the command of each once it is there.

A source knows how its builds are made ready, and says of each what tells it from all others (`identity`), so
that what was found of it can be kept. When that happens, and in which thread, is decided in `ahead`.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from acp_trace.builds import cached, checkouts, npm, pypi
from acp_trace.builds.command_lines import PLACE, NamedCommand, in_place
from acp_trace.builds.tools import NotInstallable
from acp_trace.builds.versions import Registry
from acp_trace.trace import near_misses

#: Called with the name of a build that takes time.
Say = Callable[[str], None]


class NoProgram(ValueError):
    """Which program of a package is the agent cannot be known. The message lists them."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A build that can be started. `scripts`: install scripts that did not run, in words."""

    argv: tuple[str, ...]
    scripts: Sequence[str] = ()


class BuildSource(Protocol):
    """Builds in their order."""

    @property
    def names(self) -> Sequence[str]:
        """What each is called, oldest first."""

    @property
    def is_fixed(self) -> bool:
        """Whether a name always means the same build: a published version, a commit."""

    @property
    def question(self) -> str:
        """What tells these builds from those of another package, whichever versions are asked for."""

    def identity(self, name: str) -> str:
        """What tells a build, and how it is started, from all others."""

    def ready(self, name: str, stop: threading.Event, say: Say) -> Ready:
        """Makes a build ready; `say` is called if that takes time.

        Raises NotInstallable, NoProgram, Unavailable and Cancelled.
        """


@dataclass(frozen=True, slots=True)
class Commands:
    """Builds that are there already. `arguments`: for each of them."""

    builds: Sequence[NamedCommand]
    arguments: Sequence[str] = ()
    is_fixed: bool = False

    @property
    def names(self) -> Sequence[str]:
        """The names that the user gave them."""
        return [build.name for build in self.builds]

    @property
    def question(self) -> str:
        """Their names and arguments: a command may change, and is still the same build to its user."""
        return repr(("commands", self.names, tuple(self.arguments)))

    def identity(self, name: str) -> str:
        """The command."""
        return repr(self._argv(name))

    def ready(self, name: str, stop: threading.Event, say: Say) -> Ready:  # noqa: ARG002
        """Nothing is to be done."""
        return Ready(self._argv(name))

    def _argv(self, name: str) -> tuple[str, ...]:
        build = next(build for build in self.builds if build.name == name)
        return (*build.argv, *self.arguments)


@dataclass(frozen=True, slots=True)
class Packages:
    """Published versions of a package. `bin`: its program; None: its only one.

    `arguments`: of the program; or the whole command, if `{build}` is in it. `scripts`: packages whose
    install scripts may run. `python`: for PyPI.
    """

    home: Path
    registry: Registry
    package: str
    versions: Sequence[str]
    arguments: Sequence[str] = ()
    bin: str | None = None
    scripts: Sequence[str] = ()
    python: str | None = None
    is_fixed: bool = True

    @property
    def names(self) -> Sequence[str]:
        """The versions."""
        return self.versions

    @property
    def question(self) -> str:
        """The package."""
        return repr((self.registry, self.package, self.bin, tuple(self.arguments)))

    def identity(self, name: str) -> str:
        """The package, the version and the command."""
        how = self.bin, tuple(self.arguments), tuple(sorted(self.scripts)), self.python
        return repr((self.registry, self.package, name, how))

    def ready(self, name: str, stop: threading.Event, say: Say) -> Ready:
        """Installs it, unless it is there."""
        of_scripts = [f"with {', '.join(sorted(self.scripts))}"] if self.scripts else []
        of_python = [_digest(self.python)] if self.python else []
        directory = cached.place(
            self.home, self.registry, self.package, " ".join([name, *of_scripts, *of_python])
        )
        noted = cached.made(directory, stop, partial(self._install, name, stop, say))
        scripts = [f"{each['package']} ({each['script']})" for each in noted.get("scripts", [])]
        if any(PLACE in word for word in self.arguments):
            return Ready(in_place(self.arguments, str(directory)), scripts)
        return Ready((self._program(noted.get("programs", {}), name), *self.arguments), scripts)

    def _install(self, version: str, stop: threading.Event, say: Say, directory: Path) -> Mapping[str, Any]:
        say(version)
        if self.registry == "npm":
            return npm.install(directory, self.package, version, self.scripts, stop)
        return pypi.install(directory, self.package, version, self.scripts, stop, self.python)

    def _program(self, programs: Mapping[str, str], version: str) -> str:
        if self.bin is not None and self.bin in programs:
            return programs[self.bin]
        listed = ", ".join(sorted(programs))
        if self.bin is not None:
            if not programs:
                raise NotInstallable(f"{self.package} {version} has no program {self.bin}")
            hint = near_misses.suggestion(self.bin, programs) or f"; it has {listed}"
            raise NotInstallable(f"{self.package} {version} has no program {self.bin}{hint}")
        if len(programs) == 1:
            return next(iter(programs.values()))
        if not programs:
            raise NoProgram(
                f"{self.package} {version} has no program: give the command after `--`, with {PLACE} for its "
                f"directory, such as `-- node {PLACE}/node_modules/{self.package}/…`"
            )
        raise NoProgram(f"{self.package} {version} has several programs: name one with --bin: {listed}")


@dataclass(frozen=True, slots=True)
class Checkouts:
    """Commits of a repository. `command`: builds one, in its checkout. `arguments`: the agent's command."""

    home: Path
    repository: Path
    commits: Sequence[str]
    arguments: Sequence[str]
    command: str | None = None
    is_fixed: bool = True

    @property
    def names(self) -> Sequence[str]:
        """The commits, shortened."""
        return [commit[: checkouts.SHORT] for commit in self.commits]

    @property
    def question(self) -> str:
        """The repository, and how it is built."""
        return repr((str(self.repository), self.command, tuple(self.arguments)))

    def identity(self, name: str) -> str:
        """The commit, how it is built, and the command."""
        return repr((str(self.repository), self._commit(name), self.command, tuple(self.arguments)))

    def ready(self, name: str, stop: threading.Event, say: Say) -> Ready:
        """Checks it out and builds it, unless that was done."""
        commit = self._commit(name)
        how = _digest(f"{os.path.realpath(self.repository)}\0{self.command}")
        directory = cached.place(self.home, "git", how, commit)
        make: Callable[[Path], Mapping[str, Any]] = partial(self._make, commit, stop, say)
        noted = cached.made(directory, stop, make)
        tree = str(noted.get("tree") or directory / "tree")
        return Ready(tuple(_in_tree(word, tree) for word in in_place(self.arguments, tree)))

    def _commit(self, name: str) -> str:
        return next(commit for commit in self.commits if commit.startswith(name))

    def _make(self, commit: str, stop: threading.Event, say: Say, directory: Path) -> Mapping[str, Any]:
        say(commit[: checkouts.SHORT])
        return checkouts.check_out(directory, self.repository, commit, self.command, stop)


def _in_tree(word: str, tree: str) -> str:
    """A word that names a file of the checkout, as a path that leads there."""
    path = os.path.join(tree, word)
    is_file = "/" in word and not os.path.isabs(word) and os.path.isfile(path)
    return path if is_file or (os.path.splitext(word)[1] and os.path.isfile(path)) else word


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
