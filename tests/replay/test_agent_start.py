"""docs/replay.md, Where the agent starts: the directory, the words that name files, the variables."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive.agent_home import environment
from acp_trace.replay.drive.agent_start import AgentPlace, agent_place, is_usable
from acp_trace.replay.drive.agent_words import absent, located
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.run import replay
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.replay.settings import Settings
from acp_trace.trace.parse import Parser
from tests.support import Home, request, result, trace

#: Answers, and makes a file where it is started and one in its home directory; says where that is.
_AGENT = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"sessionId": str(asked["id"])}}), flush=True)
open("made.txt", "w").close()
open(os.path.join(os.environ["HOME"], ".made"), "w").close()
told = {name: os.environ.get(name) for name in ("PWD", "OLDPWD", "HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")}
print(json.dumps({"argv": sys.argv[1:], "cwd": os.getcwd(), "files": os.listdir(), **told}), file=sys.stderr)
"""


def played(recorded: str, *sessions: str, argv: list[str] | None = None, **settings: Any) -> Played:
    """A replay of a recording whose agent was started in a directory and opened sessions in these."""
    frames: list[tuple[str, Any]] = []
    for number, cwd in enumerate(sessions):
        frames.append(("client", request(number, "session/new", cwd=cwd, mcpServers=[])))
        frames.append(("agent", result(number, sessionId=str(number))))
    entries = Parser().feed(trace(*frames, agent={"argv": ["x"], "cwd": recorded}))
    argv = argv or [sys.executable, "-IS", "-c", _AGENT]
    with closing(Stop()) as stop:
        return replay(plan(read(entries), "client"), argv, replace(Settings(), **settings), stop=stop)


def told(run: Played) -> Any:
    """What the agent said."""
    (said,) = (entry.data for entry in run.entries if entry.kind == "log")
    return json.loads(said)


def below(directory: Path) -> set[Path]:
    """All that is there, but for the run's own trace."""
    return {path for path in directory.rglob("*") if "home" not in path.relative_to(directory).parts}


@pytest.fixture
def caller(tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The caller's directory, with its own directories for temporary files and for the user beside it."""
    for name in ("caller", "tmp", "user"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("ACP_TRACE_HOME", str(home.path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user" / "data"))
    monkeypatch.chdir(tmp_path / "caller")
    monkeypatch.setenv("PWD", str(tmp_path / "caller"))
    return tmp_path / "caller"


def test_nothing_of_the_caller_is_touched(caller: Path) -> None:
    """Recorded in its session's directory: it starts in that of the run, and believes so."""
    (caller / "mine").write_text("mine")
    before = below(caller.parent)
    run = played("/w", "/w", "/v", home="fresh")
    said = told(run)
    assert said["cwd"] == said["PWD"] != str(caller)
    assert said["cwd"].startswith(str(caller.parent / "tmp"))
    assert (said["OLDPWD"], said["XDG_RUNTIME_DIR"]) == (None, None)
    assert said["HOME"] != str(caller.parent / "user")
    assert said["XDG_DATA_HOME"] == f"{said['HOME']}/.local/share"
    assert not [each for each in run.incidents if each.code == "agent-outside"]
    head = json.loads(run.entries[0].raw)
    assert head["agent"]["cwd"] == said["cwd"]
    assert below(caller.parent) == before, "the run's directories and the home directory are gone"


@pytest.mark.parametrize("recorded", ["", "/no/such/directory", "."])
def test_outside_of_its_sessions_it_starts_in_the_directory_of_the_run(caller: Path, recorded: str) -> None:
    """Of the first session; if there are no sessions, in a new one. Nobody named the caller's: the trace does."""
    recorded = str(caller) if recorded == "." else recorded
    for sessions in (("/w", "/v"), ()):
        run = played(recorded, *sessions)
        assert told(run)["cwd"].startswith(str(caller.parent / "tmp"))
        notes = [each.message for each in run.incidents if each.code == "agent-outside"]
        assert len(notes) == bool(recorded and sessions)
        assert all(
            f"in the run's directory: in the recording, it started in {recorded}, outside" in note
            for note in notes
        )
    assert below(caller) == set()


def test_a_directory_that_is_named(caller: Path, tmp_path: Path) -> None:
    """Before everything else; with `--cwd`, the session's own is that one."""
    (tmp_path / "given").mkdir()
    assert told(played("/w", "/w", agent_cwd=tmp_path / "given"))["cwd"] == str(tmp_path / "given")
    assert told(played("/w", "/w", cwd=tmp_path / "given"))["cwd"] == str(tmp_path / "given")
    said = told(
        played(str(caller), "/w", agent_cwd="run", workspace=tmp_path / "given", home=tmp_path / "user")
    )
    assert said["cwd"].startswith(str(tmp_path / "tmp"))
    assert said["files"] == ["made.txt", "made.txt"][:1], "a copy of what earlier runs left there"
    assert (tmp_path / "user" / ".made").exists()


def test_an_agent_that_cannot_be_where_it_is(caller: Path) -> None:
    """A module that is found only in the caller's directory: what is told names the directory, and the option."""
    (caller / "mine.py").write_text("")
    for more, named in (({}, True), ({"agent_cwd": caller}, False)):
        run = played("/w", "/w", argv=[sys.executable, "-m", "mine"], **more)
        (message,) = (each.message for each in run.incidents if each.code == "agent-gone")
        assert ("`--agent-cwd DIR` sets another directory" in message) is named


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["dist/agent.js", "acp"], "dist/agent.js"),
        (["./agent.py"], "./agent.py"),
        (["/nowhere/agent.mjs"], "/nowhere/agent.mjs"),
        (["--config=a.json", "-m", "mine", "@scope/agent", "https://x/a.js"], None),
        (["there.py"], None),
    ],
)
def test_an_agent_that_was_not_built(tmp_path: Path, words: list[str], named: str | None) -> None:
    """The word that names its file is found, and nothing else."""
    (tmp_path / "there.py").touch()
    assert absent(["node", *words], str(tmp_path), "/") == named


def test_the_file_of_an_agent_that_is_missing_is_named(caller: Path) -> None:
    """In place of the directory, which is not the cause."""
    run = played("/w", "/w", argv=[sys.executable, "dist/agent.py"])
    (message,) = (each.message for each in run.incidents if each.code == "agent-gone")
    assert message.endswith(". dist/agent.py does not exist: was it built?")


@pytest.mark.parametrize(
    ("recorded", "sessions", "expected"),
    [
        ("/w", ["/w"], AgentPlace("session", "/w", "", "")),
        ("/w/", ["/v", "/w"], AgentPlace("session", "/w", "", "")),
        ("/w", ["/w/"], AgentPlace("session", "/w/", "", "")),
        ("/w/in/x", ["/w", "/w/in"], AgentPlace("session", "/w/in", "", "/x")),
        ("/w/../v", ["/w", "/v"], AgentPlace("session", "/v", "", "")),
        ("/workshop", ["/w"], AgentPlace("run", "", "", is_moved=True)),
        ("/", ["/w"], AgentPlace("run", "", "", is_moved=True)),
        ("/x", ["/"], AgentPlace("session", "/", "", "/x")),
        ("/w", [], AgentPlace("run", "", "")),
        ("", ["/w"], AgentPlace("run", "", "")),
        ("/w", [".", "", "w", "/\0"], AgentPlace("run", "", "", is_moved=True)),
        ("C:\\w", ["C:\\w"], AgentPlace("session", "C:\\w", "", "")),
        ("c:\\W\\a\\b", ["C:/w"], AgentPlace("session", "C:/w", "", "/a/b")),
        ("C:\\work", ["C:\\w"], AgentPlace("run", "", "", is_moved=True)),
    ],
)
def test_the_table(recorded: str, sessions: list[str], expected: AgentPlace) -> None:
    """docs/replay.md has it in words."""
    place = agent_place(recorded, sessions, Settings())
    assert replace(place, why="") == expected


def test_a_session_that_was_opened_through_a_link(tmp_path: Path) -> None:
    """The system names the directory in which a process was started without links."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    place = agent_place(str(tmp_path / "real"), [str(tmp_path / "link")], Settings())
    assert place.kind == "session"


def test_a_directory_into_which_others_write_is_not_used(tmp_path: Path) -> None:
    """A trace may name any; nobody's files are to be waiting there."""
    assert is_usable(str(tmp_path))
    tmp_path.chmod(0o777)
    assert not is_usable(str(tmp_path))
    assert not is_usable("/no/such/directory")
    assert not is_usable("\0")
    assert not is_usable(".")


def test_words_that_name_files_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What exists as seen from the caller's directory; nothing else."""
    here = str(tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "acp").mkdir()
    for name in ("dist/agent.js", "run.sh", "cfg.json", "agent"):
        (tmp_path / name).touch(0o755)
    unchanged = (
        "node",
        "--acp",
        "acp",
        "agent",
        "no/such.js",
        "1.5",
        "/etc/passwd",
        "-c",
        "print(1.0/2)",
        "",
        "-",
        "a\0/b",
    )
    assert located(unchanged, here) == unchanged
    assert located(("node", "dist/agent.js"), here) == ("node", f"{here}/dist/agent.js")
    assert located(("./agent", "run.sh", "."), here) == (f"{here}/agent", f"{here}/run.sh", f"{here}/.")
    assert located(("dist/agent.js", "--config=cfg.json", "-e=./agent"), here) == (
        f"{here}/dist/agent.js", f"--config={here}/cfg.json", f"-e={here}/agent"
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "dist:.")
    assert located(("agent",), here) == (f"{here}/./agent",)
    assert located(("run.sh",), "") == ("run.sh",)
    assert located((), here) == ()


def test_the_variables_of_an_agent() -> None:
    """Nothing is changed but where it is, unless it gets another home directory."""
    given = {
        "HOME": "/me",
        "PWD": "/here",
        "OLDPWD": "/there",
        "XDG_CACHE_HOME": "/c",
        "XDG_RUNTIME_DIR": "/r",
    }
    assert environment(given, "/w", None) == {
        "HOME": "/me", "PWD": "/w", "XDG_CACHE_HOME": "/c", "XDG_RUNTIME_DIR": "/r"
    }  # fmt: skip
    isolated = environment(given, "/w", "/h")
    assert isolated["HOME"] == "/h"
    assert {name: value for name, value in isolated.items() if name.startswith("XDG_")} == {
        "XDG_CACHE_HOME": "/h/.cache"  # what is not set is below HOME anyway
    }
    assert os.environ.get("HOME") != "/h"
