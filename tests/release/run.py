"""Does here what the workflows do before they publish: `python tests/release/run.py`, or `just release-proof`.

It reads the `run` lines of the two workflow files and runs them in their order, as a tag of this version would:
in a clone of the last commit, and in a new virtual environment. One line for each step. Ends with 1 at the
first one that fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ruamel.yaml import YAML

from acp_trace import __version__
from release.repository import REPOSITORY, ROOT

#: The jobs that check, build and publish nothing.
JOBS = (("release.yml", "build"), ("container.yml", "build"))
#: Steps that are not run here, and why.
LEFT_OUT = {
    "The tests pass": "CI runs them as a step of its own",
    "Build the image": "no registry of images can be reached from everywhere",
    "It runs without rights, without a network and on a file system that cannot be written": "it needs the image",
}


def main() -> int:
    """The script: 1 if a step fails."""
    with tempfile.TemporaryDirectory(prefix="acp-trace-release-", ignore_cleanup_errors=True) as directory:
        clone, venv = Path(directory) / "clone", Path(directory) / "venv"
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), clone], check=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        environment = {
            **os.environ,
            "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "VIRTUAL_ENV": str(venv),
            "GITHUB_REF_NAME": f"v{__version__}",
            "GITHUB_REPOSITORY": REPOSITORY,
            "RUNNER_TEMP": directory,
        }
        return int(not all(_passes(name, script, clone, environment) for name, script in steps()))


def steps() -> Iterator[tuple[str, str]]:
    """The name and the script of each step of `JOBS` that has a script."""
    for file, job in JOBS:
        workflow: Mapping[str, Any] = YAML(typ="safe", pure=True).load(ROOT / ".github" / "workflows" / file)
        for step in workflow["jobs"][job]["steps"]:
            if "run" in step:
                yield step["name"], step["run"]


def _passes(name: str, script: str, clone: Path, environment: Mapping[str, str]) -> bool:
    """Whether a step passes or is left out; prints its line, and what it printed."""
    if name in LEFT_OUT:
        print(f"left out: {name}: {LEFT_OUT[name]}", flush=True)
        return True
    if not shutil.which("npm"):
        print("left out: npm pack, and npx: there is no npm")
        script = "\n".join(line for line in script.splitlines() if not line.startswith("npm "))
    began = time.monotonic()
    words = ["bash", "-e", "-o", "pipefail", "-c", script]  # as GitHub does
    done = subprocess.run(
        words, cwd=clone, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    verdict = "FAILS" if done.returncode else "passes"
    print(
        f"{verdict}: {name}: {time.monotonic() - began:.0f} s", *_indented(done.stdout), sep="\n", flush=True
    )
    return not done.returncode


def _indented(text: str) -> Iterator[str]:
    """Its lines, without those about directories that pip does not find."""
    return (f"  {line}" for line in text.splitlines() if line.strip() and "Location" not in line)


if __name__ == "__main__":
    sys.exit(main())
