"""How long the recorder waits for bytes of an agent that is gone."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from acp_trace.record.drain import LEFT_BEHIND, LONGEST_NS, SILENCE_NS, Drain
from tests.support import DEADLINE_S, PYTHON, Home, agent, entries_in, full, until

_LOOK_NS = 50_000_000  # what the recorder looks at, this often


def _waits(*, read_every: int = 0, moves: int = 0, reading: bool = True, hurried: bool = False) -> int | None:
    """For how many ns a drain waits: a read of `moves` bytes every so many looks. None: over a minute."""
    drain = Drain(0, moved=500)
    for look in range(1, 1200):
        reads = look // read_every if read_every else 0
        now = look * _LOOK_NS
        if drain.over(now, reading=reading, progress=reads, moved=500 + reads * moves, hurried=hurried):
            return now
    return None


def test_silence_ends_the_wait() -> None:
    """The pipe is empty, and someone holds it."""
    waited = _waits()
    assert waited is not None
    assert SILENCE_NS <= waited <= SILENCE_NS + 2 * _LOOK_NS


def test_a_client_that_reads_slowly_is_waited_for() -> None:
    """The pump waits for the client, not for bytes: what the agent left is still to come."""
    assert _waits(reading=False) is None
    assert _waits(reading=False, read_every=40, moves=LEFT_BEHIND // 40) is None


def test_a_client_that_sent_a_signal_and_reads_no_more_is_not() -> None:
    """It wants the end."""
    waited = _waits(reading=False, hurried=True)
    assert waited is not None
    assert SILENCE_NS <= waited <= SILENCE_NS + 2 * _LOOK_NS


def test_a_signalled_agent_whose_bytes_still_move_is_waited_for() -> None:
    """Its last words."""
    assert _waits(reading=False, hurried=True, read_every=10, moves=100) is None


def test_chatter_ends_the_wait() -> None:
    """Never silent, never much: once the pipe was seen empty, what comes is not the agent's."""
    waited = _waits(read_every=4, moves=3)
    assert waited is not None
    assert LONGEST_NS <= waited <= LONGEST_NS + 10 * _LOOK_NS


def test_a_flood_ends_the_wait() -> None:
    """More than any pipe holds was not left behind."""
    waited = _waits(read_every=1, moves=1 << 18)
    assert waited is not None
    assert LONGEST_NS <= waited <= LONGEST_NS + 2 * _LOOK_NS


def test_a_chatty_grandchild_does_not_hold_the_recorder(home: Home) -> None:
    """The same with real processes, and a shorter patience."""
    code = (
        "import sys\n"
        "from acp_trace.record import drain\n"
        "drain.LONGEST_NS = 300_000_000\n"
        "sys.argv[:1] = ['acp-trace', 'record', '--no-load', '--']\n"
        "from acp_trace.cli import main\n"
        "main()\n"
    )
    leaving = agent(
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    os.close(2)\n"
        "    while True: say(b'{}\\n'); time.sleep(0.2)\n"
        "os.write(2, b'%d\\n' % pid); os._exit(5)"
    )
    pipe = subprocess.PIPE
    argv = [*PYTHON, "-c", code, *leaving]
    with subprocess.Popen(argv, env=home.environment, stdin=pipe, stdout=pipe, stderr=pipe) as recording:
        assert recording.stderr is not None
        orphan = int(recording.stderr.readline())
        try:
            assert recording.wait(DEADLINE_S) == 5
        finally:
            os.kill(orphan, signal.SIGKILL)
            recording.kill()
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["exit_code"] == 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_client_that_sends_a_signal_and_reads_no_more(home: Home, number: signal.Signals) -> None:
    """Its pipe is full and stays so; the agent's end is the recorder's."""
    flood = agent("signal.signal(2, signal.SIG_DFL)\nwhile True: say(b'{\"more\":1}\\n' * 1000)")
    with home.start(flood) as recording:
        recording.hear()
        until(lambda: full(recording.process), "a full pipe")
        recording.process.send_signal(number)
        assert recording.process.wait(DEADLINE_S) == -number
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["signal"] == number
