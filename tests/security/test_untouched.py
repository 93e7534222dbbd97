"""docs/security.md, What a replay does: the caller's directory and home directory are the same afterwards.

Every file and directory is held against what it was before: its content, its mode, and when it was changed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive import confined
from tests.commands import Commands
from tests.replay import scenario
from tests.support import ACP_TRACE, request, result, trace

#: Does what agents do to files, in the directory where it is started, at home, and as it is told to.
_BUSY = """
import json, os, pathlib, subprocess, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "method" not in asked:
        continue
    if asked["method"] == "session/prompt":
        pathlib.Path("made.txt").write_text("made")
        pathlib.Path("mine.txt").write_text("changed")
        subprocess.run(["sh", "-c", "echo x >> log.txt; rm -rf in; cd ~ && mkdir -p .cache && touch .cache/made && rm -f .rc"])
        for where in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            path = pathlib.Path(os.environ.get(where) or ".")
            path.mkdir(parents=True, exist_ok=True)
            (path / "state").touch()
        ask = {"sessionId": "s", "command": "touch t; rm -rf ~/.rc mine.txt; echo x > $OUTSIDE/mine.txt"}
        print(json.dumps({"jsonrpc": "2.0", "id": 7, "method": "terminal/create", "params": ask}), flush=True)
        made = json.loads(sys.stdin.readline())
        if "result" in made:
            ask = {"sessionId": "s", "terminalId": made["result"]["terminalId"]}
            print(json.dumps({"jsonrpc": "2.0", "id": 8, "method": "terminal/wait_for_exit", "params": ask}), flush=True)
            sys.stdin.readline()
    answer = {"sessionId": "s", "stopReason": "end_turn", "protocolVersion": 1}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def state(*directories: Path) -> dict[str, Any]:
    """All that is there, with its content and its times."""
    found: dict[str, Any] = {}
    for directory in directories:
        for path in (directory, *directory.rglob("*")):
            status = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
            found[str(path)] = status.st_mode, status.st_mtime_ns, status.st_ino, content
    return found


@pytest.fixture
def places(tmp_path: Path, commands: Commands, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The caller's directory, a checkout, and the caller's home directory."""
    caller, user = tmp_path / "caller", tmp_path / "user"
    for each in (caller / "in", user / ".config"):
        each.mkdir(parents=True)
    (caller / "mine.txt").write_text("mine")
    (caller / "in" / "deep.txt").write_text("deep")
    (user / ".rc").write_text("rc")
    for name, value in (
        ("HOME", user),
        ("PWD", caller),
        ("OUTSIDE", caller),
        ("XDG_CONFIG_HOME", user / ".config"),
    ):
        monkeypatch.setenv(name, str(value))
        commands.home.environment[name] = str(value)
    monkeypatch.chdir(caller)
    return caller, user


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """One turn, of an agent that was started in its session's directory."""
    made = tmp_path / "recorded.jsonl"
    made.write_bytes(
        trace(
            ("client", request(0, "initialize", protocolVersion=1)),
            ("agent", result(0, protocolVersion=1)),
            ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
            ("agent", result(1, sessionId="s")),
            ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
            ("agent", result(2, stopReason="end_turn")),
        )
    )
    return made


def replayed(commands: Commands, recorded: Path, *options: str) -> Any:
    """What became of a replay whose turn was played."""
    said = commands("replay", recorded, *options, "--json", "--", sys.executable, "-IS", "-c", _BUSY)
    (one,) = json.loads(said.out)["replays"]
    assert one["sent"] == 3, said
    return one


_FRESH = ("--home", "fresh")
_RUNS = ("--unmatched", "workspace", "--allow-terminal")


@pytest.mark.parametrize(
    "options",
    [
        _FRESH,
        (*_FRESH, "--workspace", "."),
        pytest.param(
            (*_FRESH, "--workspace", ".", *_RUNS),
            marks=pytest.mark.skipif(not confined.version(), reason="this system has no Landlock"),
        ),
        (*_FRESH, "--unmatched", "nearest", "--agent-cwd", "run"),
    ],
)
def test_a_busy_agent(
    commands: Commands, recorded: Path, places: tuple[Path, Path], options: tuple[str, ...]
) -> None:
    """It writes, removes and runs commands, where it is and at home: all in the run's directories."""
    before = state(*places)
    of = replayed(commands, recorded, *options)
    assert state(*places) == before
    ran = [each["message"] for each in of["divergences"] if each["code"] == "command-run"]
    assert len(ran) == options.count("--allow-terminal")


def test_what_is_touched_is_seen(commands: Commands, recorded: Path, places: tuple[Path, Path]) -> None:
    """The same agent where it is told to start, and with the caller's home directory."""
    caller, user = places
    before = state(caller), state(user)
    replayed(commands, recorded, "--agent-cwd", ".")
    assert (caller / "made.txt").exists()
    assert not (user / ".rc").exists()
    assert state(caller) != before[0]
    assert state(user) != before[1]


@pytest.mark.slow
def test_the_agents_of_the_tests(commands: Commands, tmp_path: Path, places: tuple[Path, Path]) -> None:
    """The scripted one, and a played one: without any option, for they keep nothing at home."""
    scripted = tmp_path / "scripted.jsonl"
    scripted.write_bytes(scenario.record(commands.home))
    before = state(*places)
    commands("replay", scripted, "--", *scenario.AGENT)
    commands("replay", scripted, "--", *ACP_TRACE, "mock", scripted, "--quiet")
    commands("replay", scripted, "--update", "--", *scenario.AGENT)
    assert state(*places) == before
