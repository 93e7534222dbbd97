"""Replays against an agent at a URL: verdicts over both transports, and every way in which it can fail."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from acp_trace.record.model_side import Lacking
from acp_trace.replay.drive.replay_and_compare import ComparedRun, replay_and_compare
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.remote_agent import remote_agent
from acp_trace.replay.settings import SettingError, Settings, changed
from acp_trace.trace.entries import EntryKind, Header
from acp_trace.trace.jsontext import value
from acp_trace.transport import extra
from tests.replay.facing import entries
from tests.support import Home
from tests.transport.background import answered
from tests.transport.talk import Agent, recording

SCHEMES = ("http", "ws")


def replayed(url: str, file: bytes | None = None, **more: Any) -> ComparedRun:
    """The recording, replayed against what is at a URL."""
    settings = changed(Settings(), {"url": url, **more}, Path.cwd())
    return replay_and_compare(entries(file or recording()), [], settings)


def codes(made: ComparedRun) -> list[str]:
    return [divergence.code for divergence in made.verdict.comparison.failing]


def facts(made: ComparedRun, key: str) -> list[Any]:
    """What the run's trace says of HTTP under a key, in order."""
    said = [value(entry.data) for entry in made.played.entries if entry.kind is EntryKind.HTTP]
    return [each[key] for each in said if key in each]


def lines(made: ComparedRun) -> str:
    return "\n".join(divergence.message for divergence in made.verdict.comparison.failing)


@pytest.fixture(autouse=True)
def own_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs go into a spool of the test's own."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(home.path))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fault", ["", "pretty"])
def test_the_same_agent_passes(scheme: str, fault: str) -> None:
    """All steps, all frames; also if its messages have newlines in them. The run says where it was."""
    with answered(Agent(fault)) as address:
        made = replayed(f"{scheme}://{address}")
    assert codes(made) == []
    assert made.verdict.passed
    assert (made.verdict.steps, made.verdict.sent) == (7, 7)
    header = Header.of(value(made.played.entries[0].data))
    assert (header.argv, header.cwd) == ((f"{scheme}://{address}/acp",), "")
    said = value(made.played.entries[0].data)
    assert said["transport"] == ("websocket" if scheme == "ws" else "http")
    end = value(made.played.entries[-1].data)
    assert (end["exit_code"], end.get("error"), end.get("aborted")) == (None, None, None)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fault", ["", "pretty"])
def test_the_run_names_the_streams(scheme: str, fault: str) -> None:
    """As a recording of the proxy: each frame its stream, and of each stream how it began and ended.

    Newlines in a message are where they were. What the URL has of secrets is nowhere.
    """
    with answered(Agent(fault)) as address:
        made = replayed(f"{scheme}://me:PASSWORD@{address}/acp?key=QUERY")
    frames = [entry for entry in made.played.entries if entry.kind is EntryKind.FRAME]
    assert len(frames) == 16
    requests, responses, ends = (facts(made, key) for key in ("request", "response", "end"))
    posts = [entry.stream for entry in frames if entry.sender == "client"]
    if scheme == "ws":
        assert {entry.stream for entry in frames} == {1}
        assert [(each["method"], each["protocol"]) for each in requests] == [("GET", "WebSocket")]
        assert [each["status"] for each in responses] == [101]
        assert ends == [{"by": "client", "code": 1000}]
    else:
        assert len(set(posts)) == len(posts) == 7
        streams = [entry.stream for entry in frames if entry.sender == "agent"]
        assert streams[0] == posts[0]  # the answer to initialize
        assert len(set(streams)) == 4  # and the connection's stream, and one for each session
        assert [each["method"] for each in requests].count("GET") == 3
        assert requests[-1]["method"] == "DELETE"
        assert {each["protocol"] for each in requests} == {"HTTP/1.1"}
        assert {each["status"] for each in responses} == {200, 202}
        assert len(ends) == len(requests)
    assert {each["path"] for each in requests} == {"/acp"}
    assert all(["authorization", None] in each["headers"] for each in requests)
    assert any(b"newlines" in entry.raw for entry in frames) is (fault == "pretty")
    text = b"".join(entry.raw for entry in made.played.entries)
    assert [secret for secret in (b"PASSWORD", b"QUERY", b"Basic") if secret in text] == []
    assert value(made.played.entries[-1].data)["client_left"] is True


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_run_says_how_a_stream_failed(scheme: str) -> None:
    """Of an agent that leaves in a turn: it ended the stream on which the answer was awaited."""
    with answered(Agent("leaves")) as address:
        made = replayed(f"{scheme}://{address}")
    ends = facts(made, "end")
    if scheme == "ws":
        assert ends == [{"by": "agent", "code": 1001}]
    else:
        assert len(ends) == len(facts(made, "request"))
        assert {"by": "agent"} in ends
    assert "client_left" not in value(made.played.entries[-1].data)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_another_agent_fails(scheme: str) -> None:
    """A cancel that is not obeyed."""
    with answered(Agent("deaf")) as address:
        made = replayed(f"{scheme}://{address}")
    assert codes(made) == ["cancel-outcome"]
    assert not made.verdict.died


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_agent_that_leaves(scheme: str) -> None:
    """In the middle of a turn: what was waited for, and how the connection ended."""
    with answered(Agent("leaves")) as address:
        made = replayed(f"{scheme}://{address}")
    assert made.verdict.died
    assert codes(made) == ["agent-gone"]
    assert f"{scheme}://{address}/acp: " in lines(made)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nobody_is_there(scheme: str, unanswered: str) -> None:
    """As an agent that cannot be started, with the reason; it is not tried again."""
    made = replayed(f"{scheme}://{unanswered}")
    assert (made.played.end, made.verdict.died) == (None, True)
    assert codes(made) == ["cannot-start"]
    assert lines(made) == f"{scheme}://{unanswered}/acp: Connection refused"
    assert value(made.played.entries[-1].data)["error"] == lines(made)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_agent_that_says_nothing(scheme: str) -> None:
    """The deadline holds, and the connection is closed: the server sees the client leave."""
    seen: list[str] = []

    class Silent(Agent):
        async def __call__(self, connection: Any) -> None:
            await super().__call__(connection)
            seen.append("left")

    with answered(Silent("silent")) as address:
        made = replayed(f"{scheme}://{address}", timeout=0.5)
    assert codes(made)[:1] == ["timeout"]
    assert made.verdict.died
    assert value(made.played.entries[-1].data)["aborted"] == "timeout"
    assert seen == ["left"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_is_stopped(scheme: str) -> None:
    """By a wish from outside, while the agent says nothing: no thread and no connection is left."""
    before = threading.active_count()
    asked = threading.Event()

    class Silent(Agent):
        async def __call__(self, connection: Any) -> None:
            while (data := await connection.receive()) is not None:
                asked.set()
                for answer in self._answers(value(data)):
                    connection.send(json.dumps(answer).encode())

    stop = Stop()

    def end() -> None:
        asked.wait()
        stop.set()

    thread = threading.Thread(target=end)
    with answered(Silent("silent")) as address:
        thread.start()
        settings = changed(Settings(), {"url": f"{scheme}://{address}"}, Path.cwd())
        made = replay_and_compare(entries(recording()), [], settings, stop=stop)
        thread.join()
    stop.close()
    assert value(made.played.entries[-1].data)["aborted"] == "stopped"
    assert not [each for each in threading.enumerate() if each.name.startswith("asyncio_")]
    assert threading.active_count() <= before + 1


def test_how_a_process_ended_is_not_compared() -> None:
    """Nobody sees that of a remote agent: an exit code of the recording is no divergence."""
    file = recording().replace(b'"exit_code":0', b'"exit_code":3')
    with answered(Agent()) as address:
        assert codes(replayed(f"http://{address}", file)) == []


def test_there_is_no_stderr() -> None:
    """No line of a log is in the run."""
    with answered(Agent()) as address:
        made = replayed(f"ws://{address}")
    assert [entry for entry in made.played.entries if entry.kind is EntryKind.LOG] == []


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"url": "nonsense"}, "url is not a URL of an agent"),
        ({"url": "http://192.0.2.1/acp"}, "url is on another machine (192.0.2.1)"),
        ({"url": "http://127.0.0.1", "home": "fresh"}, "home works only for an agent that acp-trace starts"),
        (
            {"url": "http://127.0.0.1", "agent_cwd": "run"},
            "agent_cwd works only for an agent that acp-trace starts",
        ),
        ({"url": "http://127.0.0.1", "model": "live"}, "model works only for an agent that acp-trace starts"),
        ({"url": "http://127.0.0.1", "ca": "x.pem"}, "the url has no TLS"),
        ({"url": "https://127.0.0.1", "ca": "nowhere.pem"}, "nowhere.pem: No such file or directory"),
        ({"url": "https://127.0.0.1", "ca": __file__}, "has no certificates in PEM"),
        ({"ca": "x.pem"}, "ca works only with url: give url, or leave ca out"),
        ({"allow_remote": True}, "allow_remote works only with url: give url, or leave allow_remote out"),
    ],
)
def test_settings_that_cannot_be(given: dict[str, Any], line: str) -> None:
    """One line each, before anything is done."""
    with pytest.raises(SettingError) as error:
        remote_agent(changed(Settings(), given, Path.cwd()))
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_settings_that_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another machine if that is meant; and without the packages, how to get them."""
    settings = changed(Settings(), {"url": "https://192.0.2.1", "allow_remote": True}, Path.cwd())
    agent = remote_agent(settings)
    assert agent is not None
    assert agent.address.shown == "https://192.0.2.1/acp"
    assert agent.trust is not None
    monkeypatch.setattr(extra, "is_installed", lambda: False)
    with pytest.raises(Lacking, match=r"pip install 'acp-trace\[http\]'"):
        remote_agent(settings)
