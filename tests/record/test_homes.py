"""Homes that cannot be found, or used: the traffic goes on, the loss is said once, other commands say why."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support import ACP_TRACE, DEADLINE_S, PYTHON, Home, agent, entries_in

_ECHO = agent("for line in lines: say(line)\nsys.exit(6)")
_SAID = b'{"n":1}\n'
#: The commands, on a system that knows no user: neither `HOME` nor the user database names a home.
_NOBODY = [
    *PYTHON,
    "-c",
    (
        "import pwd, sys\n"
        "def nobody(*_): raise KeyError\n"
        "pwd.getpwuid = pwd.getpwnam = nobody\n"
        "sys.argv[0] = 'acp-trace'\n"
        "from acp_trace.cli import main\n"
        "main()\n"
    ),
]


def _run(argv: list[str], env: dict[str, str], cwd: Path) -> tuple[bytes, str, int]:
    done = subprocess.run(
        argv, input=_SAID, capture_output=True, env=env, cwd=cwd, timeout=DEADLINE_S, check=False
    )
    return done.stdout, done.stderr.decode(), done.returncode


@pytest.mark.parametrize("named", ["", "~/traces", "~no-such-user/traces"])
def test_no_home_is_known(home: Home, tmp_path: Path, named: str) -> None:
    """Neither a traceback nor a folder called `~`: one line that says what to set."""
    left_out = ("HOME", "XDG_DATA_HOME")
    env = {key: text for key, text in home.environment.items() if key not in left_out}
    env["ACP_TRACE_HOME"] = named
    out, err, code = _run([*_NOBODY, "record", "--no-load", "--", *_ECHO], env, tmp_path)
    assert (out, code) == (_SAID, 6)
    assert err == (
        "acp-trace: cannot write the trace (no home directory is known; set ACP_TRACE_HOME: "
        f"{named or '~'}); the traffic goes on unrecorded\n"
    )
    out, err, code = _run([*_NOBODY, "ls"], env, tmp_path)
    assert (out, code) == (b"", 3)
    assert err == f"acp-trace: {named or '~'}: no home directory is known; set ACP_TRACE_HOME\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [[], ["--out", "t.jsonl"]], ids=["spool", "out"])
def test_a_relative_place_in_a_folder_that_was_deleted(
    home: Home, tmp_path: Path, options: list[str]
) -> None:
    """There is no such place; the agent starts in that folder all the same."""
    folder = tmp_path / "gone"
    folder.mkdir()
    shell = ["sh", "-c", 'rmdir "$0" && exec "$@"', str(folder)]
    argv = [*shell, *ACP_TRACE, "record", *options, "--", *_ECHO]
    out, err, code = _run(argv, {**home.environment, "ACP_TRACE_HOME": "traces"}, folder)
    assert (out, code) == (_SAID, 6)
    assert err.count("acp-trace: ") == 1
    assert "cannot write the trace (No such file or directory" in err


def test_a_folder_that_was_deleted(home: Home, tmp_path: Path) -> None:
    """With a home that does not hang on it, all is recorded."""
    folder = tmp_path / "gone"
    folder.mkdir()
    shell = ["sh", "-c", 'rmdir "$0" && exec "$@"', str(folder)]
    argv = [*shell, *ACP_TRACE, "record", "--no-load", "--", *_ECHO]
    assert _run(argv, home.environment, folder) == (_SAID, "", 6)
    (path,) = home.spooled()
    entries = entries_in(path)
    assert (entries[0]["agent"]["cwd"], entries[-1]["end"]["exit_code"]) == ("", 6)


@pytest.mark.slow
def test_a_home_whose_name_is_no_utf8(tmp_path: Path) -> None:
    """Traces are recorded there; the store cannot be, and that is said in one line."""
    home = Home(tmp_path / os.fsdecode(b"h\xff"))
    with home.start(_ECHO) as recording:
        assert recording.finish(_SAID) == (_SAID, b"", 6)
    (path,) = home.spooled()
    for args in (["ls"], ["query", "SELECT 1"], ["load"]):
        done = home.outcome(*args)
        said = done.stderr.decode()
        assert (done.returncode, said.count("\n")) == (3, 1), args
        assert "the store's path is not UTF-8, as DuckDB requires" in said
    assert home.spooled() == [path]
    assert '"n": 1' in home.run("frames", "--full", str(path))
