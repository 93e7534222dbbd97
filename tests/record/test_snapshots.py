"""`record --workspace-snapshot`: the files of the session's directory, beside the trace and never in the way."""

from __future__ import annotations

import json
import sys
import tarfile
from pathlib import Path

import pytest

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


def talk(home: Home, directory: Path, snapshot: Path, *options: str) -> None:
    """A recording of a session in a directory, until its snapshot is there."""
    with home.start(_READS, "--workspace-snapshot", *options, cwd=directory) as recording:
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
        assert recording.finish()[2] == 0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a file. A recording may be updated, wherever these tests run."""
    monkeypatch.delenv("CI", raising=False)
    made = tmp_path / "project"
    made.mkdir()
    (made / "mine.txt").write_text("mine")
    (made / ".env").write_text("TOKEN=1")
    return made


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
