"""Shell blocks of the pages with an agent in them, run as they are copied.

The demo's agent and client stand in for those that the pages name, under their names on the PATH.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks
from tests.support import ACP_TRACE, PYTHON, REPOSITORY, Home

_AGENT = shlex.join([*PYTHON, "-m", "acp_trace.demo.agent"])
_CLIENT = shlex.join([*PYTHON, "-m", "acp_trace.demo.client"])
#: Programs of the pages, as scripts.
_PROGRAMS = {
    "acp-trace": f'exec {shlex.join(ACP_TRACE)} "$@"',
    "python": f'exec {sys.executable} "$@"',
    "node": f"exec {_AGENT}",  # node dist/agent.js
    "opencode": f"exec {_AGENT}",  # opencode acp
    "acpx": f'test "$1" = --agent && exec {_CLIENT} -- sh -c "$2"',  # acpx --agent COMMAND exec PROMPT
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the blocks run, with the programs in `bin`."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in _PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (programs / name).chmod(0o755)
    return tmp_path


def _run(home: Home, directory: Path, script: str) -> str:
    env = {
        **home.environment,
        "PATH": f"{directory / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
    }
    env.pop("CI", None)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=directory, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (script, done.stdout, done.stderr)
    return done.stdout


def test_the_recipes_run(home: Home, directory: Path) -> None:
    """Record where no directory is yet; replay it, one and many; play the agent to a client; take it anew."""
    first, mock = blocks(DOCS / "replay.md", "sh")
    recording, *replays = first.splitlines()
    assert recording.startswith("acp-trace record --out traces/")
    line = shlex.join(shlex.split(recording, comments=True))
    _run(home, directory, f"{_CLIENT} -- {line}")  # "once, with your editor"
    assert (directory / "traces" / "cancel.jsonl").is_file()
    assert "passed" in _run(home, directory, "\n".join(replays))
    assert (directory / "replay.xml").is_file()
    _run(home, directory, mock)
    (update,) = (block for block in blocks(DOCS / "pytest.md", "sh") if block.startswith("acp-trace replay"))
    _run(home, directory, update)


def test_faults_on_purpose(home: Home, directory: Path) -> None:
    """Of a client, of an agent, and those that a seed chooses; the demo's agent does not survive each of them."""
    (block,) = blocks(DOCS / "faults.md", "sh")
    (directory / "traces").mkdir()
    _run(home, directory, f"{_CLIENT} -- acp-trace record --out traces/cancel.jsonl -- {_AGENT}")
    lines = [shlex.join(shlex.split(line, comments=True)) for line in block.splitlines()]
    said = _run(home, directory, "\n".join(f"{line} || test $? = 5" for line in lines))
    assert "fault malformed-json on session/prompt #2" in said


def test_a_client_that_starts_the_recorder(home: Home, directory: Path) -> None:
    """And the trace of it is in the store."""
    (block,) = (block for block in blocks(DOCS / "clients.md", "sh") if block.startswith("acpx --agent"))
    _run(home, directory, block)
    assert len(home.json("ls")) == 1
