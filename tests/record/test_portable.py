"""The way agents are started on Windows, run here: the same traffic, exit codes and signals."""

from __future__ import annotations

import signal
import subprocess

import pytest

from tests.support import DEADLINE_S, PYTHON, Home, agent, entries_in, frames_in

#: Puts the portable agent in place of the system's own; everything else is as ever.
_RECORD = (
    "import os, sys\n"
    "from acp_trace.record import agents\n"
    "from acp_trace.record.agents.portable import PortableAgent\n"
    "agents.start = PortableAgent\n"
    "agents.leave = lambda status: os._exit(status if status >= 0 else 128 - status)\n"
    "sys.argv[:1] = ['acp-trace', 'record', '--no-load', '--']\n"
    "from acp_trace.cli import main\n"
    "main()\n"
)


def _record(home: Home, code: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    argv = [*PYTHON, "-c", _RECORD, *agent(code)]
    return subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, env=home.environment)


def test_traffic_and_exit_code(home: Home) -> None:
    """Bytes through, frames down, stderr passed on, the agent's code."""
    recording = _record(home, "for line in lines: say(line)\nos.write(2, b'bye\\n'); sys.exit(7)")
    out, err = recording.communicate(b'{"n":1}\nnoise\n', timeout=DEADLINE_S)
    assert (out, err, recording.returncode) == (b'{"n":1}\nnoise\n', b"bye\n", 7)
    (path,) = home.spooled()
    assert len(frames_in(path)) == 4
    assert entries_in(path)[-1]["end"]["exit_code"] == 7


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_passed_on(home: Home, number: signal.Signals) -> None:
    """Once, and the agent's last words are recorded."""
    code = (
        f"heard = []; signal.signal({number.value}, lambda *_: heard.append(1)); say(b'ready\\n')\n"
        "while not heard: time.sleep(0.01)\n"
        "signal.sigtimedwait([], 0.2); say(b'{\"heard\":%d}\\n' % len(heard)); sys.exit(3)"
    )
    recording = _record(home, code)
    assert recording.stdout is not None
    assert recording.stdout.readline() == b"ready\n"
    recording.send_signal(number)
    assert recording.stdout.readline() == b'{"heard":1}\n'
    recording.communicate(timeout=DEADLINE_S)
    assert recording.returncode == 3
    (path,) = home.spooled()
    assert frames_in(path)[-1]["frame"] == {"heard": 1}


def test_an_agent_that_cannot_be_started(home: Home) -> None:
    """127, with its name."""
    argv = [*PYTHON, "-c", _RECORD, "no-such-agent"]
    done = subprocess.run(argv, capture_output=True, env=home.environment, check=False, timeout=DEADLINE_S)
    assert done.returncode == 127
    assert b"cannot start the agent (No such file or directory: no-such-agent)" in done.stderr
