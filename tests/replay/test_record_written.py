"""A written conversation with a real process: what is in the trace, how the agent ends, what is no recording."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive.record_written import NotRecorded, WrittenTrace, record_written
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import SECOND
from acp_trace.replay.written import conversation
from tests.support import agent

#: Opens a session, then does for each prompt what its text says, in Python; `ask` gives the answer to a request.
AGENT = """
import json
def told(**message): say(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
def ask(method, **params):
    told(id=99, method=method, params=params)
    return json.loads(next(lines))["result"]
def chunk(text):
    content = {"type": "text", "text": text}
    told(method="session/update", params={"sessionId": "s", "update": {
        "sessionUpdate": "agent_message_chunk", "content": content}})
for line in lines:
    asked = json.loads(line)
    if asked["method"] == "session/prompt":
        number, stop = asked["id"], "end_turn"
        exec(asked["params"]["prompt"][0]["text"])
        told(id=number, result={"stopReason": stop})
    else:
        if asked["method"] == "session/new":
            cwd = asked["params"]["cwd"]
        told(id=asked["id"], result={"protocolVersion": 1, "sessionId": "s"})
"""


def record(*prompts: Any, settings: Settings | None = None, tail: str = "", **more: Any) -> WrittenTrace:
    """A trace of these prompts. `tail`: what the agent does when its input is closed."""
    written = conversation({"prompts": list(prompts), **more})
    with closing(Stop()) as stop:
        return record_written(written, agent(AGENT + tail), settings or Settings(), stop=stop)


def entries(made: WrittenTrace) -> list[dict[str, Any]]:
    return [json.loads(line) for line in made.lines.splitlines()]


def texts(made: WrittenTrace) -> list[str]:
    """What the agent said, in its order."""
    frames = [entry["frame"] for entry in entries(made) if "frame" in entry]
    updates = [frame["params"]["update"] for frame in frames if frame.get("method") == "session/update"]
    return [update["content"]["text"] for update in updates]


def test_what_is_said_is_in_the_trace() -> None:
    """Header, both sides, stderr, footer; the words of the agent's command as they were given."""
    made = record("chunk('a'); print('log', file=sys.stderr, flush=True)", "stop = 'refusal'")
    header, *_, end = entries(made)
    assert header["agent"]["argv"] == agent(AGENT)
    assert header["agent"]["cwd"]
    assert made.stops == ("end_turn", "refusal")
    assert texts(made) == ["a"]
    assert end["end"]["frames"] == {"client": 4, "agent": 5}
    assert (end["end"]["exit_code"], end["end"]["client_left"]) == (0, True)
    assert any(entry.get("log") == "log" for entry in entries(made))


def test_what_comes_after_the_last_answer_is_in_the_trace() -> None:
    """Also what an agent says only when its input is closed."""
    made = record(
        "told(id=number, result={'stopReason': 'end_turn'}); chunk('late'); number = -1", tail="chunk('bye')"
    )
    assert texts(made) == ["late", "bye"]


def test_an_agent_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trace is whole all the same, and says by what."""
    monkeypatch.setattr("acp_trace.replay.drive.written_run.END_NS", 0)
    made = record("pass", tail="signal.pause()")
    assert entries(made)[-1]["end"]["signal"] == 15


def test_files_are_those_of_a_copy_of_the_workspace(tmp_path: Path) -> None:
    """The original stays as it was."""
    (tmp_path / "a.txt").write_text("was")
    made = record(
        "chunk(ask('fs/read_text_file', path=cwd + '/a.txt')['content'])\n"
        "ask('fs/write_text_file', path=cwd + '/a.txt', content='is')\n"
        "chunk(open(cwd + '/a.txt').read())",
        files=True,
        settings=Settings(workspace=tmp_path),
    )
    assert texts(made) == ["was", "is"]
    assert (tmp_path / "a.txt").read_text() == "was"


def test_a_directory_may_be_named(tmp_path: Path) -> None:
    """Then it is the session's, and the agent starts there unless it is told otherwise."""
    made = record("chunk(cwd); chunk(os.getcwd())", settings=Settings(cwd=tmp_path))
    assert texts(made) == [str(tmp_path.resolve())] * 2
    (tmp_path / "other").mkdir()
    settings = Settings(cwd=tmp_path, agent_cwd=tmp_path / "other", home=tmp_path)
    made = record("chunk(os.getcwd()); chunk(os.environ['HOME'])", settings=settings)
    assert texts(made) == [str((tmp_path / "other").resolve()), str(tmp_path)]


def test_commands_run_in_the_sessions_directory() -> None:
    """If the conversation has terminals."""
    made = record(
        "id = ask('terminal/create', sessionId='s', command='echo', args=['hi'])['terminalId']\n"
        "chunk(str(ask('terminal/wait_for_exit', sessionId='s', terminalId=id)['exitCode']))\n"
        "chunk(ask('terminal/output', sessionId='s', terminalId=id)['output'])",
        terminals=True,
    )
    assert texts(made) == ["0", "hi\n"]


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("sys.exit('out of luck')", "the agent ended (exit code 1) before the answer to prompt 1 came"),
        ("os.kill(os.getpid(), 9)", "the agent ended (signal 9) before the answer to prompt 1 came"),
        (
            "ask('session/request_permission', options=[])",
            "the agent asked for a permission (None) and offered",
        ),
        (
            {"text": "pass", "cancel_after": 1},
            "prompt 1 ended after 0 text chunks, tool calls and tool-call updates",
        ),
    ],
)
def test_what_is_no_recording(prompt: Any, why: str) -> None:
    """It says why, and has what there is of the trace."""
    with pytest.raises(NotRecorded) as error:
        record(prompt)
    assert str(error.value).startswith(why)
    assert error.value.lines


def test_a_cancel_that_comes_too_late_is_no_recording() -> None:
    """The message that it waits for comes with the turn's answer: in the trace, there is nothing to cancel."""
    both = (
        "texts = []\n"
        "say_, say = say, texts.append\n"
        "chunk('a'); told(id=number, result={'stopReason': stop})\n"
        "say = say_; say(''.join(texts)); number = -1"
    )
    with pytest.raises(NotRecorded, match=r"^a turn was over before its cancel arrived: cancel it earlier$"):
        record({"text": both, "cancel_after": 1})


def test_an_agent_that_says_nothing() -> None:
    """After the timeout it is given up, and ended."""
    with pytest.raises(NotRecorded, match=r"^the agent took too long: the answer to .* did not come$"):
        record("signal.pause()", settings=replace(Settings(), timeout_ns=SECOND // 2))


def test_an_agent_that_is_not_there() -> None:
    """No trace, and the reason."""
    with (
        closing(Stop()) as stop,
        pytest.raises(NotRecorded, match=r"^cannot start the agent .*: no-such-agent$"),
    ):
        record_written(conversation({"prompts": ["x"]}), ["no-such-agent"], Settings(), stop=stop)


def test_it_can_be_stopped() -> None:
    """By another thread, or before it begins."""
    with closing(Stop()) as stop:
        stop.set()
        with pytest.raises(NotRecorded, match=r"^it was stopped, before"):
            record_written(conversation({"prompts": ["x"]}), agent(AGENT), Settings(), stop=stop)


def test_an_agent_that_leaves_when_all_is_said() -> None:
    """However it ends: what it answered is there."""
    made = record("told(id=number, result={'stopReason': stop}); sys.exit(3)")
    assert made.stops == ("end_turn",)
    assert entries(made)[-1]["end"]["exit_code"] == 3


@pytest.mark.slow
def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No directory, and no agent that ignores that it is to end."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(NotRecorded):
        record(
            "signal.signal(signal.SIGTERM, signal.SIG_IGN); ask('session/request_permission'); signal.pause()"
        )
    assert list(tmp_path.iterdir()) == []
