"""How long the recorder waits for bytes of an agent that is gone."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from acp_trace.record.drain import BLOCK, LEFT_BEHIND, LONGEST_NS, SILENCE_NS, Drain
from acp_trace.system.processes import KILL
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


@pytest.mark.parametrize(("reads", "moves"), [(5, 15), (2, BLOCK + 1), (5, 3 * BLOCK), (1, 4096)])
def test_chatter_at_every_look_ends_the_wait(reads: int, moves: int) -> None:
    """Its reads are never the same at two looks; but one that is short found the pipe empty."""
    drain = Drain(0, moved=500)
    for look in range(1, 1200):
        now, moved = look * _LOOK_NS, 500 + look * moves
        if drain.over(now, reading=True, progress=look * reads, moved=moved, hurried=False):
            break
    assert LONGEST_NS <= now <= LONGEST_NS + 2 * _LOOK_NS


def test_a_flood_ends_the_wait() -> None:
    """More than any pipe holds was not left behind."""
    for moves in (1 << 18, BLOCK):
        for reading in (True, False):
            waited = _waits(read_every=1, moves=moves, reading=reading)
            assert waited is not None
            assert LONGEST_NS <= waited <= LONGEST_NS + 2 * _LOOK_NS


def _seen(*looks: tuple[int, bool, int, int]) -> bool:
    """What a drain says at the last of some looks: milliseconds, reading, reads and bytes so far."""
    drain = Drain(0, moved=0)
    for ms, reading, progress, moved in looks:
        over = drain.over(ms * 1_000_000, reading=reading, progress=progress, moved=moved, hurried=False)
    return over


@pytest.mark.parametrize(
    ("looks", "over"),
    [
        ([(50, True, 0, 0), (4000, True, 0, 0)], True),
        ([(50, True, 0, 0), (100, True, 0, 0), (4000, True, 9, 9 * BLOCK)], True),
        ([(50, False, 0, 0), (4000, True, 0, 0)], False),
        ([(50, False, 0, 0), (4000, True, 1, BLOCK)], False),
        ([(50, True, 0, 0), (2000, False, 1, BLOCK), (4000, True, 1, BLOCK)], False),
        ([(50, False, 0, 0), (4000, True, 1, 10)], False),
        ([(50, False, 0, 0), (4000, True, 2, BLOCK + 10)], False),
        ([(50, False, 0, 0), (4000, True, 3, BLOCK + 20)], True),
        ([(50, False, 0, 0), (4000, False, 3, BLOCK + 20)], False),
        ([(50, False, 0, 0), (3000, False, 3, BLOCK + 20), (4000, True, 4, 2 * BLOCK + 20)], True),
        ([(50, False, 0, 0), (4000, False, 17, 17 * BLOCK)], False),
        ([(50, False, 0, 0), (4000, False, 19, 19 * BLOCK)], True),
    ],
    ids=[
        "it waited at both looks", "seen empty at an earlier look", "it came back from the client just now",
        "and with one whole read", "it waited for another read then", "a short read from before the death",
        "perhaps one", "a short read since", "whose bytes are not forwarded yet", "and then are",
        "as much as a pipe may hold", "more than that",
    ],
)  # fmt: skip
def test_what_shows_that_the_pipe_was_empty(looks: list[tuple[int, bool, int, int]], over: bool) -> None:
    """Nothing that the agent left is cut off; only from then on the wait has an end."""
    assert _seen(*looks) is over


@pytest.mark.parametrize("pause", ["0.2", "0.01"])
def test_a_chatty_grandchild_does_not_hold_the_recorder(home: Home, pause: str) -> None:
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
        f"    while True: say(b'{{}}\\n'); time.sleep({pause})\n"
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
            os.kill(orphan, KILL)
            recording.kill()
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["exit_code"] == 5


@pytest.mark.slow
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
