"""One run of a client with one agent: a folder of its own, a home of its own, a bounded time.

Both runs of a scene go through here, and differ only in what stands before the agent's command.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.real import packages, teller
from tests.real.scenes import Scene, configure_opencode
from tests.real.standin import StandIn
from tests.support import ACP_TRACE, PYTHON

_TAP = Path(__file__).with_name("tap.sh")
_HANG_UP_S = 5  #: for a model to feel that its agent is gone


class Fault(Exception):
    """A run that did not come to its end."""


class Deadline:
    """The time that a scene has for all its parts."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left. Raises Fault when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Fault("took too long")
        return left


@dataclass(frozen=True, slots=True)
class Run:
    """What one run left behind."""

    folder: Path
    stdout: bytes  #: the client's: with `--format json`, every message that it sent and received
    stderr: bytes
    exit_code: int
    took_s: float
    agent_stdout: bytes  #: what came out of the agent, or of the recorder before it, byte for byte
    agent_stderr: bytes
    file: Path | None  #: the trace file, kept under a second name when the client had its first answer
    model_left: bool  #: whether a cancelled agent hung up on its model, if it has one

    @property
    def project(self) -> Path:
        """The folder that the session is about."""
        return _project(self.folder)

    @property
    def env(self) -> dict[str, str]:
        """The environment of the run, for commands that look at its traces."""
        return _environment(self.folder)


def drive(scene: Scene, folder: Path, deadline: Deadline, *, recorded: bool) -> Run:
    """Has the scene's client go through its steps. Raises Fault, and OutOfReach for a missing kit."""
    for path in (_project(folder), _home(folder), _links(folder), _tap(folder)):
        path.mkdir(parents=True)
    (_links(folder) / "node").symlink_to(_node())
    (_project(folder) / "notes.txt").write_text("Buy milk.\n")
    (_links(folder) / scene.agent.link).symlink_to(scene.agent.install())
    recorder = [*ACP_TRACE, "record", "--label", f"scene={scene.name}", "--"] if recorded else []
    command = ["/bin/sh", str(_TAP), str(_tap(folder)), *recorder, *scene.agent.command]
    with ExitStack() as stack:
        model = stack.enter_context(StandIn()) if scene.agent.models else None
        if model is not None:
            configure_opencode(_home(folder), model.url, scene.agent.models)
        life = stack.enter_context(_pipes(_tap(folder)))
        began = time.monotonic()
        client = stack.enter_context(_started(folder, _client(scene, folder, command), deadline))
        try:
            stdout, file = _converse(scene, folder, client)
            exit_code = client.wait()
            took_s = time.monotonic() - began
            _wait_for_end(_tap(folder), life, deadline)
        except Fault as fault:
            last = (folder / "stderr").read_text(errors="replace").strip().rpartition("\n")[2]
            raise Fault(f"{'with' if recorded else 'without'} the recorder: {fault}; {last}") from None
        left = "cancelled" not in scene.stop_reasons or model is None or model.hung_up.wait(_HANG_UP_S)
    return Run(
        folder,
        stdout,
        (folder / "stderr").read_bytes(),
        exit_code,
        took_s,
        (_tap(folder) / "stdout").read_bytes(),
        (_tap(folder) / "stderr").read_bytes(),
        file,
        left,
    )


def _client(scene: Scene, folder: Path, agent: list[str]) -> list[str]:
    """The client's command: acpx where it can do the scene, else our own."""
    project = str(_project(folder))
    if scene.client != packages.ACPX[0]:
        return [*PYTHON, teller.__file__, project, json.dumps(scene.steps), *agent]
    acpx = packages.npm(*packages.ACPX) / "acpx" / "dist" / "cli.js"
    argv = [str(_node()), str(acpx), "--agent", shlex.join(agent), "--cwd", project, "--approve-all"]
    # Verbose, because that tells on stderr when it has to kill what it started.
    return [*argv, "--verbose", "--format", "json", "exec", *scene.prompts]


def _node() -> Path:
    return packages.npm(*packages.NODE) / ".bin" / "node"


@contextmanager
def _started(folder: Path, argv: list[str], deadline: Deadline) -> Iterator[subprocess.Popen[bytes]]:
    """The client in a process group of its own, of which nothing outlives the deadline or the block."""
    with (folder / "stderr").open("wb") as stderr:
        client = subprocess.Popen(
            argv,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    timer = threading.Timer(deadline.left(), _kill_group, [client.pid])
    timer.start()
    try:
        yield client
    finally:
        timer.cancel()
        _kill_group(client.pid)
        client.wait()


def _converse(scene: Scene, folder: Path, client: subprocess.Popen[bytes]) -> tuple[bytes, Path | None]:
    """Reads what the client prints to its end, and does what is to be done at some of it."""
    lines: list[bytes] = []
    file: Path | None = None
    assert client.stdout is not None
    for line in client.stdout:
        lines.append(line)
        if len(lines) == 2:  # the first request, and the first answer
            file = _keep(folder)
        if scene.interrupt_at is not None and scene.interrupt_at in line:
            client.send_signal(signal.SIGINT)
        if scene.kill_at is not None and scene.kill_at in line:
            with suppress(ProcessLookupError):  # the trace will show it
                os.kill(int((_tap(folder) / "pid").read_text()), signal.SIGKILL)
    return b"".join(lines), file


def _keep(folder: Path) -> Path | None:
    """A second name for the trace file, which the recorder's loader will remove from the spool."""
    for path in (_home(folder) / "traces" / "spool").glob("*.jsonl"):
        kept = folder / path.name
        os.link(path, kept)
        return kept
    return None


@contextmanager
def _pipes(tap: Path) -> Iterator[int]:
    """The named pipes of `tap.sh`; gives the one that ends with the last process."""
    os.mkfifo(tap / "tap")
    os.mkfifo(tap / "life")
    life = os.open(tap / "life", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield life
    finally:
        os.close(life)


def _wait_for_end(tap: Path, life: int, deadline: Deadline) -> None:
    """Waits until agent, recorder and the recorder's loader are gone."""
    deadline.left()  # else the client was killed for taking too long
    if not (tap / "pid").exists():
        raise Fault("the client has not started its agent")
    poll = select.poll()
    poll.register(life, select.POLLIN)
    if not poll.poll(deadline.left() * 1000):
        raise Fault("the client has ended, but something that it started has not")


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS: all that is left are zombies
        os.killpg(group, signal.SIGKILL)


def _environment(folder: Path) -> dict[str, str]:
    """Little enough that nothing of this machine gets into a trace."""
    return {
        "PATH": f"{_links(folder)}{os.pathsep}{os.defpath}",
        "HOME": str(_home(folder)),
        "LANG": "C.UTF-8",
        "ACP_TRACE_HOME": str(_home(folder) / "traces"),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    }


def _project(folder: Path) -> Path:
    return folder / "project"


def _home(folder: Path) -> Path:
    return folder / "home"


def _links(folder: Path) -> Path:
    return folder / "bin"


def _tap(folder: Path) -> Path:
    return folder / "tap"
