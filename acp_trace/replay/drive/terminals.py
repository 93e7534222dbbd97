"""Real terminals of a run: commands of the agent, run in the run's directories (`--allow-terminal`).

Each can write in these directories, in new ones for HOME and TMPDIR, and nowhere else if the system can
confine it (`confined`). A note reports each. When the run is over, all their processes are ended.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

from acp_trace.protocol import methods
from acp_trace.replay.conversation.engine import Later
from acp_trace.replay.drive import confined
from acp_trace.replay.incidents import Incident
from acp_trace.replay.timeouts import KILLED_S, MOST_TERMINALS, TERMINAL_BYTES, TERMINAL_OUTPUT_NS
from acp_trace.system.processes import KILL, apart, signal_all
from acp_trace.trace import without_links
from acp_trace.trace.jsontext import objects

_PROC = Path("/proc")
#: In the environment of all that a run starts: it identifies them, even outside their group.
_MARK = "ACP_TRACE_TERMINALS"
_SHELL = "/bin/sh"
_BLOCK = 1 << 16


class Terminals:
    """The terminals of one run, by the ids that are assigned here."""

    METHODS: ClassVar = methods.TERMINALS

    def __init__(
        self,
        directories: Sequence[str],
        environment: Mapping[str, str],
        home: str,
        tmp: str,
        of_session: Mapping[str | None, str],
        recorded: Callable[[str], str | None],
    ) -> None:
        """`of_session`: directories by recorded sessions; `recorded`: a run's session -> the recorded one."""
        self._of_session = of_session
        self._recorded = recorded
        self._directories = [os.path.realpath(directory) for directory in directories]
        self._writable = [*self._directories, os.path.realpath(home), os.path.realpath(tmp)]
        self._mark = os.urandom(12).hex()
        self._environment = {**environment, "HOME": home, "TMPDIR": tmp, _MARK: self._mark}
        self._terminals: dict[str, _Terminal] = {}
        self._all: list[_Terminal] = []

    def serve(self, method: str, params: dict[str, Any]) -> dict[str, Any] | Later | None:
        """Return the result of a terminal request; None for another request, or one that cannot be served."""
        if method == methods.TERMINAL_CREATE:
            return self._create(params)
        terminal = self._terminals.get(str(params.get("terminalId")))
        if terminal is None:
            return None
        if method == methods.TERMINAL_OUTPUT:
            return terminal.output()
        if method == methods.TERMINAL_WAIT:
            return terminal.exit
        if method in (methods.TERMINAL_KILL, methods.TERMINAL_RELEASE):
            terminal.kill()
            if method == methods.TERMINAL_RELEASE:
                del self._terminals[str(params["terminalId"])]
            return {}
        return None

    def finish(self) -> list[Incident]:
        """End all that is left of them; return a note for each command, in the order of their start."""
        notes = [Incident("command-run", terminal.described(self._directories)) for terminal in self._all]
        for terminal in self._all:
            terminal.kill()
        self._end_strays()
        for terminal in self._all:
            terminal.reap()
        return notes

    def _create(self, params: dict[str, Any]) -> dict[str, Any] | None:
        command, args, cwd = params.get("command"), params.get("args") or [], params.get("cwd")
        is_sound = isinstance(command, str) and command and isinstance(args, list)
        if not is_sound or not all(isinstance(arg, str) for arg in args) or len(self._all) >= MOST_TERMINALS:
            return None
        of_session = self._of_session.get(self._recorded(str(params.get("sessionId"))))
        directory = self._inside(of_session if cwd is None else cwd)
        if directory is None:
            return None
        words = [str(command), *args] if args else [_SHELL, "-c", str(command)]
        asked = {**_variables(params.get("env")), _MARK: self._mark, "PWD": directory}
        later = {f"{confined.ASKED}{name}": value for name, value in asked.items()}
        environment = {**self._environment, **later, _MARK: self._mark}
        limit = params.get("outputByteLimit")
        most = min(limit, TERMINAL_BYTES) if isinstance(limit, int) and limit >= 0 else TERMINAL_BYTES
        shown = shlex.join(words) if args else str(command)
        try:
            terminal = _Terminal(shown, words, directory, self._writable, environment, most)
        except (OSError, ValueError):  # no process is available; a NUL in a word
            return None
        self._all.append(terminal)
        id_ = f"acp-trace-{len(self._all)}"
        self._terminals[id_] = terminal
        return {"terminalId": id_}

    def _inside(self, cwd: object) -> str | None:
        """Return the directory of a terminal: one in the run's directories; by default the first of them."""
        if cwd is None:
            return self._directories[0] if self._directories else None
        if not isinstance(cwd, str) or not os.path.isabs(cwd) or "\0" in cwd:
            return None
        real = os.path.realpath(cwd)
        inside = any(Path(real).is_relative_to(directory) for directory in self._directories)
        return real if inside and os.path.isdir(real) else None

    def _end_strays(self) -> None:
        """End processes that left their group. Linux only: elsewhere they cannot be found."""
        mark = f"{_MARK}={self._mark}".encode()
        with contextlib.suppress(OSError):
            for pid in (int(name) for name in os.listdir(_PROC) if name.isdigit()):
                with contextlib.suppress(OSError):
                    if mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                        os.kill(pid, KILL)


class _Terminal:
    """A command that runs, or ran. Raises OSError if it cannot be started."""

    def __init__(
        self,
        shown: str,
        words: Sequence[str],
        directory: str,
        writable: Sequence[str],
        environment: Mapping[str, str],
        most: int,
    ) -> None:
        self._shown, self._directory, self._most = shown, directory, most
        self._kept = bytearray()
        self._cut = False
        self._lock = threading.Lock()
        self._ended_ns: int | None = None
        with ExitStack() as closed:
            fds: list[int] = []
            for path in (directory, *writable):  # one of them may be a link by now
                fds.append(without_links.directory(path))
                closed.callback(os.close, fds[-1])
            self._process = subprocess.Popen(
                [sys.executable, "-IS", confined.__file__, *map(str, fds), "--", *words],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                **apart(),
                pass_fds=fds,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        stream = self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            while stream is not None and (block := stream.read(_BLOCK)):
                with self._lock:
                    self._kept += block
                    self._cut = self._cut or len(self._kept) > self._most
                    del self._kept[: max(len(self._kept) - self._most, 0)]

    def output(self) -> dict[str, Any]:
        """Return what it has printed: the end of it, if that is more than requested."""
        ended = self.exit()  # before its output is read: the output of an ended command is complete
        with self._lock:
            kept, cut = bytes(self._kept), self._cut
        while cut and kept and kept[0] & 0xC0 == 0x80:  # not in the middle of a character
            kept = kept[1:]
        more = {} if ended is None else {"exitStatus": ended}
        return {"output": kept.decode("utf-8", "replace"), "truncated": cut, **more}

    def exit(self) -> dict[str, Any] | None:
        """Return how it ended; None if it has not. Its output has been read by then."""
        status = self._process.poll()
        if status is None:
            return None
        self._ended_ns = self._ended_ns or time.monotonic_ns()
        if self._reader.is_alive() and time.monotonic_ns() - self._ended_ns < TERMINAL_OUTPUT_NS:
            return None  # a child may hold its output for ever
        if status >= 0:
            return {"exitCode": status, "signal": None}
        return {"exitCode": None, "signal": _signal_name(-status)}

    def kill(self) -> None:
        """End it and its group, if it runs."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                signal_all(self._process.pid, KILL)

    def reap(self) -> None:
        """Wait for its end; from then on its number may belong to another process."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(KILLED_S)
        self._reader.join(KILLED_S)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()

    def described(self, directories: Sequence[str]) -> str:
        """Return what was run, where and how it ended, for people."""
        status = self._process.poll()
        below = min((os.path.relpath(self._directory, one) for one in directories), key=len, default=".")
        where = "" if below == "." else f" in {below}"
        how = "it was still running, and was ended" if status is None else _how(status)
        unconfined = "" if confined.version() else "; this system could not confine it"
        return f"the replay ran `{self._shown}`{where}: {how}{unconfined}"


def _how(status: int) -> str:
    return f"exit code {status}" if status >= 0 else f"ended by {_signal_name(-status)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _variables(env: Any) -> dict[str, str]:
    """Return the variables of a request; invalid ones are left out."""
    variables: dict[str, str] = {}
    for each in objects(env):
        name, value = each.get("name"), each.get("value")
        if isinstance(name, str) and isinstance(value, str) and name and "=" not in name:
            variables[name] = value
    return variables
