"""`npx acp-trace`: which command it runs, and that it passes everything through. With stand-ins on PATH."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from acp_trace import __version__
from tests.support import DEADLINE_S

_NPM = Path(__file__).parents[2] / "npm"
_NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(_NODE is None, reason="there is no node")


def _program(directory: Path, name: str, body: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def _started(path: list[Path], *args: str, **variables: str) -> subprocess.Popen[str]:
    assert _NODE is not None
    environment = {"PATH": os.pathsep.join(map(str, path)), **variables}
    return subprocess.Popen(
        [_NODE, str(_NPM / "acp-trace.js"), *args],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _said(path: list[Path], *args: str, **variables: str) -> tuple[int, str, str]:
    process = _started(path, *args, **variables)
    out, err = process.communicate("what it is told", timeout=DEADLINE_S)
    return process.returncode, out, err


_ECHO = 'printf "%s|" "${0##*/}" "$@"; read -r line; printf "%s" "$line"; exit 3'


def test_an_installed_tool_gets_all_arguments_and_its_exit_code_counts(tmp_path: Path) -> None:
    """Also its input, and arguments with blanks."""
    _program(tmp_path, "acp-trace", _ECHO)
    _program(tmp_path, "uv", _ECHO)
    assert _said([tmp_path], "show", "a b", "--json") == (3, "acp-trace|show|a b|--json|what it is told", "")


@pytest.mark.parametrize("name", ["uv", "pipx", "python3"])
def test_what_is_there_is_used(tmp_path: Path, name: str) -> None:
    """Uv before pipx before Python; the version is that of this package."""
    order = ["uv", "pipx", "python3"]
    for each in order[order.index(name) :]:
        _program(tmp_path, each, _ECHO)
    spec = f"acp-trace=={__version__}"
    ways = {
        "uv": f"uv|tool|run|--quiet|--from|{spec}|acp-trace|ls|",
        "pipx": f"pipx|run|--quiet|--spec|{spec}|acp-trace|ls|",
        "python3": "python3|-m|acp_trace|ls|",
    }
    assert _said([tmp_path], "ls")[1] == f"{ways[name]}what it is told"


def test_a_variable_says_what_to_install(tmp_path: Path) -> None:
    """Then an installed tool is not it."""
    for name in ("acp-trace", "uv"):
        _program(tmp_path, name, _ECHO)
    said = _said([tmp_path], "ls", ACP_TRACE_FROM="acp-trace[model]")[1]
    assert said.startswith("uv|tool|run|--quiet|--from|acp-trace[model]|acp-trace|ls|")


def test_it_never_runs_itself(tmp_path: Path) -> None:
    """Npx puts the wrapper on PATH under the same name."""
    assert _NODE is not None
    modules = tmp_path / "node_modules" / ".bin"
    package = tmp_path / "node_modules" / "acp-trace"
    shutil.copytree(_NPM, package)
    modules.mkdir(parents=True)
    (modules / "acp-trace").symlink_to(package / "acp-trace.js")
    node = tmp_path / "node"
    node.mkdir()
    (node / "node").symlink_to(_NODE)
    code, out, err = _said([modules, node], "ls")
    assert (code, out) == (127, "")
    assert err.count("\n") == 1
    assert "install uv or pipx" in err


def test_a_signal_reaches_the_tool_and_ends_both(tmp_path: Path) -> None:
    """Its own way of ending counts: an exit code, or the signal."""
    # Ends its own child, so that nothing is left: a shell waits for what it runs before it looks at a signal.
    _program(tmp_path / "code", "acp-trace", 'trap "exit 7" TERM; echo ready; while read -r _; do :; done')
    _program(tmp_path / "signal", "acp-trace", "echo ready; read -r _")
    for directory, ending in (("code", 7), ("signal", -signal.SIGTERM)):
        process = _started([tmp_path / directory])
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == ending
        process.communicate()


def test_the_version_is_that_of_the_tool() -> None:
    """One release has one number."""
    package = json.loads((_NPM / "package.json").read_text())
    assert package["version"] == __version__
    assert set(package["files"]) == {"acp-trace.js", "README.md"}
