"""`acp-trace mock`: an agent that any client can start. The client here is the test itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Self

import pytest

from tests.compare.conversation import base, chunk, file, permission, prompts
from tests.posix import ENDING, new_terminal
from tests.reading.talk import call, cancel, chosen, hello, opened, reply, stop
from tests.support import ACP_TRACE, DEADLINE_S, WITHOUT_LOADER, Home, Recording, request, result, trace


@pytest.fixture
def one(tmp_path: Path) -> str:
    """A recording: a turn with a permission, and one that is cancelled."""
    path = tmp_path / "one.jsonl"
    new, session = opened()
    path.write_bytes(
        trace(
            *hello(), new, session,
            prompts(3, "go"), chunk("I"), permission(0, "c1"), chosen(0, optionId="yes"), chunk("did"), stop(3),
            prompts(4, "slow"), chunk("hm"), cancel(), stop(4, "cancelled"),
        )
    )  # fmt: skip
    return str(path)


class Client:
    """Talks to a mock, a message at a time."""

    def __init__(self, home: Home, *args: str) -> None:
        self.process = Recording([*WITHOUT_LOADER, "mock", *args], home.environment)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.__exit__()

    def says(self, message: Any) -> None:
        """Sends a message."""
        self.process.say(json.dumps(message).encode() + b"\n")

    def hears(self) -> Any:
        """The next message of the mock."""
        return json.loads(self.process.hear())

    def opens(self, number: int, cwd: str = "/home/me") -> str:
        """Opens a session: its id."""
        self.says(request(number, "session/new", cwd=cwd, mcpServers=[]))
        heard = self.hears()
        assert heard["id"] == number
        return str(heard["result"]["sessionId"])

    def begins(self) -> None:
        """Initializes the connection."""
        self.says(request("a", "initialize", protocolVersion=1))
        assert self.hears() == result("a", protocolVersion=1)

    def asks(self, number: int, session: str) -> None:
        """Prompts, allows what it is asked, and hears the end of the turn."""
        self.says(
            request(number, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])
        )
        assert self.hears()["params"]["sessionId"] == session
        asked = self.hears()
        assert asked["method"] == "session/request_permission"
        self.says(result(asked["id"], outcome={"outcome": "selected", "optionId": "yes"}))
        assert self.hears()["params"]["update"]["content"]["text"] == "did"
        assert self.hears() == result(number, stopReason="end_turn")


def test_a_client_that_does_the_same(home: Home, one: str) -> None:
    """Hears what was recorded, and passes: with ids of its own, and a folder of its own."""
    with Client(home, one) as client:
        client.begins()
        session = client.opens(17)
        client.asks(18, session)
        client.says(request(19, "session/prompt", sessionId=session, prompt=[]))
        assert client.hears()["params"]["update"]["content"]["text"] == "hm"
        client.says({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
        assert client.hears() == result(19, stopReason="cancelled")
        out, err, code = client.process.finish()
    assert (out, code) == (b"", 0), err
    assert err.startswith(b"passed")


def test_it_may_act_as_an_agent_that_went_wrong(home: Home, one: str) -> None:
    """With the faults that agent makes; they are in the header of the run, as those of `--fault` are."""
    with Client(home, one, "--as", "agent:answers-after-cancel") as client:
        client.begins()
        session = client.opens(17)
        client.asks(18, session)
        client.says(request(19, "session/prompt", sessionId=session, prompt=[]))
        assert client.hears()["params"]["update"]["content"]["text"] == "hm"
        client.says({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
        assert client.hears() == result(19, stopReason="end_turn")
        _, err, _ = client.process.finish()
    assert b"fault end-turn on session/prompt" in err


def test_a_client_that_says_something_new(home: Home, one: str, tmp_path: Path) -> None:
    """Gets a clear error, and the run a divergence."""
    junit = tmp_path / "mock.xml"
    with Client(home, one, "--junit", str(junit)) as client:
        client.begins()
        session = client.opens(1)
        client.says(request(2, "session/set_mode", sessionId=session, modeId="x"))
        refused = client.hears()["error"]
        assert refused["code"] == -32601
        assert "no answer for this session/set_mode" in refused["message"]
        client.asks(3, session)
        _, err, code = client.process.finish()
    assert code == 1
    assert b"request-extra" in err
    assert b"set_mode" in err
    (failure,) = ET.parse(junit).iter("failure")
    assert "request-extra" in (failure.text or "")


def test_two_sessions_at_once(home: Home, one: str) -> None:
    """Each plays the recorded one, with an id of its own; a third was not asked for."""
    with Client(home, one, "--sessions", "2") as client:
        client.begins()
        first, second = client.opens(1), client.opens(2)
        assert first != second
        client.asks(3, second)
        client.asks(4, first)
        for number, session in ((5, first), (6, second)):
            client.says(request(number, "session/prompt", sessionId=session, prompt=[]))
        for _ in range(2):
            assert client.hears()["params"]["update"]["content"]["text"] == "hm"
        for number, session in ((6, second), (5, first)):
            client.says({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
            assert client.hears() == result(number, stopReason="cancelled")
        client.says(request(7, "session/new", cwd="/home/me", mcpServers=[]))
        assert "no answer for this session/new" in client.hears()["error"]["message"]
        _, err, code = client.process.finish()
    assert code == 1, err
    assert b"session/new" in err


def test_the_run_is_a_trace(home: Home, one: str, tmp_path: Path) -> None:
    """In the store, and in a file where that is wanted."""
    saved = tmp_path / "saved.jsonl"
    with Client(home, one, "--save", str(saved), "--quiet") as client:
        client.begins()
        client.opens(1)
        _, err, code = client.process.finish()
    assert (err, code) == (b"", 1)
    header = json.loads(saved.read_bytes().splitlines()[0])
    assert (header["origin"], header["replay_of"]) == ("mock", "20261120T130501Z-7f3a9c")
    assert home.run("export", header["id"]) == saved.read_text()


@pytest.mark.parametrize("number", ENDING)
def test_a_client_that_ends_it_by_a_signal(
    home: Home, one: str, number: signal.Signals, tmp_path: Path
) -> None:
    """The trace has its end all the same."""
    saved = tmp_path / "saved.jsonl"
    with Client(home, one, "--save", str(saved)) as client:
        client.begins()
        client.process.process.send_signal(number)
        client.process.process.wait(DEADLINE_S)
        assert client.process.process.returncode == 1
    assert '"end":' in saved.read_text().splitlines()[-1]


def test_a_signal_after_the_end_of_the_input(home: Home, one: str, tmp_path: Path) -> None:
    """Does not take the verdict away: clients end agents so."""
    junit = tmp_path / "mock.xml"
    with Client(home, one, "--junit", str(junit)) as client:
        client.begins()
        client.process.stdin.close()
        assert client.process.hear() == b""  # the mock has hung up, and writes its verdict
        while not junit.exists():
            assert client.process.process.poll() is None
            client.process.process.send_signal(signal.SIGTERM)
        client.process.process.wait(DEADLINE_S)
    assert ET.parse(junit).getroot().get("failures") != "0"


def test_two_sessions_in_two_folders(home: Home, tmp_path: Path) -> None:
    """Each is asked for files of its own."""
    path = tmp_path / "read.jsonl"
    new, session = opened()
    read = call(0, "fs/read_text_file", sessionId="s", path="/w/a.txt")
    path.write_bytes(trace(*hello(), new, session, prompts(3, "go"), read, reply(0, content=""), stop(3)))
    with Client(home, str(path), "--sessions", "2") as client:
        client.begins()
        for number, folder in enumerate(("/one", "/two"), 1):
            named = client.opens(number, folder)
            client.says(request(10 + number, "session/prompt", sessionId=named, prompt=[]))
            asked = client.hears()
            assert asked["params"]["path"] == f"{folder}/a.txt"
            client.says(result(asked["id"], content=""))
            assert client.hears() == result(10 + number, stopReason="end_turn")
        _, err, code = client.process.finish()
    assert code == 0, err


def test_a_client_that_does_not_cancel(home: Home, one: str, tmp_path: Path) -> None:
    """Its prompt gets an error that names the cancel; that is no divergence beside the cancel."""
    junit = tmp_path / "mock.xml"
    with Client(home, one, "--junit", str(junit)) as client:
        client.begins()
        session = client.opens(1)
        client.asks(2, session)
        client.says(request(3, "session/prompt", sessionId=session, prompt=[]))
        assert client.hears()["params"]["update"]["content"]["text"] == "hm"
        told = client.hears()["error"]["message"]
        assert "session/cancel (#13 of the recording) did not come" in told
        _, err, code = client.process.finish()
    assert code == 1
    text = " ".join(err.decode().split())
    assert "1 divergence" in text
    assert "notification-missing session/cancel is no longer sent" in text
    assert "waits for session/cancel of the client (#13)" in text


def test_a_client_that_never_cancels(home: Home, one: str) -> None:
    """With a timeout that is shorter than that wait: exit 5."""
    with Client(home, one, "--timeout", "1") as client:
        client.begins()
        session = client.opens(1)
        client.asks(2, session)
        client.says(request(3, "session/prompt", sessionId=session, prompt=[]))
        assert client.hears()["params"]["update"]["content"]["text"] == "hm"
        assert client.process.hear() == b""
        _, err, code = client.process.finish()
    assert code == 5
    assert b"session/cancel of the client" in b" ".join(err.split())


def test_bad_words(home: Home, one: str) -> None:
    """One line each."""
    wrong = (["--sessions", "0"], ["--match", "x"], ["--junit", "-"], ["--pace", "x"], ["--as", "zed"])
    for words in (*wrong, ["--as", "agent:string-ids"]):
        done = home.outcome("mock", one, *words)
        assert (done.returncode, done.stdout) == (2, b""), words
        assert b"Traceback" not in done.stderr
    assert home.outcome("mock", "no/such.jsonl").returncode == 3


def test_every_conversation_there_is(home: Home, tmp_path: Path) -> None:
    """The one with everything in it, with the replayed client on the other side."""
    path = tmp_path / "base.jsonl"
    path.write_bytes(file(base()))
    home.run("replay", str(path), "--match", "exact", "--", *WITHOUT_LOADER, "mock", str(path))


def test_at_a_terminal_it_says_what_it_waits_for(home: Home, one: str) -> None:
    """Nobody has to wonder why nothing happens; a client that starts it is told nothing."""
    master, slave = new_terminal()
    argv = [*ACP_TRACE, "mock", one]
    process = subprocess.Popen(argv, stdin=slave, stdout=-3, stderr=-1, env=home.environment)
    os.close(slave)
    try:
        assert process.stderr is not None
        assert b"waiting for a client" in process.stderr.readline()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE_S)
        os.close(master)
    assert b"waits for a client" not in home.outcome("mock", one).stderr
