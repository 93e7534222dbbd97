"""`replay --watch`: an agent is built anew, and the verdict is that of the new build."""

from __future__ import annotations

import shlex
import signal
import subprocess
from pathlib import Path

from tests.real.agents import PY_SDK
from tests.real.client import drive, recorder
from tests.real.processes import Deadline, started
from tests.real.replaying import command
from tests.real.scenarios import PY_WORK
from tests.real.stage import staged

_INTERRUPTED = 128 + signal.SIGINT
_BUILDS = (((), "passed"), (("--fault", "deaf"), "FAILED"), ((), "passed"))


def rebuilt(folder: Path, deadline: Deadline) -> list[str]:
    """Three builds: as recorded, deaf to cancels, as recorded."""
    recorded = drive(PY_WORK, folder / "recorded", deadline, recorder(PY_WORK))
    if recorded.file is None:
        return ["the agent was not recorded"]
    build = folder / "build"
    build.mkdir()
    with staged(PY_SDK, folder / "stage") as stage:
        agent = _build(build, _BUILDS[0][0])
        # The script names files from the project.
        watch_options = ("--watch", str(build), "--agent-cwd", str(stage.project))
        argv = [*command(recorded.file, stage.folder, *watch_options), "--", "/bin/sh", str(agent)]
        stderr = folder / "watch.stderr"
        told: list[str | None] = []
        with started(argv, env=stage.env, cwd=stage.project, stderr=stderr, deadline=deadline) as watch:
            for number, (options, _) in enumerate(_BUILDS):
                if number:
                    _build(build, options)
                told.append(_verdict(watch))
            watch.send_signal(signal.SIGINT)
            code = watch.wait(deadline.left())
    wanted = [verdict for _, verdict in _BUILDS]
    faults = [f"it said {told} in place of {wanted}"] if told != wanted else []
    return faults + ([f"after Ctrl-C it ended with {code}"] if code != _INTERRUPTED else [])


def _build(folder: Path, options: tuple[str, ...]) -> Path:
    """Writes the agent, as a build does: a file beside it takes its place at once."""
    agent, fresh = folder / "agent.sh", folder.with_name("agent.sh.new")
    fresh.write_text(f"exec {shlex.join((*PY_SDK.command, *options))}\n")
    fresh.rename(agent)
    return agent


def _verdict(watch: subprocess.Popen[bytes]) -> str | None:
    """The first word of the next verdict; None when it ended before that."""
    assert watch.stdout is not None
    for line in watch.stdout:
        word = line.decode().partition(" ")[0]
        if word in ("passed", "FAILED"):
            return word
    return None
