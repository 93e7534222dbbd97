"""How a recording ends: exit codes, signals, hang-ups, orphans that hold a pipe, kill -9."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.posix import leads_a_terminal
from tests.support import ACP_TRACE, DEADLINE_S, PYTHON, Home, agent, entries_in, frames_in, until

if sys.platform != "win32":
    from acp_trace.record.agents.posix import PASSED_ON, PosixAgent

assert sys.platform != "win32", pytest.skip("has no such signals", allow_module_level=True)


def _end(home: Home) -> dict[str, object]:
    (path,) = home.spooled()
    last = entries_in(path)[-1]["end"]
    assert isinstance(last, dict)
    return last


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_the_agents_exit_code(home: Home, code: int) -> None:
    """The client sees what it would have seen."""
    with home.start(agent(f"sys.exit({code})")) as recording:
        assert recording.finish()[2] == code
    assert _end(home)["exit_code"] == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGABRT])
def test_the_agents_death_by_signal(home: Home, number: signal.Signals) -> None:
    """The recorder dies by the same signal, after it has written the footer."""
    with home.start(agent(f"os.kill(os.getpid(), {number.value})")) as recording:
        assert recording.finish()[2] == -number
    assert (_end(home)["exit_code"], _end(home)["signal"]) == (None, number)


def test_the_footer_says_that_the_client_had_left(home: Home) -> None:
    """It closed its side, or asked the agent to end by a signal. Not if the agent ended first."""
    waits = agent("say('ready\\n')\nsys.stdin.read()\nsys.exit(1)")
    with home.start(waits) as recording:
        recording.hear()
        recording.finish()
    with home.start(waits) as recording:
        recording.hear()
        recording.process.terminate()
        recording.process.wait(DEADLINE_S)  # its input stays open: an agent may answer that first
    with home.start(agent("say('ready\\n')\nsys.exit(1)")) as recording:
        recording.process.wait(DEADLINE_S)
    ends = [entries_in(path)[-1]["end"] for path in home.spooled()]
    told = sorted((str(end["exit_code"]), "client_left" in end, "signalled" in end) for end in ends)
    assert told == [("1", False, False), ("1", True, False), ("None", True, True)]


_HEARD = [
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGALRM,
    signal.SIGXCPU,
    signal.SIGIO,
    signal.SIGABRT,
    signal.SIGWINCH,
]
if sys.platform == "linux":
    _HEARD.append(signal.SIGRTMAX)


@pytest.mark.parametrize("number", _HEARD)
def test_signals_are_passed_on_once_and_last_words_recorded(home: Home, number: signal.Signals) -> None:
    """The agent hears the signal one time; what it says then reaches the client and the trace."""
    counting = agent(
        "heard = []\n"
        f"signal.signal({number.value}, lambda *_: heard.append(1))\n"
        "say(b'ready\\n')\n"
        "while not heard: time.sleep(0.01)\n"
        "signal.sigtimedwait([], 0.2)\n"  # a second one would come in this time
        "say(b'{\"heard\":%d}\\n' % len(heard)); sys.exit(7)"
    )
    with home.start(counting) as recording:
        assert recording.hear() == b"ready\n"
        recording.process.send_signal(number)
        out, err, code = recording.finish()
    assert (out, err, code) == (b'{"heard":1}\n', b"", 7)
    (path,) = home.spooled()
    assert frames_in(path)[-1]["frame"] == {"heard": 1}


def _at_terminal(home: Home, command: list[str]) -> tuple[int, int]:
    """A recorder that leads the session of a terminal, and the terminal: its agent has said "ready"."""
    argv = [*ACP_TRACE, "record", "--no-load", "--", *command]
    child, terminal = leads_a_terminal(argv, home.environment)
    said = b""
    while not re.search(rb"(^|\n)ready\r", said):  # not only as a part of what `record` says of its command
        said += os.read(terminal, 1000)
    return child, terminal


def test_ctrl_c_at_a_terminal_reaches_the_agent_once(home: Home) -> None:
    """The terminal tells the whole process group: passing it on would tell the agent twice."""
    counting = agent(
        "heard = []\n"
        "signal.signal(signal.SIGINT, lambda *_: heard.append(1))\n"
        "os.write(2, b'ready\\n')\n"
        "while not heard: time.sleep(0.01)\n"
        "signal.sigtimedwait([], 0.2)\n"
        "os.write(2, b'heard %d\\n' % len(heard))"
    )
    child, terminal = _at_terminal(home, counting)
    os.write(terminal, b"\x03")
    said = b""
    while not re.search(rb"heard \d+\r", said):
        said += os.read(terminal, 1000)
    os.waitpid(child, 0)
    os.close(terminal)
    assert b"heard 1\r" in said


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("ignored", [False, True])
def test_only_a_signal_to_end_is_one(monkeypatch: pytest.MonkeyPatch, gone: bool, ignored: bool) -> None:
    """A window that changes its size, or what `nohup` ignores, is no reason to leave an agent's last bytes."""
    passed: list[int] = []  # 0: it left
    left = threading.Event()
    main = threading.get_ident()
    other = signal.SIGHUP if ignored else signal.SIGUSR1
    one = object.__new__(PosixAgent)
    one.pid, one.signalled, one._gone = 0, False, gone

    def kill(_: int, number: int) -> None:
        passed.append(number)
        assert one.signalled is (number == signal.SIGTERM)
        if number == signal.SIGTERM:
            left.set()

    def leave() -> None:
        passed.append(0)
        left.set()

    def work() -> None:
        for number in (other, signal.SIGTERM):  # lower numbers are taken first
            signal.pthread_kill(main, number)
        left.wait(DEADLINE_S)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON | {signal.SIGCHLD})
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "kill", kill)
            one.attend(work, leave)
    finally:
        for number in signal.sigpending() & PASSED_ON:
            signal.sigwait({number})
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGHUP, before)
    assert passed == ([0] if gone else [other, signal.SIGTERM])


def test_every_signal_is_passed_on_that_can_be() -> None:
    """All but those that nobody can catch, job control, and what is about our own children and writes."""
    left = {signal.Signals(number).name for number in signal.valid_signals() - PASSED_ON}
    assert left == {
        *("SIGKILL", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT"),
        *("SIGCHLD", "SIGPIPE", "SIGXFSZ"),
    }


def test_a_terminal_that_closes_ends_the_agent_of_its_sessions_leader(home: Home) -> None:
    """`ssh -t`, node-pty: the kernel tells the recorder alone, which leads the session."""
    counting = agent(
        "heard = []\n"
        "signal.signal(signal.SIGHUP, lambda *_: heard.append(1))\n"
        "os.write(2, b'ready\\n')\n"
        "while not heard: time.sleep(0.01)\n"
        "signal.sigtimedwait([], 0.2)\n"
        "sys.exit(10 + len(heard))"
    )
    child, terminal = _at_terminal(home, counting)
    os.close(terminal)
    _, status = until(lambda: (found := os.waitpid(child, os.WNOHANG))[0] and found, "the recorder's end")
    assert os.waitstatus_to_exitcode(status) == 11
    assert _end(home)["exit_code"] == 11


def test_a_timer_of_the_client_ends_the_agent(home: Home) -> None:
    """`perl -e 'alarm 60; exec @ARGV'`: the timer lives on in the recorder, and was meant for the agent."""
    code = (
        "import os, signal, sys\n"
        "signal.setitimer(signal.ITIMER_REAL, float(sys.argv.pop(1)))\n"
        "signal.signal(signal.SIGALRM, signal.SIG_DFL)\n"
        "os.execv(sys.argv[1], sys.argv[1:])\n"
    )
    waiting = agent("signal.signal(signal.SIGALRM, lambda *_: sys.exit(8))\nsay(b'ready\\n')\nsignal.pause()")
    for seconds in (1, 4, 16):  # where an agent is not ready in the first, a longer timer is needed
        argv = [sys.executable, "-c", code, str(seconds), *ACP_TRACE, "record", "--no-load", "--", *waiting]
        done = subprocess.run(
            argv, env=home.environment, capture_output=True, timeout=DEADLINE_S, check=False
        )
        if done.stdout:
            break
    assert (done.stdout, done.stderr, done.returncode) == (b"ready\n", b"", 8)
    assert 8 in [entries_in(path)[-1].get("end", {}).get("exit_code") for path in home.spooled()]


def test_the_agent_is_in_the_clients_process_group_with_its_signals(home: Home) -> None:
    """No new session, no new group, nothing blocked, nothing ignored that the client did not ignore."""
    states = agent(
        "masks = [int(line.split()[1], 16) & 0x7fffffff for line in open('/proc/self/status')"
        " if line[:6] in ('SigBlk', 'SigIgn')]\n"  # without the two that glibc keeps for itself
        "say('%d %s\\n' % (os.getpgrp(), masks))"
    )
    direct = subprocess.run(["sh", "-c", 'exec "$@"', "sh", *states], capture_output=True, check=True)
    with home.start(states, start_new_session=True) as recording:
        group = os.getpgid(recording.process.pid)
        out, _, _ = recording.finish()
    assert int(out.split()[0]) == group
    assert out.split()[1:] == direct.stdout.split()[1:]


def test_the_clients_end_of_file_closes_the_agents_stdin(home: Home) -> None:
    """The recorder then waits for the agent, as the client would."""
    waiting = agent("rest = list(lines); say(b'{\"got\":%d}\\n' % len(rest)); sys.exit(3)")
    with home.start(waiting) as recording:
        out, _, code = recording.finish(b"1\n2\n")
    assert (out, code) == (b'{"got":2}\n', 3)


def test_the_agents_end_of_output_reaches_the_client(home: Home) -> None:
    """An agent that closes stdout and lives on: the client sees the end at once."""
    closing = agent("say(b'{}\\n'); os.close(1); next(lines, None); sys.exit(4)")
    with home.start(closing) as recording:
        assert recording.stdout.read() == b"{}\n"
        assert recording.process.poll() is None
        recording.stdin.close()
        assert recording.process.wait(DEADLINE_S) == 4


def test_a_client_that_reads_no_more_ends_the_agents_output(home: Home) -> None:
    """The agent gets the broken pipe that it would have got from the client."""
    talking = agent(
        "signal.signal(signal.SIGPIPE, signal.SIG_IGN)\n"
        "try:\n"
        "    while True: say(b'{\"more\":1}\\n')\n"
        "except BrokenPipeError: sys.exit(9)"
    )
    with home.start(talking) as recording:
        recording.hear()
        recording.stdout.close()
        assert recording.process.wait(DEADLINE_S) == 9


_FLOOD = 'exec(\'while True: say(b"x" * 100000 + b"\\\\n"); time.sleep(0.01)\')'


@pytest.mark.parametrize("grandchild", ["time.sleep(600)", _FLOOD], ids=["silent", "flooding"])
def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_recorder(home: Home, grandchild: str) -> None:
    """Launchers die and leave the real agent: silent or flooding, the wait for it has an end."""
    leaving = agent(
        "pid = os.fork()\n"
        f"if pid == 0: {grandchild}; os._exit(0)\n"
        "os.write(2, b'%d\\n' % pid); say(b'{\"last\":1}\\n'); os._exit(5)"
    )
    with home.start(leaving) as recording:
        orphan = int(recording.stderr.readline())
        try:
            recording.stdin.close()
            got = recording.stdout.read()
            assert recording.process.wait(DEADLINE_S) == 5
        finally:
            os.kill(orphan, signal.SIGKILL)
    assert b'{"last":1}\n' in got
    assert _end(home)["exit_code"] == 5


def test_an_agent_that_cannot_be_started(home: Home, tmp_path: Path) -> None:
    """127, one line with the path, and a trace that tells it."""
    missing = str(tmp_path / "no-such-agent")
    done = home.outcome("record", "--no-load", "--", missing, "acp")
    assert (done.returncode, done.stdout) == (127, b"")
    assert (
        done.stderr.decode() == f"acp-trace: cannot start the agent (No such file or directory: {missing})\n"
    )
    assert f"! the agent could not be started: No such file or directory: {missing}" in home.run(
        "show", COLUMNS="400"
    )
    end = home.json("show")["trace"]["end"]
    assert (end["exit_code"], end["error"]) == (127, f"No such file or directory: {missing}")


def test_kill_9_loses_nothing_that_anyone_saw(home: Home) -> None:
    """Every frame that the client got is in the file, which ends with a whole line or a torn one."""
    counting = agent("n = 0\nwhile True:\n    say(b'{\"n\":%d}\\n' % n); n += 1")
    with home.start(counting) as recording:
        got = [recording.hear() for _ in range(300)]
        recording.process.kill()
        got += recording.stdout.readlines()
    (path,) = home.spooled()
    recorded = [entry["frame"]["n"] for entry in frames_in(path)]
    seen = len([line for line in got if line.endswith(b"\n")])
    assert recorded[:seen] == list(range(seen))
    assert "end" not in entries_in(path)[-1]
    (row,) = home.json("ls")
    assert (row["state"], row["frames"]) == ("incomplete", len(recorded))


def test_a_killed_recorder_hangs_up_on_the_agent(home: Home) -> None:
    """The agent sees the end of its input, as if the client had died."""
    waiting = agent("say(b'%d\\n' % os.getpid()); list(lines); sys.exit(0)")
    with home.start(waiting) as recording:
        pid = int(recording.hear())
        recording.process.kill()
        until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid), "the agent's end")


def _is_zombie(pid: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_signal_to_end_during_the_last_bytes_is_remembered() -> None:
    """What comes after them, such as lines for `--out`, is not waited for either."""
    code = (
        "import os, signal, threading\n"
        "from acp_trace.record.agents.posix import PosixAgent\n"
        "agent, left = PosixAgent(['true']), threading.Event()\n"
        "def last_bytes():\n"
        "    agent.wait()\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        f"    left.wait({DEADLINE_S})\n"
        "agent.attend(last_bytes, left.set)\n"
        "os._exit(not agent.left)\n"
    )
    assert subprocess.run([*PYTHON, "-c", code], timeout=DEADLINE_S, check=False).returncode == 0
