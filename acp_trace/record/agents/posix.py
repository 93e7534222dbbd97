"""Linux and macOS: posix_spawn, and a main thread that does nothing but wait for signals.

Signals are blocked from before the agent starts, so none can end the recorder and orphan the agent;
the agent gets the mask and the dispositions that it would have had from the client.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

assert sys.platform != "win32"  # so that types are not checked for it

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Started = TypeVar("Started")

#: Not meant for an agent: what nobody can catch, what job control needs, what is about our own children and
#: writes. All others are passed on, real-time signals too.
_OURS = {
    signal.SIGKILL,
    signal.SIGSTOP,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGCONT,
    signal.SIGCHLD,
    signal.SIGPIPE,
    signal.SIGXFSZ,
}
PASSED_ON = frozenset(signal.valid_signals()) - _OURS
#: What the kernel itself sends to the recorder and would have sent to an agent in its place: timers live on
#: through exec (`perl -e 'alarm 60; exec @ARGV'`). All else that the kernel sends has reached the agent
#: already (what is typed at a terminal goes to the process group), or is about the recorder (SIGXCPU).
_TIMERS = {signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF}
#: What asks an agent to end. All others may be passed on at any time and mean that nobody is in a hurry: a
#: window that changes its size (SIGWINCH) must not cost an agent's last bytes.
_ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
#: How long an agent is given from SIGTERM to SIGKILL, where the recorder itself cannot go on.
_TERM_S, _LOOK_S = 2.0, 0.02
#: What the pipe from the agent holds, in bytes; the system gives 65,536.
_PIPE = 1 << 18
#: What runs a script that does not say what runs it.
_SHELL = "/bin/sh"
#: Python ignores these for itself; an agent started without us would not have inherited that.
_RESTORED = {signal.SIGPIPE, signal.SIGXFSZ}


class PosixAgent:
    """An agent started with posix_spawnp. See `agents.Agent` for what its methods promise."""

    def __init__(self, argv: Sequence[str]) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)  # an ignored SIGCHLD would hide the exit code
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON | {signal.SIGCHLD})
        (theirs_in, self.stdin), (self.stdout, theirs_out), (self.stderr, theirs_err) = _three_pipes()
        _widen(self.stdout)
        environ = _entries(environment())

        def spawn(file: str, argv: list[str]) -> int:
            return os.posix_spawnp(
                file,
                argv,
                environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs_in, 0),
                    (os.POSIX_SPAWN_DUP2, theirs_out, 1),
                    (os.POSIX_SPAWN_DUP2, theirs_err, 2),
                ],
                setsigmask=mask,
                setsigdef=_RESTORED,
            )

        try:
            self.pid = started(spawn, argv)
        finally:
            for fd in (theirs_in, theirs_out, theirs_err):
                os.close(fd)
        self._gone = False
        self.signalled = self.left = False

    def wait(self) -> int:
        """Blocks until the agent is gone: its exit code, or minus the signal that ended it."""
        _, status = os.waitpid(self.pid, 0)
        self._gone = True
        return os.waitstatus_to_exitcode(status)

    def end(self) -> int:
        """Hangs up, asks it to end, ends it where it does not: how it ended, as `wait` tells it."""
        for fd in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):  # a pump has closed it already
                os.close(fd)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        until = time.monotonic() + _TERM_S
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(_LOOK_S)
        os.kill(self.pid, signal.SIGKILL)  # it is not reaped yet, so its number is its own
        return self.wait()

    def attend(self, work: Callable[[], None], leave: Callable[[], None]) -> None:
        """Runs `work` in a thread; until it is done, passes signals on."""
        done = False
        main = threading.get_ident()

        def run() -> None:
            nonlocal done
            try:
                work()
            finally:
                done = True
                signal.pthread_kill(main, signal.SIGCHLD)  # blocked, so it cannot be missed

        threading.Thread(target=run, daemon=True).start()
        while not done:
            number, by_kernel = _next(PASSED_ON | {signal.SIGCHLD})
            if number == signal.SIGCHLD:
                continue
            ends = number in _ENDING and signal.getsignal(number) is not signal.SIG_IGN
            if self._gone:
                if ends:
                    self.left = True
                    leave()
                continue
            self.signalled = self.signalled or ends
            if not by_kernel or _is_for_agent(number):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, number)


def _three_pipes() -> list[tuple[int, int]]:
    """Each as (read, write). Raises OSError, and then has left none of them open."""
    pipes: list[tuple[int, int]] = []
    try:
        while len(pipes) < 3:
            pipes.append(os.pipe())
    except OSError:
        for fd in (fd for pipe in pipes for fd in pipe):
            os.close(fd)
        raise
    return pipes


def _widen(pipe: int) -> None:
    """Gives a flood room: the agent goes on while a block is written down. More measured no faster."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
        with contextlib.suppress(OSError):  # this user's pipes hold all that they may
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def started(spawn: Callable[[str, list[str]], Started], argv: Sequence[str]) -> Started:
    """What `spawn(file, argv)` gives; for a script without `#!`, of the shell that runs it.

    So do clients: execvp(3), "If the header of a file isn't recognized". Raises OSError.
    """
    try:
        return spawn(argv[0], list(argv))
    except OSError as error:
        script = _found(argv[0]) if error.errno == errno.ENOEXEC else None
        if script is None:
            raise
    return spawn(_SHELL, [_SHELL, script, *argv[1:]])


def _found(name: str) -> str | None:
    """The file that a command's name means."""
    if "/" in name:
        return name
    paths = (os.path.join(directory, name) for directory in os.get_exec_path())
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _entries(environment: Mapping[str, str]) -> Mapping[str, str]:
    """An environment as `posix_spawn` takes it, also with entries such as `=C:=value` in it.

    Python cuts them at their first `=`, and `posix_spawn` refuses the empty name that this leaves.
    """
    if "" not in environment:
        return environment
    name, equals, value = environment[""].partition("=")
    odd = {f"={name}": value} if equals else {}  # `=` alone at the start is the one entry that cannot be said
    return {**{key: text for key, text in environment.items() if key}, **odd}


def environment() -> Mapping[str, str]:
    """What the client gave us, for the agent: without the LC_CTYPE that Python sets in a C locale.

    (PEP 538: an interpreter that starts without a locale sets the variable, also for its children.)
    """
    if os.environ.get("LC_CTYPE") not in ("C.UTF-8", "C.utf8", "UTF-8"):
        return os.environ
    try:
        with open("/proc/self/environ", "rb") as stream:
            given = stream.read().split(b"\0")
    except OSError:  # no such file on this system
        return os.environ
    if any(entry.startswith(b"LC_CTYPE=") for entry in given):
        return os.environ
    return {key: text for key, text in os.environ.items() if key != "LC_CTYPE"}


def _is_for_agent(number: int) -> bool:
    """Whether a signal that the kernel sent has to be passed on: it went to this process alone.

    A terminal that closes tells the leader of its session (credentials(7), "Sessions"): nobody else.
    """
    return number in _TIMERS or (number == signal.SIGHUP and os.getsid(0) == os.getpid())


def _next(signals: frozenset[int]) -> tuple[int, bool]:
    """Waits for one of the signals: its number, and whether the kernel sent it, not a process."""
    if sys.platform == "darwin":  # pragma: no cover  (no sigwaitinfo there)
        number = signal.sigwait(signals)
        return number, number in (signal.SIGINT, signal.SIGQUIT) and _in_foreground()
    else:  # noqa: RET505  (or mypy calls it unreachable for macOS)
        info = signal.sigwaitinfo(signals)
        return info.si_signo, info.si_code > 0  # sigaction(2): from processes it is zero or less


def _in_foreground() -> bool:  # pragma: no cover
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def asked_to_end() -> bool:
    """Whether a signal to end is waiting: they are blocked since the agent was started."""
    return any(signal.getsignal(number) is not signal.SIG_IGN for number in signal.sigpending() & _ENDING)


def end_as(status: int) -> None:
    """Ends this process with the exit code `status`, or by the signal `-status`."""
    if status < 0:
        number = -status
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the agent has left its core already
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler to restore
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        status = 128 + number  # a signal that does not end processes
    os._exit(status)
