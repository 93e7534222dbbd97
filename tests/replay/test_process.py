"""An agent's process group, and the end of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.cli import playing
from acp_trace.cli.playable import Playable
from acp_trace.record import drain
from acp_trace.replay.drive import process as module
from acp_trace.replay.drive.process import Process
from acp_trace.replay.drive.run import replay
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import SECOND
from acp_trace.system.processes import KILL
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.parse import Parser
from tests.support import DEADLINE_S, HEADER, KILLED, agent, request, result, trace

assert sys.platform != "win32", pytest.skip("has no groups of processes", allow_module_level=True)

_STAYS = (
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "next(lines)\n"
    'say(b\'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\\n\')\n'
    "signal.sigwait({signal.SIGUSR1})"
)
_WAITS = "signal.sigwait({signal.SIGUSR1})"


def test_a_number_that_is_free_again_is_not_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the agent's end is taken, the system may give its number to others: their group is left alone."""
    told, plain = list[int](), os.killpg

    def killpg(group: int, number: int) -> None:
        told.append(number)
        plain(group, number)

    monkeypatch.setattr(os, "killpg", killpg)
    process = Process(agent("sys.exit(3)"))
    assert process.end(30 * SECOND)
    assert [process.finish(), process.finish()] == [3, 3]
    assert len(told) == 1
    for fd in (process.stdin, process.stdout, process.stderr):
        os.close(fd)


@pytest.mark.parametrize(
    ("ending", "status", "words"),
    [("sys.exit(3)", 3, " (exit code 3)"), ("os.kill(os.getpid(), 9)", -9, " (signal 9)")],
)
def test_how_it_ended_is_known_before_its_group_is_ended(ending: str, status: int, words: str) -> None:
    """Of an agent whose child goes on, nothing else says it."""
    process = Process(agent(f"import os, sys\n{ending}"))
    assert process.gone.wait(DEADLINE_S)
    assert (process.status, module.how(process.status), module.how(None)) == (status, words, "")
    process.finish()
    for fd in (process.stdin, process.stdout, process.stderr):
        os.close(fd)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents belong to another user: this one is not to signal them."""

    def killpg(_group: int, _number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "killpg", killpg)
    monkeypatch.setattr(module, "REFUSED_S", 0.01)
    monkeypatch.setattr(module, "TERM_NS", 0)
    monkeypatch.setattr(drain, "SILENCE_NS", SECOND // 100)


@pytest.mark.usefixtures("refused")
def test_who_may_not_be_ended_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """`sudo AGENT` belongs to root: nobody waits for it for ever, and the verdict says that it is there."""
    agents, started = list[subprocess.Popen[bytes]](), module._started

    def remembered(argv: Sequence[str], *where: Any) -> subprocess.Popen[bytes]:
        agents.append(started(argv, *where))
        return agents[-1]

    monkeypatch.setattr(module, "_started", remembered)
    messages = ("client", request(0, "initialize")), ("agent", result(0, protocolVersion=1))
    entries = Parser().feed(trace(*messages, end=False))
    stop = Stop()
    played = replay(plan(read(entries), "client"), agent(_STAYS), Settings(timeout_ns=SECOND // 5), stop=stop)
    stop.close()
    pid = int(played.left.split()[1])
    os.kill(pid, KILL)
    os.waitpid(pid, 0)
    agents[0].returncode = KILLED  # else it complains, in a test that comes later, that nobody waited
    assert played.left == f"process {pid} cannot be ended"
    assert (played.incidents[-1].code, played.incidents[-1].message) == (
        "stays",
        f"the agent is still running: {played.left}",
    )
    assert played.entries[-1].kind is EntryKind.END


@pytest.mark.parametrize(
    ("messages", "code", "aborted", "timeout_ns"),
    [
        # It answers nothing: acp-trace gives up.
        (
            (("client", request(0, "initialize")), ("agent", result(0, protocolVersion=1))),
            _WAITS,
            "timeout",
            SECOND // 5,
        ),
        # All is played, and it does not end.
        ((("client", request(0, "initialize")),), _WAITS, "stayed", SECOND // 5),
        ((("client", request(0, "initialize")),), "sys.stdin.readline()", None, DEADLINE_S * SECOND),
        # It went by itself, with a request open.
        (
            (("client", request(0, "initialize")), ("agent", result(0, protocolVersion=1))),
            "sys.stdin.readline()",
            None,
            DEADLINE_S * SECOND,
        ),
    ],
)
def test_who_ended_it_is_written_down(
    messages: tuple[tuple[str, Any], ...], code: str, aborted: str | None, timeout_ns: int
) -> None:
    """In the footer; nobody is blamed for what was open when acp-trace itself ended the agent."""
    entries = Parser().feed(trace(*messages))
    stop = Stop()
    played = replay(plan(read(entries), "client"), agent(code), Settings(timeout_ns=timeout_ns), stop=stop)
    stop.close()
    analyzer = Analyzer()
    for entry in played.entries:
        analyzer.feed(entry)
    facts = analyzer.facts()
    assert (facts.trace.origin, facts.trace.replay_of) == ("replay", HEADER["id"])
    assert facts.trace.aborted == aborted
    assert ("never-answered" in [one.code for one in facts.findings]) == (aborted is None)


@pytest.mark.parametrize("signalled", [False, True])
def test_an_agent_that_was_ended_by_a_signal_may_stay(signalled: bool) -> None:
    """Nobody knows whether the recorded one would have ended with its input."""
    recording = trace(("client", request(0, "initialize")))
    if signalled:
        recording = recording.replace(b'"exit_code":0', b'"signalled":true,"exit_code":0')
    stop = Stop()
    settings = Settings(timeout_ns=SECOND // 5)
    played = replay(plan(read(Parser().feed(recording)), "client"), agent(_WAITS), settings, stop=stop)
    stop.close()
    assert [each.code for each in played.incidents if each.code == "stays"] == (
        [] if signalled else ["stays"]
    )


def test_what_is_said_of_an_agent_that_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    """Never that none is left."""
    one = Playable("t.jsonl", None, [], Settings(), ())
    playing._say_ended("SIGTERM", [one], ["process 7 cannot be ended"])
    said = (
        "acp-trace: ended by SIGTERM before the replay of t.jsonl was complete: process 7 cannot be ended\n"
    )
    assert capsys.readouterr().err == said


def test_the_time_that_an_agent_is_given_ends_early() -> None:
    """A recording may give it hours; Ctrl-C wants the end now."""
    process = Process(agent("signal.sigwait({signal.SIGUSR1})"))
    assert not process.end(1_000_000 * SECOND, hurry=lambda: True)
    assert process.finish() == -signal.SIGTERM
    for fd in (process.stdin, process.stdout, process.stderr):
        os.close(fd)
