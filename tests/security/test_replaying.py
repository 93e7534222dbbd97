"""What a hostile trace can make a replay do: it says things to the agent that you started, and nothing else."""

from __future__ import annotations

import io
import json
import os
import sys
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive.directories import directories
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.settings import SettingError, settings_in
from tests.commands import Commands
from tests.support import request, result, trace

_ID = "20261120T130501Z-7f3a9c"
_GONE = [sys.executable, "-IS", "-c", "pass"]
#: Says in which folders it is told to work.
_TELLS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "session/new":
        print(asked["params"]["cwd"], file=open(sys.argv[1], "a"))
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"sessionId": str(asked["id"])}}), flush=True)
"""
_FOLDERS = [
    "/w/work", "/w/work/../../../../../../../../escaped/a", "/w/work/sub/../..", "/w/work/..", "/", "..", ".", "", "~",
    "/etc", "/w/work/x\0y", "/w/work/" + "y" * 4000, "/w/work/" + "z/" * 3000, "relative/../..", "C:\\w\\..", "//",
    "/w/work/sub", "/w/work/sub/../../work/deeper", "/escaped\n", "\ud800", "/w/work/link/outside",
]  # fmt: skip


def sessions(*cwds: str) -> bytes:
    """A trace that opens a session in each of these folders."""
    frames: list[tuple[str, Any]] = []
    for number, cwd in enumerate(cwds):
        frames.append(("client", request(number, "session/new", cwd=cwd, mcpServers=[])))
        frames.append(("agent", result(number, sessionId=str(number))))
    said = [{"t": at, "from": sender, "frame": one} for at, (sender, one) in enumerate(frames)]
    return trace(end=False) + b"".join(json.dumps(one).encode() + b"\n" for one in said)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where fresh folders are made, with something beside it that nothing may touch."""
    made = tmp_path / "tmp"
    made.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(made))
    return made


def below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_folders_that_a_trace_names(tmp_path: Path, fresh: Path) -> None:
    """Every one of them becomes a folder inside of a fresh one, or a fresh one; all of them are gone after."""
    before = below(tmp_path)
    named = [one.replace("\ud800", "\ufffd") for one in _FOLDERS]
    with closing(Stop()) as stop, directories(named, stop=stop) as lives:
        for folder in lives.values():
            assert Path(folder).resolve().is_relative_to(fresh)
            assert Path(folder).resolve() != fresh
            assert Path(folder).is_dir()
        assert {path for path in below(tmp_path) - before if not path.is_relative_to(fresh)} == set()
    assert below(tmp_path) == before


def test_a_link_in_the_workspace(tmp_path: Path, fresh: Path) -> None:
    """Of a copy of your folder: no folder is made behind a link that leads out of it."""
    elsewhere, workspace = tmp_path / "elsewhere", tmp_path / "workspace"
    elsewhere.mkdir()
    workspace.mkdir()
    (workspace / "link").symlink_to(elsewhere)
    named = ["/w", "/w/link/made", "/w/link"]
    with closing(Stop()) as stop, directories(named, workspace=workspace, stop=stop) as lives:
        assert list(elsewhere.iterdir()) == []
        assert all(Path(one).resolve().is_relative_to(fresh) for one in lives.values())
    assert elsewhere.exists()


@pytest.mark.slow
def test_folders_that_an_agent_is_told(commands: Commands, tmp_path: Path, fresh: Path) -> None:
    """Not one of those that the trace names."""
    path, told = tmp_path / "a.jsonl", tmp_path / "told"
    path.write_bytes(sessions(*_FOLDERS))
    before = below(tmp_path)
    said = commands("replay", path, "--timeout", "30", "--", sys.executable, "-IS", "-c", _TELLS, told)
    assert said.code == 0, said
    cwds = [one for one in told.read_text().split("\n") if one]
    assert len(cwds) >= len(_FOLDERS) - 1
    assert all(cwd.startswith(f"{fresh}{os.sep}") for cwd in cwds), cwds
    home = commands.home.path
    made = {one for one in below(tmp_path) - before if not one.is_relative_to(home)}
    assert made <= {told, tmp_path / "a.jsonl.new"}


def test_a_trace_names_no_command(commands: Commands, tmp_path: Path) -> None:
    """Neither the agent's, in its header, nor those of MCP servers and terminals; without one, nothing is run."""
    marker = tmp_path / "marker"
    evil = ["/bin/sh", "-c", f"touch {marker}"]
    server = {"name": "x", "command": evil[0], "args": evil[1:], "env": []}
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        trace(
            ("client", request(0, "initialize", protocolVersion=1)),
            ("agent", result(0, protocolVersion=1, authMethods=[{"id": "x", "name": "x", "args": evil}])),
            ("client", request(1, "session/new", cwd="/w", mcpServers=[server])),
            ("agent", result(1, sessionId="s")),
            ("agent", request(2, "terminal/create", sessionId="s", command=evil[0], args=evil[1:])),
            ("client", result(2, terminalId="t")),
            agent={"argv": evil, "cwd": str(tmp_path)},
        )
    )
    said = commands("replay", path)
    assert said.code == 2
    assert "has no agent" in said.err
    commands("replay", path, "--explain")
    commands("replay", path, "--unmatched", "workspace", "--timeout", "0.1", "--", *_GONE)
    commands(
        "replay", path, "--unmatched", "nearest", "--timeout", "0.1", "--", sys.executable, "-IS", "-c", _ASKS
    )
    assert not marker.exists()


#: Writes down its environment, and answers.
_DUMPS = """
import json, os, sys
json.dump(dict(os.environ), open(sys.argv[1], "w"))
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {"sessionId": "s"}}), flush=True)
"""


def test_a_trace_sets_no_variable_that_runs_code(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With code in its workspace snapshot; the plan and the report name what was left out. A known name is set."""
    pytest.importorskip("cryptography")
    for name in ("PYTHONPATH", "NO_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    path, marker, dump = tmp_path / "a.jsonl", tmp_path / "marker", tmp_path / "dump"
    bases = [
        ("LD_PRELOAD", "http://h/x ./evil.so"),
        ("NO_PROXY", "http://h/x"),
        ("BASH_FUNC_git%%", "http://h/x"),
    ]
    note = {
        "secrets": ["PYTHONPATH", "OPENAI_API_KEY"],
        "bases": [{"name": name, "url": url} for name, url in bases],
    }
    told = json.dumps({"t": 1, "model": {"environment": note}}).encode()
    session = (
        ("client", request(0, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(0, sessionId="s")),
    )
    header, *rest = trace(*session, workspace_snapshot=_ID, id=_ID).splitlines(keepends=True)
    path.write_bytes(b"".join([header, told + b"\n", *rest]))
    about = json.dumps({"acp_trace_workspace": 1, "trace": _ID})
    with tarfile.open(
        tmp_path / "a.workspace.tar.gz", "w:gz", format=tarfile.PAX_FORMAT, pax_headers={"comment": about}
    ) as archive:
        code = tarfile.TarInfo("acp-trace/sitecustomize.py")
        content = f"open({str(marker)!r}, 'w')".encode()
        code.size = len(content)
        archive.addfile(code, io.BytesIO(content))
    agent = [sys.executable, "-c", _DUMPS, str(dump)]
    (plan,) = commands.json("replay", path, "--explain")
    said = commands("replay", path, "--json", "--", *agent)
    assert said.code == 0
    (run,) = json.loads(said.out)["replays"]
    environment = json.loads(dump.read_text())
    assert not marker.exists()
    assert not {"PYTHONPATH", "LD_PRELOAD", "BASH_FUNC_git%%"} & set(environment)
    assert "/x" not in environment["NO_PROXY"]
    assert environment["OPENAI_API_KEY"] == "acp-trace"
    for variables in (plan["agent"]["variables"], run["variables"]):
        is_set = {each["name"]: each["is_set"] for each in variables if each["why"]}
        assert (is_set["PYTHONPATH"], is_set["LD_PRELOAD"], is_set["OPENAI_API_KEY"]) == (False, False, True)
        assert is_set["HTTPS_PROXY"]
    (left_out,) = (each for each in run["divergences"] if each["code"] == "variable-left-out")
    assert "LD_PRELOAD, NO_PROXY, BASH_FUNC_git%%, PYTHONPATH" in left_out["message"]
    assert "variable-left-out" in commands("replay", path, "--", *agent).out


#: Asks for a terminal as the recorded agent did.
_ASKS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and "method" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"sessionId": "s"}}), flush=True)
        ask = {"sessionId": "s", "command": "/bin/sh", "args": ["-c", "exit 1"]}
        print(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "terminal/create", "params": ask}), flush=True)
"""


def test_settings_beside_a_trace_name_a_command(commands: Commands, tmp_path: Path) -> None:
    """They do, by design, and it is run; so read what came with somebody's trace. `show` and others never look."""
    marker, path = tmp_path / "marker", tmp_path / "a.jsonl"
    path.write_bytes(sessions("/w"))
    code = f"open({str(marker)!r}, 'w')"
    (tmp_path / "a.replay.toml").write_text(f"agent = {json.dumps([sys.executable, '-IS', '-c', code])}\n")
    for command in ("show", "check", "frames", "load"):
        commands(command, path)
    commands("diff", path, path)
    commands("redact", path, "--dry-run")
    commands("replay", path, "--explain")
    commands("replay", path, "--timeout", "1", "--", *_GONE)
    assert not marker.exists()
    commands("replay", path, "--timeout", "30")
    assert marker.exists()


_ODD = [
    "1979-05-27T07:32:00Z", "1979-05-27", "07:32:00", "inf", "nan", "-1", "0", "0x7fffffffffffffffffff", "true", '""',
    "[]", "[[]]", "[1]", '["a", 1]', "{}", '{a = "b"}', '"\\u0000"', '"\\u001b[2J"', '["\\u0000"]', "[[[[[[[[[[]]]]]]]]]]",
    '"/no/such/folder"', '"\\U0010ffff"', '["", ""]', '"' + "x" * 5000 + '"', '"../.."', "9" * 5000, "1e999", '"1e999x"',
]  # fmt: skip


@pytest.mark.parametrize(
    "key",
    [
        "agent",
        "match",
        "mask",
        "budget",
        "pace",
        "timeout",
        "unmatched",
        "cwd",
        "workspace",
        "nonsense",
        '"\\u001b"',
    ],
)
def test_settings_of_odd_types(tmp_path: Path, key: str) -> None:
    """Settings, or an error of their own."""
    path = tmp_path / "a.replay.toml"
    for value in _ODD:
        path.write_text(f"{key} = {value}\n")
        try:
            settings_in(path)
        except SettingError:
            pass


@pytest.mark.parametrize("data", [b"\xff", b"\0", b"a", b"[" * 100_000, b"a = " + b"[" * 50_000])
def test_settings_that_are_no_document(tmp_path: Path, data: bytes) -> None:
    """Also those that are nested without end."""
    path = tmp_path / "a.replay.toml"
    path.write_bytes(data)
    with pytest.raises(SettingError):
        settings_in(path)
