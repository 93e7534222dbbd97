"""A stand-in for npm, and a registry that is a directory: `FAKE_NPM` names it. No network.

`registry.json`: the versions of the package `small`, each with what the agent does (`variants`), and `script`, if it
needs an install script. A file `away` or `full` makes every command fail as npm does then; with `cut` an
install ends well and warns that a file is cut short; one named `hang` has an
install stop in the middle. An install of a version that `waits` goes on until an agent has run.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

AGENT = Path(__file__).with_name("small_agent.py")


def main(words: list[str]) -> int:
    """The command; its exit code."""
    here = Path(os.environ["FAKE_NPM"])
    with (here / "log").open("a") as log:
        log.write(" ".join(words) + "\n")
    for name, code in (("away", "ECONNREFUSED"), ("full", "ENOSPC")):
        if (here / name).exists():
            print(f"npm error code {code}\nnpm error errno {code}", file=sys.stderr)
            return 1
    registry = json.loads((here / "registry.json").read_text())
    match words[0]:
        case "view":
            if words[1] != "small":
                print("npm error code E404\nnpm error 404 Not Found", file=sys.stderr)
                return 1
            print(json.dumps(list(registry)))
        case "install":
            version = words[-1].removeprefix("small@")
            return _install(here, Path(words[words.index("--prefix") + 1]), version, registry[version])
        case "rebuild":
            modules = Path(words[words.index("--prefix") + 1]) / "node_modules"
            (modules / "small" / "built").touch()
    return 0


def _install(here: Path, directory: Path, version: str, about: dict[str, Any]) -> int:
    if about.get("fails"):
        print(f"npm error code ETARGET\nnpm error notarget {about['fails']}", file=sys.stderr)
        return 1
    package = directory / "node_modules" / "small"
    package.mkdir(parents=True)
    if (here / "cut").exists():
        print("npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write", file=sys.stderr)
    if (here / "hang").exists():
        (here / "hanging").touch()
        time.sleep(60)
    if about.get("waits"):
        (loading := here / f"loading-{version}").touch()
        until = time.monotonic() + 20
        while not (here / "ran").exists() and time.monotonic() < until:
            time.sleep(0.01)
        loading.unlink()
    needs = (
        f"test -e {package}/built || {{ echo 'Error: not built' >&2; exit 1; }}\n"
        if about.get("script")
        else ""
    )
    words = " ".join([sys.executable, "-I", "-S", str(AGENT), *about["variants"]])
    programs = about.get("bin", ["small"])
    bins = directory / "node_modules" / ".bin"
    bins.mkdir()
    for name in programs:
        (bins / name).write_text(f'#!/bin/sh\n{needs}exec {words} "$@"\n')
        (bins / name).chmod(0o755)
    scripts = {"postinstall": "node build.js"} if about.get("script") else {}
    own = {"name": "small", "version": version, "bin": dict.fromkeys(programs, "x"), "scripts": scripts}
    (package / "package.json").write_text(json.dumps(own))
    entry = {"version": version, **({"hasInstallScript": True} if scripts else {})}
    (directory / "node_modules" / ".package-lock.json").write_text(
        json.dumps({"packages": {"node_modules/small": entry}})
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
