"""`acp-trace drive`, with a small agent: what is recorded, what is told, and every wrong line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Commands
from tests.support import ACP_TRACE, Home, agent, entries_in, until

#: Answers as a small agent would; `HANG` in a prompt waits for a cancel, `DIE` ends it, `WAIT` for ever.
AGENT = """
import json
def told(**message): say(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
def chunk(session):
    content = {"type": "text", "text": "on"}
    told(method="session/update", params={"sessionId": session, "update": {
        "sessionUpdate": "agent_message_chunk", "content": content}})
opened, mode = 0, "ask"
for line in lines:
    asked = json.loads(line)
    method, number, params = asked.get("method"), asked.get("id"), asked.get("params", {})
    if method == "initialize":
        can = {"loadSession": True, "sessionCapabilities": {"list": {}}}
        told(id=number, result={"protocolVersion": 1, "agentCapabilities": can,
                                "agentInfo": {"name": "small", "version": "3"}})
    elif method == "session/new":
        opened += 1
        modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "a"}, {"id": "code", "name": "c"}]}
        told(id=number, result={"sessionId": "s%d" % opened, "modes": modes})
    elif method == "session/prompt":
        text, stop = params["prompt"][0]["text"], "end_turn"
        if "HOLD" in text:
            import subprocess
            subprocess.Popen(["sleep", "60"], start_new_session=True)
            sys.exit(3)
        if "DIE" in text:
            sys.exit(3)
        chunk(params["sessionId"])
        if "WAIT" in text:
            import time
            time.sleep(600)
        if "HANG" in text:
            json.loads(next(lines))
            stop = "cancelled"
        told(id=number, result={"stopReason": stop})
    elif method in ("session/set_mode", "session/load"):
        told(id=number, result={})
    elif number is not None:
        told(id=number, error={"code": -32601, "message": "No " + method})
"""


@pytest.fixture
def small() -> list[str]:
    """The end of a command line."""
    return ["--", *agent(AGENT)]


def sent(path: Path) -> list[str]:
    """The methods of what the client said."""
    frames = [entry for entry in entries_in(path) if entry.get("from") == "client"]
    return [entry["frame"]["method"] for entry in frames if "method" in entry["frame"]]


def test_prompts_are_recorded(commands: Commands, tmp_path: Path, small: list[str]) -> None:
    """Into a file that a replay takes; the trace is that of any client."""
    path = tmp_path / "there" / "a.jsonl"
    said = commands("drive", "--prompt", "Hello", "--cancel-prompt", "HANG", "--out", path, *small)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("done  small 3  5 of 5 steps done, ")
    assert " turns ended with: end_turn, cancelled\n" in said.out
    assert sent(path) == ["initialize", "session/new", "session/prompt", "session/prompt", "session/cancel"]
    assert commands.passes("replay", path, *small).startswith("passed")


def test_without_a_file_the_trace_goes_to_the_store(commands: Commands, small: list[str]) -> None:
    """With its labels."""
    found = json.loads(commands.passes("drive", "--prompt", "Hello", "--label", "of=test", "--json", *small))
    assert (found["acp_trace_drive"], found["ok"], found["agent"], found["file"]) == (
        1,
        True,
        "small 3",
        None,
    )
    assert found["stop_reasons"] == ["end_turn"]
    report = commands.json("show", found["trace"])
    assert report["trace"]["labels"] == {"of": "test"}
    assert report["trace"]["origin"] == "recorded"


@pytest.mark.slow
def test_all_that_is_announced_is_tried(commands: Commands, tmp_path: Path, small: list[str]) -> None:
    """What is refused is told in a table, and is no failure; the script says the same."""
    path = tmp_path / "all.jsonl"
    told = commands.passes("drive", "--all", "--cancel-prompt", "HANG", "--out", path, *small)
    rows = {tuple(line.split(None, 2)[:2]): line for line in told.splitlines()}
    assert rows["session/list", "refused:"].endswith("No session/list (-32601)")
    assert rows["mode", "code"].endswith(" done")
    script = tmp_path / "all.toml"
    script.write_text(commands.passes("drive", "--init", "--cancel-prompt", "HANG", *small))
    again = tmp_path / "again.jsonl"
    commands.passes("drive", script, "--out", again)  # the script names the agent
    assert sent(again) == sent(path)
    assert {"session/load", "session/list", "session/set_mode", "session/cancel"} <= {*sent(path)}


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("DIE", "the agent ended (exit code 3) before the answer to prompt 1 came"),
        pytest.param(
            "WAIT", "the agent took too long: the answer to prompt 1 did not come", marks=pytest.mark.slow
        ),
        pytest.param(
            "HOLD",
            "the agent ended (exit code 3) before the answer to prompt 1 came, but a process that it started "
            "still holds its output",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_an_agent_that_does_not_go_on(
    commands: Commands, tmp_path: Path, small: list[str], prompt: str, why: str
) -> None:
    """That is the exit code 5, and what there was is recorded."""
    path = tmp_path / "a.jsonl"
    said = commands("drive", "--prompt", prompt, "--timeout", "5", "--out", path, *small)
    assert said.code == 5
    assert said.out.startswith("ended early  small 3  2 of 3 steps done, 1 unanswered")
    assert why in " ".join(said.out.split())
    assert sent(path)[-1] == "session/prompt"


def test_an_agent_that_dies_at_once(commands: Commands) -> None:
    """What it wrote, where it started, and the option that changes that."""
    said = commands("drive", "--prompt", "x", "--", sys.executable, "-m", "no_such_agent")
    assert said.code == 5
    assert " 1 unanswered, 1 frame\n" in said.out
    words = " ".join(said.out.split())
    assert "It was started in the session's directory: `--agent-cwd DIR` sets another directory" in words
    assert "stderr, all it wrote:" in words
    assert "No module named no_such_agent" in words
    chosen = commands(
        "drive", "--prompt", "x", "--agent-cwd", ".", "--", sys.executable, "-m", "no_such_agent"
    )
    assert "--agent-cwd" not in chosen.out
    assert f"It was started in {Path.cwd()}" in " ".join(chosen.out.split())
    assert "No module named no_such_agent" in chosen.out


def test_an_agent_that_dies_at_the_last_step(commands: Commands, tmp_path: Path, small: list[str]) -> None:
    """It is not done: what was said last was not answered."""
    path = tmp_path / "s.toml"
    path.write_text('steps = [{ request = "session/prompt", params = { prompt = [{ text = "DIE" }] } }]')
    said = commands("drive", path, *small)
    assert (said.code, "exit code 3" in said.out) == (5, True)


def test_a_recording_that_cannot_be_written(commands: Commands, small: list[str]) -> None:
    """Is a failure, whatever was said."""
    said = commands("drive", "--prompt", "Hello", "--out", "/dev/full", *small)
    assert (said.code, said.out) == (3, "")
    assert "nothing was recorded" in said.err


def test_an_agent_that_is_not_there(commands: Commands, tmp_path: Path) -> None:
    """That is one line, however it was to be driven, and no trace is kept."""
    out = tmp_path / "run.jsonl"
    for words in (
        ["--prompt", "x"],
        ["--prompt", "x", "--json"],
        ["--prompt", "x", "--out", out],
        ["--init"],
    ):
        said = commands("drive", *words, "--", str(tmp_path / "none"))
        assert (said.code, said.out, len(said.err.splitlines())) == (5, "", 1)
        assert "cannot start the agent (No such file or directory)" in said.err
    assert not out.exists()
    assert json.loads(commands("ls", "--json").out) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "there is nothing to send: give --prompt TEXT, a SCRIPT, or --all"),
        (["--prompt", "x"], "no agent was given: put its command after `--`, or give --url"),
        (["s.toml", "--all"], "give either SCRIPT or --all or --init"),
        (["s.toml", "--prompt", "x"], "--prompt is for a conversation without SCRIPT"),
        (["--prompt", "x", "--out", ""], "the name is empty"),
        (["--prompt", "x", "--timeout", "soon", "--", "a"], "'soon' is not a number of seconds"),
        (["--prompt", "x", "--url", "http://x/", "--", "a"], "give either AGENT or --url"),
        (
            ["--prompt", "x", "--url", "http://127.0.0.1:1/", "--model"],
            "--model needs an agent",
        ),
        (["none.toml", "--", "a"], "none.toml"),
        (["--init", "--out", "x", "--", "a"], "--init records nothing"),
        (["--prompt", "x", "--as", "agent:silent", "--", "a"], "agent:silent is an agent: only `mock` and"),
        (["--prompt", "x", "--as", "nobody", "--", "a"], "'nobody' is not one of"),
    ],
)
def test_a_line_that_means_nothing(commands: Commands, words: list[str], why: str) -> None:
    """Is refused in one line."""
    said = commands("drive", *words)
    assert (said.code, said.out) == (2, "")
    assert why in said.err


def test_a_script_that_means_nothing(commands: Commands, tmp_path: Path) -> None:
    """Is named."""
    path = tmp_path / "s.toml"
    for text, why in ((b"\xff", "it is not UTF-8"), (b"\xef\xbb\xbfsteps = [{}]\r\n", "step 1 has no verb")):
        path.write_bytes(text)
        said = commands("drive", path, "--", "a")
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith(f"acp-trace: {path}: {why}")


@pytest.mark.slow
def test_what_was_recorded_stays_when_it_is_interrupted(home: Home, tmp_path: Path, small: list[str]) -> None:
    """The agent is ended, the file is whole, and the exit code is that of Ctrl-C."""
    path = tmp_path / "a.jsonl"
    words = [*ACP_TRACE, "drive", "--prompt", "WAIT", "--out", str(path), *small]
    with subprocess.Popen(
        words, env=home.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        until(lambda: path.exists() and b"agent_message_chunk" in path.read_bytes(), "the agent has begun")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in err) == (130, False)
    frames: list[Any] = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert "end" in frames[-1]
