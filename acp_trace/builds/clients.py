"""One client, to which `acp-trace mock` plays a recorded agent: started, waited for, its verdict read.

The client starts the mock, as it starts any agent, and the mock writes its verdict as JUnit XML. A client
that never starts it, or does not end after it, is ended.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from junitparser import Failure, JUnitXml, JUnitXmlError, TestSuite

from acp_trace.builds import tools
from acp_trace.builds.judged import Became, JudgedRun, ShownDifference
from acp_trace.builds.tools import Cancelled
from acp_trace.replay.drive.agent_program import PLACE, VARIABLE, agent_program
from acp_trace.replay.incidents import ENDS
from acp_trace.trace import own_python
from acp_trace.trace.scratch import scratch

_START_S, _END_S, _LOOK_S = 60.0, 30.0, 0.1


class PlayedClient(NamedTuple):
    """A client's command, the recording that is played to it, and the options of the mock."""

    trace: str
    argv: Sequence[str]
    options: Sequence[str] = ()


def played(client: PlayedClient, stop: threading.Event) -> JudgedRun:
    """Plays once. Raises Unavailable if the client cannot be started, Cancelled, and OSError."""
    began = time.monotonic_ns()
    with scratch() as root:
        started, verdict = root / "started", root / "verdict.xml"
        agent = agent_program(root, _mock(client, verdict), started)
        argv = [word.replace(PLACE, agent) for word in client.argv]
        with _ended(started, verdict, stop) as end:
            try:
                done = tools.run(argv, end, more={VARIABLE: agent})
            except Cancelled:
                if stop.is_set():
                    raise
                done = None
        _wait(verdict, stop, _END_S if started.exists() else 0)
        took = time.monotonic_ns() - began
        why = "" if done is None or not done.code else f": {done.why}"
        if not started.exists():
            return JudgedRun("not-started", "", took, f"the client never started the agent{why}")
        return _read(verdict, took) or JudgedRun("died", "", took, f"the mock wrote no verdict{why}")


def _mock(client: PlayedClient, verdict: Path) -> list[str]:
    """The command of the mock."""
    words = [client.trace, "--junit", str(verdict), "--quiet", *client.options]
    return own_python.module("acp_trace", "mock", *words)


@contextmanager
def _ended(started: Path, verdict: Path, stop: threading.Event) -> Iterator[threading.Event]:
    """Yields an event that is set when the client must end: acp-trace was stopped, or the client is late."""
    end, over = threading.Event(), threading.Event()

    def watch() -> None:
        begun = time.monotonic()
        late: float | None = None
        while not over.wait(_LOOK_S):
            now = time.monotonic()
            if late is None and verdict.exists():
                late = now + _END_S
            if (
                stop.is_set()
                or (late is not None and now > late)
                or (now - begun > _START_S and not started.exists())
            ):
                end.set()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield end
    finally:
        over.set()
        thread.join()


def _wait(path: Path, stop: threading.Event, longest: float) -> None:
    """The mock may write its verdict after its client has ended."""
    until = time.monotonic() + longest
    while not path.exists() and time.monotonic() < until and not stop.wait(_LOOK_S):
        pass


def _run_id(suite: TestSuite) -> str:
    """The trace of the run, which the mock names as one side of its comparison."""
    properties = suite.properties()  # type: ignore[no-untyped-call]
    return next((str(each.value) for each in properties if each.name == "got"), "")


def _read(verdict: Path, took: int) -> JudgedRun | None:
    """Return the verdict that the mock wrote; None if its file is missing or cannot be read."""
    try:
        document = JUnitXml.fromfile(os.fspath(verdict))
    except (OSError, JUnitXmlError, SyntaxError, ValueError):
        return None
    for suite in document:
        run = _run_id(suite)
        failure = next((each for case in suite for each in case.result if isinstance(each, Failure)), None)
        if failure is None:
            return JudgedRun("passed", run, took)
        code = failure.type or ""
        message = (failure.message or "").removeprefix(f"{code}: ")
        became: Became = "nothing" if code == "nothing-compared" else "died" if code in ENDS else "failed"
        return JudgedRun(became, run, took, "", (code,), (), ShownDifference(code, message))
    return None
