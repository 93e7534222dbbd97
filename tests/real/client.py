"""One run of a client with one agent, or with what stands in an agent's place.

All runs of a scenario go through here, and differ only in the command that the client starts.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from acp_trace.system.files import NONBLOCK
from acp_trace.system.pipes import ready
from acp_trace.system.processes import KILL
from tests.posix import named_pipe
from tests.real import packages, teller
from tests.real.processes import Deadline, Fault, started
from tests.real.scenario import Scenario
from tests.real.stage import Stage, node, staged
from tests.support import ACP_TRACE, PYTHON

_TAP = Path(__file__).with_name("tap.sh")


@dataclass(frozen=True, slots=True)
class Run:
    """What one run left behind."""

    stage: Stage
    stdout: bytes  #: the client's: with `--format json`, every message that it sent and received
    stderr: bytes
    exit_code: int
    took_s: float
    agent_stdout: bytes  #: what came out of the agent, or of the recorder before it, byte for byte
    agent_stderr: bytes
    file: Path | None  #: the trace file, kept under a second name when the client had its first answer
    model_left: bool  #: whether a cancelled agent hung up on its model, if it has one

    @property
    def folder(self) -> Path:
        return self.stage.folder


def recorder(scenario: Scenario) -> list[str]:
    """The scenario's agent, behind the recorder."""
    return [*ACP_TRACE, "record", "--label", f"scenario={scenario.name}", "--", *scenario.agent.command]


def drive(scenario: Scenario, folder: Path, deadline: Deadline, agent: Sequence[str]) -> Run:
    """Has the scenario's client go through its steps. Raises Fault, and OutOfReach for a missing kit."""
    with ExitStack() as stack:
        stage = stack.enter_context(staged(scenario.agent, folder))
        command = ["/bin/sh", str(_TAP), str(stage.tap), *agent]
        life = stack.enter_context(_pipes(stage.tap))
        stderr = folder / "stderr"
        argv = _client(scenario, stage, command)
        began = time.monotonic()
        client = stack.enter_context(started(argv, env=stage.env, stderr=stderr, deadline=deadline))
        try:
            stdout, file = _converse(scenario, stage, client)
            exit_code = client.wait()
            took_s = time.monotonic() - began
            _wait_for_end(stage.tap, life, deadline)
        except Fault as fault:
            last = stderr.read_text(errors="replace").strip().rpartition("\n")[2]
            raise Fault(f"{folder.name}: {fault}; {last}") from None
        left = "cancelled" not in scenario.stop_reasons or stage.hung_up()
    return Run(
        stage,
        stdout,
        stderr.read_bytes(),
        exit_code,
        took_s,
        (stage.tap / "stdout").read_bytes(),
        (stage.tap / "stderr").read_bytes(),
        file,
        left,
    )


def _client(scenario: Scenario, stage: Stage, agent: list[str]) -> list[str]:
    """The client's command: acpx where it can do the scenario, else our own."""
    project = str(stage.project)
    if scenario.client != packages.ACPX[0]:
        return [*PYTHON, teller.__file__, project, json.dumps(scenario.steps), *agent]
    acpx = packages.npm(*packages.ACPX) / "acpx" / "dist" / "cli.js"
    argv = [str(node()), str(acpx), "--agent", shlex.join(agent), "--cwd", project, "--approve-all"]
    # Verbose, because that tells on stderr when it has to kill what it started.
    return [*argv, "--verbose", "--format", "json", "exec", *scenario.prompts]


def _converse(scenario: Scenario, stage: Stage, client: subprocess.Popen[bytes]) -> tuple[bytes, Path | None]:
    """Reads what the client prints to its end, and does what is to be done at some of it."""
    lines: list[bytes] = []
    file: Path | None = None
    assert client.stdout is not None
    for line in client.stdout:
        lines.append(line)
        if len(lines) == 2:  # the first request, and the first answer
            file = _keep(stage)
        if scenario.interrupt_at is not None and scenario.interrupt_at in line:
            client.send_signal(signal.SIGINT)
        if scenario.kill_at is not None and scenario.kill_at in line:
            with suppress(ProcessLookupError):  # the trace will show it
                os.kill(int((stage.tap / "pid").read_text()), KILL)
    return b"".join(lines), file


def _keep(stage: Stage) -> Path | None:
    """A second name for the trace file, which the recorder's loader will remove from the spool."""
    for path in (stage.home / "traces" / "spool").glob("*.capture"):
        kept = stage.folder / path.name
        os.link(path, kept)
        return kept
    return None


@contextmanager
def _pipes(tap: Path) -> Iterator[int]:
    """The named pipes of `tap.sh`; gives the one that ends with the last process."""
    named_pipe(tap / "tap")
    named_pipe(tap / "life")
    life = os.open(tap / "life", os.O_RDONLY | NONBLOCK)
    try:
        yield life
    finally:
        os.close(life)


def _wait_for_end(tap: Path, life: int, deadline: Deadline) -> None:
    """Waits until agent, recorder and the recorder's loader are gone."""
    deadline.left()  # else the client was killed for taking too long
    if not (tap / "pid").exists():
        raise Fault("the client has not started its agent")
    if not ready([life], [], int(deadline.left() * 1000)):
        raise Fault("the client has ended, but something that it started has not")
