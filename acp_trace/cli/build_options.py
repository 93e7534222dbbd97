"""The options that say which builds `matrix` and `bisect` try, and what they mean: a source of builds."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import DIED, NOTHING, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.builds.command_lines import NamedCommand
    from acp_trace.builds.sources import Packages
    from acp_trace.builds.versions import Registry

BUILDS = "Builds"


def _option(flag: str, metavar: str | None, help_: str) -> object:
    return typer.Option(flag, metavar=metavar, help=help_, rich_help_panel=BUILDS)


BuildsFile = Annotated[
    str | None,
    _option(
        "--builds", "FILE", "Read the builds from FILE, one per line, oldest first: a name, a tab, a command."
    ),
]
Bin = Annotated[
    str | None, _option("--bin", "NAME", "Which program of the package to run. Default: its only program.")
]
Scripts = Annotated[
    list[str] | None,
    _option(
        "--install-scripts",
        "PACKAGE",
        "Let PACKAGE run its install scripts; for PyPI, build it from source if necessary. Repeatable.",
    ),
]
Python = Annotated[
    str | None,
    _option("--python", "PROGRAM", "With `--pypi`: install for this Python. By default acp-trace's."),
]
Pre = Annotated[
    bool, _option("--pre", None, "Include pre-releases. Default: only if the range begins or ends with one.")
]


@dataclass(frozen=True, slots=True)
class Installing:
    """How packages are installed and started: the options beside their names."""

    bin: str | None
    scripts: Sequence[str]
    python: str | None
    arguments: Sequence[str]

    def check(self, registry: str | None) -> None:
        """Refuse options for packages if there are no packages. Raises Misuse."""
        given = {"--bin": self.bin, "--install-scripts": self.scripts or None, "--python": self.python}
        for option, value in given.items():
            if value is not None and registry is None:
                raise Misuse(f"{option} needs --npm or --pypi")
        if self.python is not None and registry != "pypi":
            raise Misuse("--python needs --pypi")


def of_file(file: str) -> list[NamedCommand]:
    """The builds in a file. Ends the process if it is not a file of builds, or has none. Raises OSError."""
    from acp_trace.builds.command_lines import BadBuild, distinct, in_file

    try:
        found = distinct(in_file(Path(file).read_text("utf-8-sig")))
    except UnicodeDecodeError:
        raise typer.BadParameter(f"{file} is not UTF-8", param_hint="--builds") from None
    except BadBuild as error:
        raise typer.BadParameter(f"{file}: {error}", param_hint="--builds") from None
    if not found:
        fail(f"there is no build in {file}", NOTHING)
    return found


def packages(registry: Registry, name: str, versions: Sequence[str], installing: Installing) -> Packages:
    """Versions of a package as a source of builds."""
    from acp_trace.builds.sources import Packages

    return Packages(
        common.home().path,
        registry,
        name,
        versions,
        installing.arguments,
        installing.bin,
        tuple(installing.scripts),
        installing.python,
    )


def published(registry: Registry, package: str, python: str | None) -> list[str]:
    """The versions that the registry has of a package, oldest first.

    If the registry is away, return the versions of the last answer, and say so on stderr. Ends the process
    with 5 if there is no such answer, and with 4 if there is no such package.
    """
    from acp_trace.builds import npm, pypi
    from acp_trace.builds.kept import kept
    from acp_trace.builds.semver import BadVersion
    from acp_trace.builds.tools import Unavailable
    from acp_trace.builds.versions import ordered
    from acp_trace.report.safe import safe

    stop = threading.Event()
    with kept(common.home().path, "versions", repr((registry, package, python)), waits=True) as file:
        try:
            listed = (
                npm.published(package, stop) if registry == "npm" else pypi.published(package, stop, python)
            )
        except BadVersion as error:
            fail(str(error), NOTHING)
        except Unavailable as error:
            if (known := file.read(list[str])) is None:
                fail(str(error), DIED)
            common.note(f"{safe(str(error))}; continuing with the versions listed earlier")
            return ordered(registry, known)
        file.write(listed)
    return ordered(registry, listed)


@contextmanager
def mistakes() -> Iterator[None]:
    """Report wrong versions and builds as mistakes of the command line."""
    from acp_trace.builds.command_lines import BadBuild
    from acp_trace.builds.semver import BadVersion

    try:
        yield
    except (BadVersion, BadBuild) as error:
        raise Misuse(str(error)) from None
