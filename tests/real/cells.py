"""One cell of the matrix: a version recorded, or a recording replayed against a version. Each leaves files.

Everything happens in directories of its own: the agent's home with its configuration, a workspace, and the
caller's directory and home, in which a replay must not change anything: what it did there is told.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.real import builds, errand, packages
from tests.real.builds import Line
from tests.real.ending import last_line, run_to_end
from tests.real.model import AS_RECORDED, Manner, Model
from tests.real.stage import furnish
from tests.support import ACP_TRACE, PYTHON

_NOTHING_S = 60  #: how long nothing may go on in a replay, beside busy processors


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run takes place."""

    directory: Path
    env: dict[str, str]

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def callers_home(self) -> Path:
        """The home of who gives the command. Nothing may change there either."""
        return self.directory / "callers-home"

    @property
    def caller(self) -> Path:
        """The directory in which the command is given. Nothing may change there."""
        return self.directory / "caller"


@contextmanager
def placed(line: Line, directory: Path, manner: Manner = AS_RECORDED) -> Iterator[Place]:
    """A new place, with a model that has this manner."""
    shutil.rmtree(directory, ignore_errors=True)
    place = Place(directory, {})
    for path in (place.home, place.caller, place.callers_home):
        path.mkdir(parents=True)
        (path / "mine.txt").write_text("Mine.\n")
    with Model(manner) as model:
        place.env.update(
            PATH=f"{builds.node_programs()}{os.pathsep}{os.defpath}",
            HOME=str(place.home),
            LANG="C.UTF-8",
            SHELL="/bin/sh",
            ACP_TRACE_HOME=str(directory / "traces"),
        )
        place.env.update(line.settle(place.home, model.url, builds.MODELS))
        yield place


def record(line: Line, version: str, directory: Path) -> Path:
    """Records a version's day of work. Raises OutOfReach where it cannot be installed."""
    recording = directory / "recording.jsonl"
    agent = line.install(version)
    options = json.dumps({"authenticate": line.authenticate, "mode": line.mode, "leave": line.leave})
    with placed(line, directory / "place") as place:
        project = furnish(place.directory / "project")
        recorder = [*ACP_TRACE, "record", "--out", str(recording), "--", *agent]
        argv = [*PYTHON, errand.__file__, str(project), options, *recorder]
        ended = run_to_end(["nice", *argv], place.env, place.caller, directory / "record.log")
    if not recording.exists():
        raise packages.OutOfReach(f"was not recorded, exit {ended}: {last_line(directory / 'record.log')}")
    return recording


def replay(
    line: Line, recording: Path, version: str, directory: Path, match: str, manner: Manner
) -> dict[str, Any]:
    """Plays a recording to a version, and gives what `replay --json` said, with what was left behind."""
    agent = line.install(version)
    directory.mkdir(parents=True, exist_ok=True)
    live, report, output = (directory / name for name in ("live.jsonl", "report.json", "replay.json"))
    for path in (live, report, output):
        path.unlink(missing_ok=True)
    with placed(line, directory / "place", manner) as place:
        workspace = furnish(place.directory / "workspace")
        place.env["HOME"] = str(place.callers_home)
        before = snapshot(place.caller), snapshot(place.callers_home)
        options = ["--workspace", str(workspace), "--home", str(place.home)]
        options += ["--timeout", str(_NOTHING_S), "--match", match]
        argv = [
            *ACP_TRACE,
            "replay",
            str(recording),
            *options,
            "--all",
            "--save",
            str(live),
            "--json",
            "--",
            *agent,
        ]
        began = time.monotonic()
        ended = run_to_end(["nice", *argv], place.env, place.caller, directory / "replay.log", output)
        took_s = time.monotonic() - began
        after = snapshot(place.caller), snapshot(place.callers_home)
    try:
        told = json.loads(output.read_bytes())["replays"][0]
    except (ValueError, KeyError, IndexError):
        told = {
            "passed": False,
            "divergences": [],
            "steps": 0,
            "sent": 0,
            "broken": last_line(directory / "replay.log"),
        }
    told["exit_code"] = ended
    told["took_s"] = round(took_s, 1)
    told["caller_changes"] = changes(before[0], after[0])
    told["home_changes"] = changes(before[1], after[1])
    report.write_text(json.dumps(told))
    shutil.rmtree(directory / "place", ignore_errors=True)
    return dict(told)


def snapshot(directory: Path) -> dict[str, tuple[int, int, int]]:
    """Each file below, with its mode, size and time."""
    found = {}
    for path in directory.rglob("*"):
        status = path.lstat()
        found[str(path.relative_to(directory))] = status.st_mode, status.st_size, status.st_mtime_ns
    return found


def changes(before: dict[str, tuple[int, int, int]], after: dict[str, tuple[int, int, int]]) -> list[str]:
    """The files that are new, gone or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
