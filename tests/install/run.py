"""Installs a release by name in every way that the docs name: `python tests/install/run.py DIST [--all] [--cold]`.

DIST has the wheel, the sdist and the npm package, as `release.yml` builds them. First their contents are compared
with this checkout, and `twine` checks them; then each way of `ways` runs on a machine with nothing but what it
needs: a new home and a PATH of a few links. The demo has to end well, and the release has to come from our index.
One line each: how, how long, and what went wrong. What needs a program that is not here is skipped and says so.
Ends with 1 if something went wrong.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.install.contents import sdist_faults, wheel_faults
from tests.install.index import Index, served
from tests.install.ways import WAYS, Way

_CHECKOUT = Path(__file__).resolve().parents[2]
_LIMIT_S = 900  # for one way, on a machine with other work
#: What every machine has: the scripts that uv and npm write need them.
_TOOLS = ("sh", "env", "dirname", "realpath")
#: One cache for all ways, empty at first, so that nothing is downloaded twice. With `--cold`, each has its own.
_CACHES = {"PIP_CACHE_DIR": "pip", "UV_CACHE_DIR": "uv", "npm_config_cache": "npm"}
_WIDTHS = (22, 9, 8, 11)


def main(words: Sequence[str]) -> int:
    """The script: 1 if something is wrong."""
    parser = argparse.ArgumentParser(
        description="Install a release by name, in every way that the docs name."
    )
    parser.add_argument("dist", type=Path, metavar="DIST", help="the directory with what was built")
    parser.add_argument("--all", action="store_true", help="also the ways that differ little from another")
    parser.add_argument("--cold", action="store_true", help="with empty caches, for each way")
    parser.add_argument("--only", metavar="WAY", choices=[way.name for way in WAYS], help="one way")
    options = parser.parse_args(words)
    faulty = False
    for fault in _content_faults(options.dist):
        faulty = True
        print(fault)
    _line("way", "result", "seconds", "of them CPU")
    with tempfile.TemporaryDirectory(prefix="acp-trace-install-", ignore_cleanup_errors=True) as directory:
        root = Path(directory)
        caches = None if options.cold else root / "caches"
        (root / "index").mkdir()
        with served(options.dist, root / "index") as index:
            for number, way in enumerate(WAYS):
                if options.only == way.name or options.all or not (options.only or way.rare):
                    faulty |= not _tried(way, index, root / str(number), caches)
    return int(faulty)


def _content_faults(dist: Path) -> Iterator[str]:
    checkout = _files_of_checkout()
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    for file, faults in ((wheel, wheel_faults(wheel, checkout)), (sdist, sdist_faults(sdist, checkout))):
        for fault in faults:
            yield f"{file.name}: {fault}"
    words = [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"twine check: {done.stdout}{done.stderr}"


def _files_of_checkout() -> set[str]:
    """All that git would commit."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    told = subprocess.run(words, cwd=_CHECKOUT, capture_output=True, text=True, check=True).stdout
    return {name for name in told.split("\0") if name and (_CHECKOUT / name).exists()}


def _tried(way: Way, index: Index, machine: Path, caches: Path | None) -> bool:
    """Whether a way works, or cannot be tried here; prints its line."""
    missing = [name for name in way.has if not _program(name)]
    if missing:
        _line(way.name, "skipped", f"there is no {' and no '.join(missing)}")
        return True
    environment = _machine(way, machine, caches) | index.variables()
    began, cpu_s = time.monotonic(), _children_cpu_s()
    try:
        done = subprocess.run(
            ["sh", "-e", "-c", way.script],
            cwd=machine, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=_LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        _line(way.name, "FAILS", f"not done after {_LIMIT_S} s")
        return False
    took, worked = time.monotonic() - began, _children_cpu_s() - cpu_s
    faults = list(_faults(way, done, index))
    _line(way.name, "FAILS" if faults else "works", f"{took:.1f}", f"{worked:.1f}")
    for fault in faults:
        print(f"  {fault}")
    return not faults


def _children_cpu_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _faults(way: Way, done: subprocess.CompletedProcess[str], index: Index) -> Iterator[str]:
    if done.returncode:
        yield f"exit code {done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    elif "cancel not obeyed" not in done.stdout:  # the last thing that the demo shows
        yield f"the demo did not reach its end: {done.stdout[-2000:]}"
    for ending in way.fetches:
        if not index.has_served(ending):
            yield f"no {ending} was fetched from our index: something else was installed"


def _machine(way: Way, machine: Path, caches: Path | None) -> dict[str, str]:
    """The environment of a machine that has only `way.has`: links to these programs, and a new home.

    The registries that the machine is set up for stay: their variables are passed on.
    """
    programs = machine / "bin"
    programs.mkdir(parents=True)
    for name in (*way.has, *_TOOLS):
        (programs / name).symlink_to(_program(name))
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "UV_", "SSL_", "LANG", "LC_"))
    }
    found = {name: str(caches / kind) for name, kind in _CACHES.items()} if caches else {}
    return kept | found | {
        "CHECKOUT": str(_CHECKOUT), "HOME": str(machine), "PATH": str(programs), "TMPDIR": tempfile.gettempdir(), "UV_PYTHON_DOWNLOADS": "never",
    }  # fmt: skip


def _program(name: str) -> str:
    """The path of a program; the Python is the one behind this virtual environment. Empty if there is none."""
    if name == "python3":
        return os.path.realpath(sys.executable)
    beside = Path(sys.executable).parent / name  # what release/requirements.txt installed
    return str(beside) if beside.exists() else shutil.which(name) or ""


def _line(*cells: str) -> None:
    print(" ".join(map(str.ljust, cells, _WIDTHS)).rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
