"""Runs the plain tests on every Python from 3.11 on that can be had: `python tests/pythons/run.py`.

First those on this machine (`python3.N` on the path, and pyenv's), then Debian's, which are unpacked into a
cache directory. Each gets a virtual environment of its own. One line for each; what could not be had is
named, and is no failure. Ends with 1 where a test fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests import venvs
from tests.pythons import debian
from tests.pythons.debian import Archive, OutOfReach

_REPOSITORY = Path(__file__).resolve().parents[2]
_OLDEST = (3, 11)
_PYENV = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
#: Some commands too. What pages say, and what the table of faults names, is the same with another Python.
_ANOTHER = (
    *("-m", "not slow and not browser and not spark and not azure"),
    *("--one-case", "--ignore=tests/docs", "--ignore=tests/mutation"),
)
_WHICH = "import sys; print(*sys.version_info[:2])"

Version = tuple[int, int]


def main(argv: list[str]) -> int:
    """Finds, runs and says; 1 where tests fail."""
    parser = argparse.ArgumentParser(description="Run the plain tests on every Python that can be had.")
    parser.add_argument("versions", nargs="*", metavar="3.N", help="these alone")
    parser.add_argument(
        "--another", action="store_true", help="the newest alone that is not this one, one case of each test"
    )
    parser.add_argument("--cache", type=Path, default=debian.cache(), help="where Debian's are unpacked")
    options = parser.parse_args(argv)
    pythons = dict(_installed())
    try:
        archive = Archive(options.cache.absolute())
    except OutOfReach as why:
        print(f"none from Debian's packages: {why}")
        archive = None
    known = set(pythons) | set(archive.versions() if archive else ())
    known = {version for version in known if version >= _OLDEST}
    wanted = [_version(text) for text in options.versions] or sorted(known)
    if options.another:
        wanted = [max(known - {sys.version_info[:2]}, default=sys.version_info[:2])]
        if wanted == [sys.version_info[:2]]:
            print("no other Python can be had here: the tests ran on this one alone")
            return 0
    failed = False
    for version in wanted:
        name = "Python {}.{}".format(*version)
        if version not in known:
            print(f"{name}: not to be had here")
            continue
        try:
            python = pythons[version] if archive is None else pythons.get(version) or archive.python(version)
        except OutOfReach as why:
            print(f"{name}: not to be had: {why}")
            continue
        words = _ANOTHER if options.another else ()
        failed |= not _passes(name, python, words)
    return int(failed)


def _passes(name: str, python: Path, words: Sequence[str]) -> bool:
    """Whether the plain tests pass in a new virtual environment; prints how they end. `words`: for pytest."""
    with tempfile.TemporaryDirectory(prefix="acp-trace-python-") as directory:
        venv = Path(directory) / "venv"
        subprocess.run(venvs.making(python, venv), check=True)
        done = subprocess.run(venvs.installing(venv, "-e", f"{_REPOSITORY}[dev,model]"), check=False)
        if done.returncode:
            print(f"{name}: a dependency cannot be installed")
            return False
        began = time.monotonic()
        path = f"{venv / 'bin'}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(venv)}
        pytest = [str(venvs.inside(venv)), "-m", "pytest", "-q", *words]
        done = subprocess.run(pytest, cwd=_REPOSITORY, env=environment, check=False)
    verdict = "passes" if done.returncode == 0 else "FAILS"
    print(f"{name}: {verdict} in {time.monotonic() - began:.0f} s ({python})", flush=True)
    return done.returncode == 0


def _installed() -> Iterator[tuple[Version, Path]]:
    """The Pythons of this machine; this one comes last, and so before all others of its version."""
    places = [*map(Path, os.environ.get("PATH", "").split(os.pathsep)), *_PYENV.glob("versions/*/bin")]
    for path in sorted(path for place in places for path in place.glob("python3.*")):
        if re.fullmatch(r"python3\.\d+", path.name):
            said = subprocess.run([path, "-I", "-c", _WHICH], capture_output=True, text=True, check=False)
            if said.returncode == 0:
                major, minor = map(int, said.stdout.split())
                yield (major, minor), path
    yield sys.version_info[:2], Path(sys.executable)


def _version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
