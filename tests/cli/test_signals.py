"""Signals that end a command: everything is put away first, at whatever moment they come."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from acp_trace.cli import signals, start
from acp_trace.cli.signals import Deferred, Interruptible, Terminated
from acp_trace.record import recorder
from tests.faults.stage import over
from tests.support import ACP_TRACE, DEADLINE_S, Home, agent, request, result, stores_below, trace, until

assert sys.platform != "win32", pytest.skip("has no such signals", allow_module_level=True)

ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
#: Says who it is, then does nothing any more, whatever it is asked.
_DEAF = "for n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n"
_WAITS = "open(sys.argv[1], 'a').write(f'{os.getpid()}\\n')\nsignal.sigwait({signal.SIGUSR1})\n"
#: The same in a session of its own, as a child; its parent ends when it is asked to. One that was gone at once
#: would leave a replay only so long until it ends by itself.
_AWAY = "if os.fork(): signal.pause()\nos.setsid()\n"


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """By which signals this process would have ended."""
    found: list[int] = []
    monkeypatch.setattr(signals, "_end_by", found.append)
    return found


@pytest.mark.parametrize("number", ENDING)
def test_what_is_to_be_put_away_is_put_away_first(ended: list[int], number: int) -> None:
    """Then the process ends by that signal. The handlers of before are back."""
    done: list[str] = []

    def work() -> None:
        try:
            signal.raise_signal(number)
            done.append("went on")
        finally:
            done.append("put away")

    before = signal.getsignal(number)
    signals.run(work)
    assert (done, ended, signal.getsignal(number)) == (["put away"], [number], before)


def test_ctrl_c_is_an_exception_as_ever(ended: list[int]) -> None:
    """And the exit code is for whoever takes it."""
    with pytest.raises(KeyboardInterrupt):
        signals.run(lambda: signal.raise_signal(signal.SIGINT))
    assert (ended, signals.requested()) == ([], None)


def test_ctrl_c_while_the_first_one_is_told(ended: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback, however impatient somebody is."""

    def interrupted(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            signal.raise_signal(signal.SIGINT)

    for place in ("_run", "_explained"):
        with monkeypatch.context() as patch:
            patch.setattr(start, place, interrupted)
            patch.setattr(sys, "argv", ["acp-trace", "show"])
            with pytest.raises(SystemExit) as found:
                start.main()
        assert found.value.code == 130
    assert ended == []


@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt(), OSError("the store")])
def test_whatever_the_exception_became(ended: list[int], error: BaseException) -> None:
    """Libraries turn it into others: the signal is not forgotten."""

    def work() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Terminated:
            raise error from None

    with pytest.raises(type(error)):
        signals.run(work)
    assert ended == [signal.SIGTERM]


def test_a_signal_that_is_ignored_stays_ignored(ended: list[int]) -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        signals.run(lambda: signal.raise_signal(signal.SIGHUP))
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ended == []


def _work(open_: set[str]) -> None:
    """Takes two things, and puts both away."""
    with Deferred():
        open_.add("first")
        try:
            open_.add("second")
            for _ in range(2):
                with Interruptible():
                    list(open_)
        finally:
            open_.discard("second")
            open_.discard("first")


def _interrupted(moments: dict[int, int], ended: list[int]) -> int:
    """Runs that with signals before some of its lines, and of those of `signals`; the lines that were run."""
    open_, lines = set[str](), 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename not in (__file__, signals.__file__):
            return None
        if event == "line":
            lines += 1
            if (number := moments.get(lines)) is not None:
                sys.settrace(None)
                try:
                    signal.raise_signal(number)
                finally:
                    sys.settrace(count)
        return count

    def work() -> None:
        sys.settrace(count)
        try:
            _work(open_)
        finally:
            sys.settrace(None)

    before = sys.gettrace()
    try:
        signals.run(work)
    except KeyboardInterrupt:
        assert signal.SIGINT in moments.values()
    finally:
        sys.settrace(before)
    assert open_ == set(), moments
    asked = [number for line, number in sorted(moments.items()) if line <= lines and number != signal.SIGINT]
    assert ended == asked[:1], moments
    ended.clear()
    return lines


@pytest.mark.parametrize("others", [[], [signal.SIGINT, signal.SIGHUP], [signal.SIGTERM, signal.SIGINT]])
@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGINT])
def test_at_every_line(ended: list[int], first: int, others: list[int]) -> None:
    """Nothing stays open, wherever the first comes, and wherever two more come after it."""
    lines = _interrupted({}, ended)
    assert lines > 30
    for at in range(2, lines):
        for gap in (1, 2, 5) if others else (1,):
            _interrupted({at: first, **{at + gap * n: one for n, one in enumerate(others, 1)}}, ended)


def test_while_an_object_is_destroyed(ended: list[int]) -> None:
    """Exceptions are lost there: the signal comes again."""

    class Last:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)
            raise AssertionError("the signal came too late")

    def work() -> None:
        Last()
        wait = threading.Event()
        while not wait.wait(0.01):
            pass

    hook = sys.unraisablehook
    signals.run(work)
    assert ended == [signal.SIGTERM]
    assert sys.unraisablehook is hook


def test_while_it_is_told_that_it_was_lost(ended: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the signal comes again before that is over; exceptions are lost there as well."""
    attempts: list[float] = []

    class Timer(threading.Timer):
        def start(self) -> None:
            attempts.append(self.interval)
            if len(attempts) < 4:
                signal.raise_signal(signal.SIGTERM)
            else:
                super().start()

    class Last:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    def work() -> None:
        Last()
        wait = threading.Event()
        until(lambda: wait.wait(0.01), "the signal was lost")

    monkeypatch.setattr(threading, "Timer", Timer)
    signals.run(work)
    assert ended == [signal.SIGTERM]
    assert len(attempts) == 4
    assert attempts == sorted(set(attempts)), "each time it is given longer"


def test_in_another_thread_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the main thread has signals."""
    done: list[Any] = []
    monkeypatch.setattr("threading.current_thread", lambda: None)
    signals.run(lambda: done.append(signal.getsignal(signal.SIGTERM)))
    assert done == [signal.SIG_DFL]


def test_the_recorder_has_none_of_this(monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes signals on to its agent, by handlers of its own."""
    seen: list[Any] = []
    monkeypatch.setattr(recorder, "record", lambda *_, **__: seen.append(signal.getsignal(signal.SIGTERM)))
    for words in (["--", "true"], ["--no-load", "--", "true"]):
        monkeypatch.setattr(sys, "argv", ["acp-trace", "record", *words])
        try:
            start.main()
        except SystemExit:
            pass
    assert seen == [signal.SIG_DFL, signal.SIG_DFL]


class _Command:
    """A command with directories for temporary files of its own, and the processes of its agent."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._home = home
        self._pids = folder / "pids"
        self.tmp = folder / "tmp"
        self.tmp.mkdir()
        self.trace = folder / "t.jsonl"
        self.trace.write_bytes(
            trace(
                ("client", request(0, "initialize", protocolVersion=1)),
                ("agent", result(0, protocolVersion=1)),
                ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
                ("agent", result(1, sessionId="s")),
            )
        )

    def start(self, *args: str | Path, **more: Any) -> subprocess.Popen[bytes]:
        environment = {**self._home.environment, "TMPDIR": str(self.tmp)}
        argv = [*ACP_TRACE, *map(str, args)]
        return subprocess.Popen(argv, env=environment, stdout=-1, stderr=-1, **more)

    def replay(self, code: str, **more: Any) -> tuple[subprocess.Popen[bytes], int]:
        """A replay whose agent is at work, and that agent."""
        process = self.start("replay", self.trace, "--", *agent(code), self._pids, **more)
        told = until(lambda: self._pids.exists() and self._pids.read_text().strip(), "an agent at work")
        return process, int(told)

    def left(self) -> list[str]:
        return sorted(path.name for path in self.tmp.iterdir())


@pytest.fixture
def command(home: Home, tmp_path: Path) -> _Command:
    return _Command(home, tmp_path)


def _ends(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, said = process.communicate(timeout=DEADLINE_S)
    return process.returncode, said.decode()


@pytest.mark.slow
def test_an_agent_that_ignores_everything(command: _Command) -> None:
    """It is gone, and so is its directory, though three signals more come while that is done."""
    process, pid = command.replay(_DEAF + _WAITS)
    assert len(command.left()) == 1
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
    code, said = _ends(process)
    assert -code in (signal.SIGTERM, signal.SIGHUP)  # of several at once, Python hears the lowest first
    assert command.left() == []
    by = signal.Signals(-code).name
    told = f"acp-trace: ended by {by} before the replay of {command.trace} was complete: no agent and no directory was left behind\n"
    assert said == told
    assert over(pid, 0)


def test_an_agent_in_a_session_of_its_own(command: _Command) -> None:
    """It holds the pipes of the one that was started, so it goes as well."""
    process, pid = command.replay(_AWAY + _DEAF + _WAITS)
    process.send_signal(signal.SIGQUIT)
    assert _ends(process)[0] == -signal.SIGQUIT
    assert over(pid)
    assert command.left() == []


@pytest.mark.slow
def test_nohup(command: _Command) -> None:
    """A replay that was started with SIGHUP ignored goes on at a hang-up."""
    process, pid = command.replay(_WAITS, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert _ends(process)[0] == -signal.SIGTERM
    assert over(pid, 0)


def test_a_copy_of_standard_input_has_no_name(command: _Command) -> None:
    """There is nothing to remove, even after `kill -9`."""
    process = command.start("load", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(command.trace.read_bytes())
    process.stdin.flush()
    until(lambda: _deleted(process.pid), "the copy")
    assert command.left() == []
    process.kill()
    _ends(process)


def _deleted(pid: int) -> bool:
    """Whether a process has a file open that has no name."""
    try:
        return any(os.readlink(one).endswith("(deleted)") for one in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


_LONG = "select count(*) from range(1000000000) a, range(100000) b where a.range + b.range = -1"


def test_a_query_of_files(command: _Command) -> None:
    """Its store is removed when a signal ends it; what `kill -9` leaves, the next query removes."""
    process = command.start("query", "--trace", command.trace, _LONG)
    until(lambda: stores_below(command.tmp), "the store")
    process.kill()
    _ends(process)
    (left,) = command.left()
    process = command.start("query", "--trace", command.trace, _LONG)
    until(lambda: [path for path in stores_below(command.tmp) if left not in str(path)], "a store")
    assert left not in command.left()
    process.send_signal(signal.SIGTERM)
    assert _ends(process)[0] == -signal.SIGTERM
    assert command.left() == []
