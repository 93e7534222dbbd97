"""A client, run against the scripted agent: a run for each behaviour, recorded by the recorder itself.

Nothing is judged here.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_trace.conform.behaviours import BEHAVIOURS, FILE, LINES, Behaviour
from acp_trace.conform.drive import CannotRun, Probed
from acp_trace.conform.evidence import LABEL, evidence
from acp_trace.record import place
from acp_trace.replay.drive import waits
from acp_trace.replay.drive.agent_program import PLACE, VARIABLE, agent_program
from acp_trace.replay.drive.agent_words import caller_directory, located
from acp_trace.replay.drive.player import read_on
from acp_trace.replay.drive.process import Process, own_environment
from acp_trace.replay.drive.waits import Stop, wait
from acp_trace.replay.timeouts import HURRY_NS, SECOND
from acp_trace.trace import own_python
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import Lines, TraceFile
from acp_trace.trace.os_errors import reason
from acp_trace.trace.scratch import scratch

#: How long a client is given in a run, ns. Those that wait for a person never end.
TIMEOUT_NS = 30 * SECOND
#: How long the recorder is given to finish its trace when the client has gone.
_RECORDER_NS = 10 * SECOND


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How a client is run. `argv`: its command, in which `{agent}` is replaced."""

    argv: Sequence[str]
    timeout_ns: int = TIMEOUT_NS
    traces: Path | None = None


def run_client(
    settings: ClientSettings,
    stop: Stop,
    tick: Callable[[str], None] = lambda _: None,
    behaviours: Sequence[Behaviour] = BEHAVIOURS,
) -> Probed:
    """Runs the client once for each behaviour. Raises CannotRun if it does not start, or starts no agent."""
    probed = Probed([], [], [])
    with scratch() as own:
        for behaviour in behaviours:
            if stop.is_set():
                break
            tick(behaviour.name)
            _run(settings, behaviour, stop, own, probed)
            if not probed.files:
                raise CannotRun(
                    f"the client did not start its agent: put {PLACE} where its command has the agent, "
                    f"or let it read {VARIABLE}"
                )
    return probed


def _run(settings: ClientSettings, behaviour: Behaviour, stop: Stop, own: Path, probed: Probed) -> None:
    home = Path(tempfile.mkdtemp(prefix="", dir=own))
    work, mark = home / "work", home / "mark"
    work.mkdir()
    (work / FILE).write_text("".join(f"{line}\n" for line in LINES))
    traces = home / "traces" if settings.traces is None else settings.traces
    traces.mkdir(exist_ok=True)
    named = behaviour.name.replace(":", "-")
    agent = _agent(home, traces / f"{named}.jsonl", behaviour.name, mark)
    words = [word.replace(PLACE, agent) for word in located(settings.argv, caller_directory())]
    variables = own_environment() | {VARIABLE: agent, "PWD": str(work)}
    try:
        process = Process(words, str(work), variables)
    except OSError as error:
        raise CannotRun(f"cannot start the client ({reason(error)}): {settings.argv[0]}") from None
    hung, status = False, None
    try:
        os.close(process.stdin)
        for fd in (process.stdout, process.stderr):
            threading.Thread(target=read_on, args=(fd,), daemon=True).start()
        hung = not _ended(process, mark, settings.timeout_ns, stop)
        if hung:
            process.end(0)
        waits.wait_until(lambda: all(map(_is_whole, _files(traces, named))), _RECORDER_NS, stop)
    finally:
        status = process.finish()
        process.end_holders()
    for file in _files(traces, named):
        entries = _entries(file)
        made = evidence(str(file), entries)
        if settings.traces is None:
            _into_spool(made.facts.trace.id, file.read_bytes())
            made.name = made.facts.trace.id
        made.client_hung = hung
        made.client_signal = -status if status is not None and status < 0 and not hung else None
        probed.traces.append(made)
        probed.files.append((made.name, entries))


def _ended(process: Process, mark: Path, timeout_ns: int, stop: Stop) -> bool:
    """Waits for the client, and interrupts it once it is time to; whether it ended by itself."""
    until, is_interrupted = time.monotonic_ns() + timeout_ns, False
    while time.monotonic_ns() < until and not stop.is_set():
        if wait(process.gone, HURRY_NS):
            return True
        if not is_interrupted and mark.exists():
            is_interrupted = True
            os.kill(process.pid, signal.SIGINT)
    return False


def _agent(home: Path, trace: Path, name: str, mark: Path) -> str:
    """Write the program of the scripted agent, recorded; return its path."""
    agent = own_python.module("acp_trace.conform.scripted_agent", name, str(mark))
    recorded = "--out", str(trace), "--label", f"{LABEL}={name}"
    return agent_program(home, own_python.module("acp_trace", "record", *recorded, "--", *agent))


def _files(traces: Path, name: str) -> list[Path]:
    """The traces of a run, in their order: the recorder gives earlier ones a number."""
    last = traces / f"{name}.jsonl"
    return [*sorted(traces.glob(f"{name}.[0-9]*.jsonl")), *([last] if last.exists() else [])]


def _is_whole(file: Path) -> bool:
    """Whether the recorder is done with it: then it has lines."""
    try:
        with open(file, "rb") as opened:
            return opened.read(1) == b"{"
    except OSError:
        return False


def _entries(file: Path) -> list[Entry]:
    with open(file, "rb", buffering=0) as opened:
        return list(TraceFile(Lines(opened), file.stem).entries())


def _into_spool(trace_id: str, lines: bytes) -> None:
    """Puts a whole trace into the spool. Raises OSError."""

    def fill(fd: int) -> None:
        with open(fd, "wb", closefd=False) as file:
            file.write(lines)

    os.close(place.in_spool(trace_id, fill)[0])
