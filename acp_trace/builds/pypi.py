"""The builds of a package of PyPI: its versions, one of them in a virtual environment, its programs.

All goes through pip, or uv if it is there, as they are set up on this machine. To build a package from its
source runs its code: so only wheels are installed, unless a package is named that may be built.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from acp_trace.builds import tools
from acp_trace.builds.semver import BadVersion
from acp_trace.builds.tools import NotInstallable, Unavailable

_AVAILABLE = re.compile(r"^Available versions: (.+)$", re.MULTILINE)
_NO_WHEEL = re.compile(
    r"(?:requirement |because (?:only )?)([A-Za-z0-9][A-Za-z0-9._-]*)(?:[=<>!~ (].*)?", re.IGNORECASE
)


def published(package: str, stop: threading.Event, python: str | None = None) -> list[str]:
    """The versions that pip finds, for the given Python. Raises Unavailable, BadVersion and Cancelled."""
    words = [python or sys.executable, "-m", "pip", "index", "versions", "--pre", package]
    done = tools.run(words, stop, is_list=True)
    match = _AVAILABLE.search(done.out)
    if match is None:
        done.check_reach(f"the versions of {package}")
        if "No matching distribution" in done.said:
            raise BadVersion(f"pip finds no package {package}")
        raise Unavailable(f"pip cannot list the versions of {package}: {done.why}")
    return [each.strip() for each in match[1].split(",")]


def install(
    directory: Path,
    package: str,
    version: str,
    sources: Iterable[str],
    stop: threading.Event,
    python: str | None = None,
) -> Mapping[str, Any]:
    """Installs a version into an environment of its own; its programs.

    `sources`: packages that may be built from their source, which runs their code. Raises NotInstallable,
    Unavailable and Cancelled.
    """
    environment, what = directory / "venv", f"{package}=={version}"
    uv = tools.program("uv")
    base = python or sys.executable
    made = tools.run(
        [uv, "venv", "--python", base, str(environment)] if uv else [base, "-m", "venv", str(environment)],
        stop,
    )
    if made.code:
        made.check_reach()
        raise Unavailable(f"a virtual environment cannot be made: {made.why}")
    own = environment / "bin" / "python"
    words = [uv, "pip", "install", "--python", str(own)] if uv else [str(own), "-m", "pip", "install"]
    words += ["--only-binary", ":all:"]
    for name in sources:
        words += ["--no-binary", name]
    done = tools.run([*words, what], stop)
    if done.code:
        done.check_reach()
        raise NotInstallable(_why(done.said, done.why))
    return {"programs": _programs(environment, package), "scripts": []}


def _why(said: str, why: str) -> str:
    """Why it could not be installed; if a package has no wheel, how it may be built."""
    lines = [line for line in said.splitlines() if "No matching distribution" in line or "no wheels" in line]
    match = _NO_WHEEL.search(lines[-1].replace("distribution found for", "requirement")) if lines else None
    if match is None:
        return f"it cannot be installed: {why}"
    name = match[1]
    return f"{name} has no wheel for this machine in a version that fits (--install-scripts {name} builds it)"


def _programs(environment: Path, package: str) -> dict[str, str]:
    """The programs of a package by their names, as its metadata lists them."""
    from packaging.utils import canonicalize_name

    wanted = canonicalize_name(package)
    libraries = [str(path) for path in environment.glob("lib/python*/site-packages")]
    found = {}
    for distribution in distributions(path=libraries):
        if canonicalize_name(distribution.metadata["Name"] or "") != wanted:
            continue
        for entry in distribution.entry_points:
            path = environment / "bin" / entry.name
            if entry.group == "console_scripts" and "/" not in entry.name and path.is_file():
                found[entry.name] = str(path)
    return found
