"""What the tests of `matrix` and `bisect` have in common: a recording, builds of the small agent, a registry."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.builds import fake_npm, small_agent
from tests.support import trace

AGENT = [sys.executable, "-I", "-S", str(Path(small_agent.__file__))]


def recording(path: Path) -> str:
    """Writes the recording of the good agent; its name."""
    frames: list[tuple[str, Any]] = []
    for request in small_agent.requests():
        frames.append(("client", request))
        frames += [("agent", answer) for answer in small_agent.answers(request, [])]
    path.write_bytes(trace(*frames))
    return str(path)


def command(*variants: str) -> str:
    """The command of a build with these variants."""
    return shlex.join([*AGENT, *variants])


def builds(path: Path, chain: Sequence[Sequence[str]]) -> str:
    """Writes a file of builds, named 1.0 and so on; its name."""
    lines = [f"1.{number}\t{command(*variants)}" for number, variants in enumerate(chain)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def registry(directory: Path, versions: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Makes a registry with these versions; the environment in which `npm` asks it."""
    programs = directory / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    script = programs / "npm"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S {fake_npm.__file__} "$@"\n')
    script.chmod(0o755)
    (directory / "registry.json").write_text(json.dumps(versions))
    return {"FAKE_NPM": str(directory), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def version(*variants: str, **more: Any) -> dict[str, Any]:
    """A version of the registry."""
    return {"variants": list(variants), **more}
