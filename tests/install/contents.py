"""What a wheel and an sdist must contain, compared with the checkout that they were built from. Names in, faults out."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

_METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


#: Files of the package that only a type checker of its scripts reads: pyproject.toml leaves them out.
_FOR_CHECKERS = ".d.ts"
#: Where pyproject.toml puts the pages of docs/, without pictures and examples: `acp-trace docs` prints them.
_PAGES = "acp_trace/manual/pages/"
#: A link or a picture of the README that leads nowhere from the project's page on PyPI.
_RELATIVE = re.compile(r"""(?:\]\(|src="|srcset=")(?!https?:|#)([^)"\s]+)""")


def wheel_faults(wheel: Path, checkout: AbstractSet[str]) -> Iterator[str]:
    """The package and the pages as they are in the checkout, metadata, and nothing else: no tests, no caches."""
    info = "-".join(wheel.name.split("-")[:2]) + ".dist-info/"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        page = archive.read(info + "METADATA").decode()
    for link in _RELATIVE.findall(page):
        yield f"the link to {link} leads nowhere from PyPI"
    package = {n for n in checkout if n.startswith("acp_trace/") and not n.endswith(_FOR_CHECKERS)}
    pages = {
        _PAGES + n.removeprefix("docs/") for n in checkout if n.startswith("docs/") and n.endswith(".md")
    }
    yield from _difference(names, package | pages | {info + name for name in _METADATA})


def sdist_faults(sdist: Path, checkout: AbstractSet[str]) -> Iterator[str]:
    """All of the checkout, so also all that its tests need, and `PKG-INFO`."""
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if not member.isdir()}
    yield from _difference(names, {*checkout, "PKG-INFO"})


def _difference(there: AbstractSet[str], wanted: AbstractSet[str]) -> Iterator[str]:
    for name in sorted(wanted - there):
        yield f"{name} is missing"
    for name in sorted(there - wanted):
        yield f"{name} does not belong there"
