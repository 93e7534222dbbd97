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

assert sys.platform != "win32"  # so that type checkers skip this module there

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Started = TypeVar("Started")

#: Not meant for an agent: signals that cannot be caught, those of job control, and those about our own
#: children and writes. All others are passed on, real-time signals too.
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
#: Signals that the kernel sends to the recorder and would have sent to the agent in its place: timers survive
#: exec (`perl -e 'alarm 60; exec @ARGV'`). Other signals of the kernel have reached the agent already (keys
#: typed at a terminal go to the process group), or are about the recorder (SIGXCPU).
_TIMERS = {signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF}
#: Signals that ask an agent to end. All others may be passed on at any time and are not urgent: a change of
#: the window size (SIGWINCH) must not cost an agent's last bytes.
_ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
#: Seconds between SIGTERM and SIGKILL for an agent whose recorder cannot continue.
_TERM_S, _LOOK_S = 2.0, 0.02
#: Bytes that the pipe from the agent holds; the system's default is 65,536.
_PIPE = 1 << 18
#: The interpreter of a script without `#!`.
_SHELL = "/bin/sh"
#: Python ignores these itself; an agent started without us would not have inherited that.
_RESTORED = {signal.SIGPIPE, signal.SIGXFSZ}


class PosixAgent:
    """An agent started with posix_spawnp. See `agents.AgentProcess` for its methods."""

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
        """Block until the agent has ended; return its exit code, or minus the signal that ended it."""
        _, status = os.waitpid(self.pid, 0)
        self._gone = True
        return os.waitstatus_to_exitcode(status)

    def end(self) -> int:
        """Close its pipes, ask it to end, and kill it if it does not; return how it ended, as `wait` does."""
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
        os.kill(self.pid, signal.SIGKILL)  # it is not reaped yet, so its process id cannot belong to another
        return self.wait()

    def attend(self, work: Callable[[], None], leave: Callable[[], None]) -> None:
        """Run `work` in a thread; until it is done, pass signals on."""
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
    """Return three pipes, each as (read, write). Raises OSError, and then leaves none of them open."""
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
    """Enlarge a pipe for floods: the agent goes on while a block is written. A larger one is not faster."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # Linux
        with contextlib.suppress(OSError):  # this user's pipes are at their limit
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def started(spawn: Callable[[str, list[str]], Started], argv: Sequence[str]) -> Started:
    """Return the result of `spawn(file, argv)`; for a script without `#!`, of the shell that runs it.

    Clients do the same: execvp(3), "If the header of a file isn't recognized". Raises OSError.
    """
    try:
        return spawn(argv[0], list(argv))
    except OSError as error:
        script = _found(argv[0]) if error.errno == errno.ENOEXEC else None
        if script is None:
            raise
    return spawn(_SHELL, [_SHELL, script, *argv[1:]])


def _found(name: str) -> str | None:
    """Return the file that a command's name means."""
    if "/" in name:
        return name
    paths = (os.path.join(directory, name) for directory in os.get_exec_path())
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _entries(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment as `posix_spawn` takes it, even with entries such as `=C:=value`.

    Python cuts them at their first `=`, and `posix_spawn` refuses the empty name that this leaves.
    """
    if "" not in environment:
        return environment
    name, equals, value = environment[""].partition("=")
    odd = {f"={name}": value} if equals else {}  # `=` alone at the start cannot be expressed
    return {**{key: text for key, text in environment.items() if key}, **odd}


def environment() -> Mapping[str, str]:
    """Return the environment from the client, without the LC_CTYPE that Python sets in a C locale.

    (PEP 538: an interpreter that starts without a locale sets the variable, also for its children.)
    """
    if os.environ.get("LC_CTYPE") not in ("C.UTF-8", "C.utf8", "UTF-8"):
        return os.environ
    try:
        with open("/proc/self/environ", "rb") as stream:
            given = stream.read().split(b"\0")
    except OSError:  # the system has no such file
        return os.environ
    if any(entry.startswith(b"LC_CTYPE=") for entry in given):
        return os.environ
    return {key: text for key, text in os.environ.items() if key != "LC_CTYPE"}


def _is_for_agent(number: int) -> bool:
    """Whether a signal from the kernel has to be passed on: it went to this process only.

    A closing terminal signals only the leader of its session (credentials(7), "Sessions").
    """
    return number in _TIMERS or (number == signal.SIGHUP and os.getsid(0) == os.getpid())


def _next(signals: frozenset[int]) -> tuple[int, bool]:
    """Wait for one of the signals; return its number, and whether the kernel sent it, not a process."""
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
    """Whether a signal to end is waiting: they have been blocked since the agent started."""
    return any(signal.getsignal(number) is not signal.SIG_IGN for number in signal.sigpending() & _ENDING)


def end_as(status: int) -> None:
    """End this process with the exit code `status`, or by the signal `-status`."""
    if status < 0:
        number = -status
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the agent has written its core already
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler to restore
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        status = 128 + number  # a signal that does not end processes
    os._exit(status)
