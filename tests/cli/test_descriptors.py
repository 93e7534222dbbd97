"""Commands that may open few files: one line says so, whatever could not be opened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.posix import limit
from tests.support import ACP_TRACE, PYTHON, Home, request, result, trace

_SAID = "acp-trace: too many open files: raise the limit (ulimit -n)\n"


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = tmp_path / "t.jsonl"
    made.write_bytes(trace(("client", request(0, "initialize")), ("agent", result(0, protocolVersion=1))))
    return str(made)


def _limited(home: Home, argv: list[str], most: int) -> subprocess.CompletedProcess[str]:
    few = limit("NOFILE", most)
    return subprocess.run(
        argv, env=home.environment, capture_output=True, text=True, preexec_fn=few, timeout=30, check=False
    )


@pytest.mark.parametrize("most", [7, 12])
def test_a_replay(home: Home, path: str, most: int) -> None:
    """It is not the agent that cannot be started: exit code 3."""
    done = _limited(home, [*ACP_TRACE, "replay", path, "--", "cat"], most)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "oo many open files" in done.stderr


@pytest.mark.slow
def test_other_commands(home: Home, path: str) -> None:
    """A file is read with five descriptors; the database needs more than six, and the command says so."""
    shown = _limited(home, [*ACP_TRACE, "show", path], 5)
    assert (shown.returncode, shown.stderr) == (0, "")
    loaded = _limited(home, [*ACP_TRACE, "load", path], 6)
    assert (loaded.returncode, loaded.stdout) == (3, "")
    assert loaded.stderr.count("\n") == 1
    assert "oo many open files" in loaded.stderr


def test_not_even_a_module_can_be_found(home: Home, path: str) -> None:
    """Python then says that there is no such module; the command knows better."""
    code = (
        "import os, resource, sys\n"
        "from acp_trace.cli import main\n"
        "sys.argv[:] = ['acp-trace', 'show', sys.argv[1]]\n"
        "used = len(os.listdir('/proc/self/fd')) - 1\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, used + 1))\n"
        "held = os.open(os.devnull, os.O_RDONLY)\n"
        "main()\n"
    )
    argv = [*PYTHON, "-c", code, path]
    done = subprocess.run(argv, env=home.environment, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", _SAID)


def test_a_module_that_is_missing_is_another_fault(home: Home) -> None:
    """It is not taken for this one."""
    code = (
        "import sys\n"
        "from acp_trace.cli import main\n"
        "sys.modules['acp_trace.cli.app'] = None\n"
        "sys.argv[:] = ['acp-trace', 'ls']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=home.environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize("words", [["where"], ["show", "{path}"]], ids=" ".join)
def test_a_full_disk_behind_standard_output(home: Home, path: str, words: list[str]) -> None:
    """`acp-trace show > FILE`: one line and exit code 3, not what Python says of it at its end."""
    with open("/dev/full", "wb") as nowhere:
        argv = [*ACP_TRACE, *(word.format(path=path) for word in words)]
        done = subprocess.run(argv, env=home.environment, stdout=nowhere, stderr=-1, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (3, b"acp-trace: No space left on device\n")


def test_a_full_disk_behind_standard_error(home: Home) -> None:
    """Nobody can be told; the exit code stays."""
    with open("/dev/full", "wb") as nowhere:
        argv = [*ACP_TRACE, "show", "nothing"]
        done = subprocess.run(argv, env=home.environment, stdout=-1, stderr=nowhere, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (3, b"")
