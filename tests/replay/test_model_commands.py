"""Recordings that answer as the model, in every command that plays them: processes, without a model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from tests.replay.model_stage import AGENT, record
from tests.support import Home

pytestmark = pytest.mark.slow

_CHANGED = [*AGENT, "prompt"]
_TEST = '''
def test_it(acp_replay):
    """A replay with the model's side."""
    acp_replay("a.jsonl", agent={agent}, model_strict=True)
'''


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A session with its model's side, as a trace file."""
    return record(Home(tmp_path_factory.mktemp("home")), tmp_path_factory.mktemp("work"))


@pytest.fixture
def recordings(recorded: bytes, tmp_path: Path) -> Path:
    """A directory with two recordings of one session; the model they were made with is gone."""
    directory = tmp_path / "traces"
    directory.mkdir()
    for name in ("a", "b"):
        (directory / f"{name}.jsonl").write_bytes(recorded)
    return directory


def test_several_recordings_at_once(home: Home, recordings: Path) -> None:
    """`--jobs`: each run is answered from its own recording."""
    replays = json.loads(home.run("replay", str(recordings), "--jobs", "2", "--json", "--", *AGENT))[
        "replays"
    ]
    assert [
        (each["model"]["mode"], each["model"]["calls"], each["model"]["unmatched"]) for each in replays
    ] == [("recorded", 4, 0)] * 2


def test_what_varies_is_learned(home: Home, recordings: Path) -> None:
    """`--learn`: its runs are answered as well."""
    assert "3 runs" in home.run("replay", str(recordings / "a.jsonl"), "--learn", "3", "--", *AGENT)


def test_a_changed_prompt_is_reviewed_and_accepted(home: Home, recordings: Path) -> None:
    """The run becomes the recording, with the answers that it was given: the changed agent replays it as its own."""
    arguments = ["replay", str(recordings / "a.jsonl"), "--model-strict", "--", *_CHANGED]
    assert "1  model-prompt-changed" in home.run(*arguments, code=1)
    assert "1  model-prompt-changed" in home.run("review", str(recordings), code=1)
    home.run("review", str(recordings), "--accept")
    assert "0 unmatched\n model: recorded, 4 calls, 4 matched" in home.run(*arguments)


def test_a_test_is_answered_too(home: Home, recordings: Path) -> None:
    """The pytest plugin: with the same agent it passes, with a changed prompt the code is told."""
    for agent, code in ((AGENT, 0), (_CHANGED, 1)):
        (recordings / "test_it.py").write_text(_TEST.format(agent=agent))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".", "test_it.py"],
            cwd=recordings,
            env=home.environment,
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
        assert (done.returncode, "model-prompt-changed" in done.stdout) == (code, bool(code)), done.stdout


def test_the_agent_is_played_as_well(home: Home, recordings: Path) -> None:
    """`mock`: a client is answered by a recording that has a model's side, which nobody asks then."""
    ask = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}},
        {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/tmp", "mcpServers": []}},
    ]
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in ask)
    said = home.outcome("mock", str(recordings / "a.jsonl"), stdin=lines).stdout.splitlines()
    assert [json.loads(line)["id"] for line in said if b'"result"' in line] == [0, 1]
