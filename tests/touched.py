"""Runs the tests that a change can touch: `python tests/touched.py [--since REF] [ARGS]`, or `just touched`.

These are the tests in the directory of each changed module's package, and those that are at most two imports away
from a changed module, also of a helper of the tests. That is a guess: of the faults of tests/mutation, it finds the
test that notices 93 in 100 (tests/test_touched.py). CI runs all tests.

`--since REF`: what has changed since this commit; by default since this branch left origin/main. ARGS go to pytest;
slow tests and commands are included unless ARGS have another `-m`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

REPOSITORY = Path(__file__).resolve().parents[1]
#: The number of imports between a changed module and a test.
DISTANCE = 2
#: The directories of tests of a package that has not one of its own name alone.
DIRECTORIES = {"team": ("bucket", "lake", "places", "spark", "team")}
_WHICH = "not browser and not spark and not azure"


def main(argv: list[str]) -> int:
    """The script: pytest's exit code; 0 if no test is touched."""
    parser = argparse.ArgumentParser(description="Run the tests that a change can touch.")
    parser.add_argument(
        "--since", metavar="REF", help="the commit to compare with; default: that of origin/main"
    )
    parser.add_argument("--list", action="store_true", help="only print the files")
    options, words = parser.parse_known_args(argv)
    changed = list(_changed(options.since or _git("merge-base", "origin/main", "HEAD").strip()))
    files = sorted(touched(changed, imports()))
    print(f"{len(changed)} changed files touch {len(files)} files of tests", file=sys.stderr)
    if options.list or not files:
        print(*files, sep="\n", end="\n" if files else "")
        return 0
    command = [sys.executable, "-m", "pytest", "-q", "-m", _WHICH, *words, *files]
    return subprocess.run(command, cwd=REPOSITORY, check=False).returncode


def imports() -> grimp.ImportGraph:
    """The imports between all modules of the package and of the tests."""
    return grimp.build_graph("acp_trace", "tests", cache_dir=None)


def touched(changed: Iterable[str], graph: grimp.ImportGraph) -> set[str]:
    """The files of tests that these changed files touch. All are paths below the repository."""
    tests = {name for name in graph.modules if name.rpartition(".")[2].startswith("test_")}
    found: set[str] = set()
    for path in changed:
        parts = Path(path).parts
        if parts[0] in ("acp_trace", "tests", "docs") and len(parts) > 1:
            of = (parts[0],) if parts[0] == "docs" else DIRECTORIES.get(parts[1], (parts[1],))
            if parts[0] != "tests":
                found |= {name for name in tests if name.split(".")[1] in of}
            found |= tests & _near(_module(path), graph)
    return {f"{name.replace('.', '/')}.py" for name in found}


def _near(module: str, graph: grimp.ImportGraph) -> set[str]:
    """A module, if there is one, and what imports it over at most `DISTANCE` imports."""
    found = {module} & graph.modules
    newest = set(found)
    for _ in range(DISTANCE):
        newest = {name for one in newest for name in graph.find_modules_that_directly_import(one)} - found
        found |= newest
    return found


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _changed(since: str) -> Iterator[str]:
    """What differs from a commit, committed or not, and what is new."""
    yield from _git("diff", "--name-only", since).splitlines()
    yield from _git("ls-files", "--others", "--exclude-standard").splitlines()


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    sys.exit(main(sys.argv[1:]))
