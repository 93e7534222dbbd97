"""`record --workspace-snapshot`: the files of the session's directory, beside the trace and never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from acp_trace.record import afterwards
from tests.commands import Commands
from tests.support import Home, agent, until

#: Answers everything; in its turn it reads a file of its directory, and says so.
_READS = agent(
    "import json\n"
    "for line in lines:\n"
    "    asked = json.loads(line)\n"
    "    if asked['method'] == 'session/prompt':\n"
    "        call = {'sessionUpdate': 'tool_call', 'toolCallId': 'c', 'kind': 'read', 'status': 'completed', 'title': 'r',\n"
    "                'locations': [{'path': os.getcwd() + '/mine.txt'}]}\n"
    "        print(json.dumps({'jsonrpc': '2.0', 'method': 'session/update',\n"
    "              'params': {'sessionId': 's', 'update': call}}), flush=True)\n"
    "        print(sorted(os.listdir()), file=sys.stderr, flush=True)\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'],\n"
    "          'result': {'sessionId': 's', 'stopReason': 'end_turn', 'protocolVersion': 1, 'x': sys.argv[1:]}}), flush=True)\n"
)


def talk(
    home: Home,
    directory: Path,
    snapshot: Path,
    *options: str,
    agent: Iterable[str] = _READS,
    kills: bool = False,
) -> None:
    """A recording of a session in a directory, until its snapshot is there. `kills`: the recorder is killed then."""
    with home.start(agent, "--workspace-snapshot", *options, cwd=directory) as recording:
        for number, (method, params) in enumerate(
            (
                ("initialize", {"protocolVersion": 1}),
                ("session/new", {"cwd": str(directory), "mcpServers": []}),
                ("session/prompt", {"sessionId": "s", "prompt": []}),
            )
        ):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            recording.say(json.dumps(message).encode() + b"\n")
            while "id" not in json.loads(recording.hear()):
                pass
            if method == "session/new":
                until(snapshot.exists, "the snapshot")
        if kills:
            recording.process.kill()
            return
        assert recording.finish()[2] == 0


def end_of(snapshot: Path) -> Any:
    """What a snapshot says of the files at the end; None if it has nothing of that."""
    with tarfile.open(snapshot) as archive:
        return json.loads(archive.pax_headers["comment"]).get("end")


#: Writes `out.txt` in its turn, with its argument, and never says so.
_WRITES = agent(
    "import json\n"
    "for line in lines:\n"
    "    asked = json.loads(line)\n"
    "    if asked['method'] == 'session/prompt' and sys.argv[1:]:\n"
    "        open('out.txt', 'w').write(sys.argv[1])\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'],\n"
    "          'result': {'sessionId': 's', 'stopReason': 'end_turn', 'protocolVersion': 1}}), flush=True)\n"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a file. A recording may be updated, wherever these tests run."""
    monkeypatch.delenv("CI", raising=False)
    made = tmp_path / "project"
    made.mkdir()
    (made / "mine.txt").write_text("mine")
    (made / ".env").write_text("TOKEN=1")
    return made


@pytest.mark.slow
def test_a_recording_brings_its_files(home: Home, commands: Commands, tmp_path: Path, project: Path) -> None:
    """A replay has them, unless it is told otherwise; a redacted copy does not, and an older one keeps its own."""
    out, beside = tmp_path / "t.jsonl", tmp_path / "t.workspace.tar.gz"
    talk(home, project, beside, "--out", str(out))
    head = json.loads(out.read_bytes().partition(b"\n")[0])
    assert head["workspace_snapshot"] == head["id"]
    with tarfile.open(beside) as archive:
        assert archive.getnames() == ["mine.txt"]
    told = "files-missing: the recording's workspace snapshot left out .env, which may hold secrets"
    said = commands.passes("replay", out, "--", *_READS)
    assert told in " ".join(said.replace("files-missing ", "files-missing: ").split())
    assert "mine.txt" not in said
    run = commands.json("show", "last-run", "--json")
    assert "['mine.txt']" in json.dumps(run)
    commands("replay", out, "--update", "--match", "exact", "--", *_READS, "another agent")
    assert json.loads(out.read_bytes().partition(b"\n")[0])["id"] != head["id"], "it is the run now"
    assert "mine.txt" not in commands.passes("replay", out, "--", *_READS)
    redacted = tmp_path / "redacted.jsonl"
    commands.passes("redact", out, "--out", redacted)
    assert b"workspace_snapshot" not in redacted.read_bytes()
    (tmp_path / "empty").mkdir()
    said = commands.passes("replay", out, "--workspace", tmp_path / "empty", "--", *_READS)
    assert "files-missing: the run's directory does not have mine.txt" in said
    beside.rename(tmp_path / "elsewhere")
    said = commands.passes("replay", out, "--", *_READS)
    assert "the recording's workspace snapshot is not here" in said
    (tmp_path / "elsewhere").rename(beside)
    before = beside.read_bytes()
    with home.start([sys.executable, "-c", "pass"], "--out", str(out)) as recording:
        recording.finish()
    assert not beside.exists()
    assert (tmp_path / "t.1.workspace.tar.gz").read_bytes() == before
    assert "mine.txt" not in commands.passes("replay", tmp_path / "t.1.jsonl", "--", *_READS)


def test_a_replay_compares_the_files_at_the_end(home: Home, commands: Commands, project: Path) -> None:
    """Though no message tells of them. The recorder is not gone before it knows them; a trace is no work."""
    out, beside = project / "t.jsonl", project / "t.workspace.tar.gz"
    talk(home, project, beside, "--out", str(out), agent=[*_WRITES, "hello"])
    (end,) = end_of(beside)
    assert [file["name"] for file in end["files"]] == ["out.txt"]
    assert (end["deleted"], end["unknown"]) == ([], [])
    replayed = ("replay", out, "--match", "content", "--json")
    for words, told in (
        (["hello"], []),
        ([], ["file-missing: out.txt is missing at the end"]),
        (["bye"], ["file-differs: out.txt has different content at the end"]),
    ):
        (found,) = json.loads(commands(*replayed, "--", *_WRITES, *words).out)["replays"]
        errors = [each for each in found["divergences"] if each["severity"] == "error"]
        assert [f"{each['code']}: {each['message']}" for each in errors] == told
    commands.passes(*replayed, "--allow", "file-missing out.txt", "--", *_WRITES)
    commands("replay", out, "--update", "--match", "content", "--", *_WRITES, "bye")
    commands.passes(*replayed, "--", *_WRITES, "other")


def test_a_recorder_that_is_killed_keeps_no_end(home: Home, project: Path, tmp_path: Path) -> None:
    """Whoever killed it may clean up meanwhile."""
    out, beside = tmp_path / "t.jsonl", tmp_path / "t.workspace.tar.gz"
    talk(home, project, beside, "--out", str(out), agent=[*_WRITES, "hello"], kills=True)
    assert end_of(beside) is None


def test_a_recorder_waits_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the end of the process, not for ever, and not if somebody is in a hurry."""
    monkeypatch.setattr(afterwards, "_END_S", 60.0)
    monkeypatch.setattr(afterwards, "_LOOK_S", 0.001)
    pid = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", "pass"])
    afterwards.await_snapshot(pid, lambda: False)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)
    afterwards.await_snapshot(pid, lambda: False)
    stays = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        afterwards.await_snapshot(stays.pid, lambda: True)
        monkeypatch.setattr(afterwards, "_END_S", 0.01)
        afterwards.await_snapshot(stays.pid, lambda: False)
        assert stays.poll() is None
    finally:
        stays.communicate()


def test_one_in_the_store_goes_with_its_trace(home: Home, commands: Commands, project: Path) -> None:
    """With `rm`, and so with `prune`."""
    kept = home.path / "workspaces"
    with home.start(_READS, "--workspace-snapshot", "--no-load", cwd=project) as recording:
        message = {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": str(project)}}
        recording.say(json.dumps(message).encode() + b"\n")
        until(lambda: kept.is_dir() and list(kept.glob("*.workspace.tar.gz")), "the snapshot")
        recording.finish()
    (snapshot,) = kept.iterdir()
    assert snapshot.stat().st_mode & 0o777 == 0o600
    trace_id = snapshot.name.partition(".")[0]
    commands.passes("rm", trace_id)
    assert list(kept.iterdir()) == []


def test_without_the_option_nothing_is_kept(home: Home, project: Path) -> None:
    """No program is started, and the header does not speak of it."""
    with home.start(_READS, "--no-load", cwd=project) as recording:
        recording.finish()
    (path,) = home.spooled()
    assert b"workspace" not in path.read_bytes()
    assert not (home.path / "workspaces").exists()


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "x", "9" * 9, ""])
def test_a_limit_that_is_none(commands: Commands, limit: str) -> None:
    """One line, before the agent starts."""
    said = commands("record", "--workspace-snapshot", f"--workspace-snapshot-limit={limit}", "--", "true")
    assert said.code == 2
    assert "is not a number of megabytes above 0" in " ".join(said.err.split())
