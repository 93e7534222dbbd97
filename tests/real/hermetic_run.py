"""One recording with its model's side, or one replay of it without a network. Each leaves files.

Each takes place in directories of its own: projects, home, traces. For a replay nothing of the recording's place
is left: other directories, another home, another date, and a network namespace with nothing but the loopback.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.real import builds, chores, packages
from tests.real.ending import last_line, run_to_end
from tests.real.model import AS_RECORDED, Model
from tests.real.providers import KEY, MAPPED, Hosted
from tests.real.stage import furnish
from tests.support import ACP_TRACE, PYTHON

_NOTHING_S = 60  #: how long nothing may go on in a replay
#: The way into a network namespace from which nothing can be reached but what listens in it.
ALONE = ("unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "alone")
#: The same, where it is another day: the local time of a file.
_ALONE_ON_ANOTHER_DAY = (
    *("unshare", "--map-root-user", "--net", "--mount", "sh", "-c"),
    'ip link set lo up && mount --bind "$1" /etc/localtime && shift && exec "$@"',
    "alone",
)
_LATER = Path(__file__).with_name("later.c")
_DAY_S = 24 * 3600
_LATER_DAYS = 9  #: how much later a replay is at the least
_ELSEWHERE = "Pacific/Chatham"  #: the time zone of a replay


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run takes place."""

    root: Path  #: everything is in it
    directory: Path
    home: Path

    @property
    def projects(self) -> tuple[Path, Path]:
        """The directories of the two sessions."""
        return self.directory / "one", self.directory / "two"

    def environment(self, hosted: Hosted) -> dict[str, str]:
        """For acp-trace and the agent. The agent's home is written."""
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        for project in self.projects:
            furnish(project)
        return {
            "PATH": os.pathsep.join((*hosted.programs(), str(builds.node_programs()), os.defpath)),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "ACP_TRACE_HOME": str(self.directory / "traces"),
            **hosted.settle(self.home),
        }


@dataclass(frozen=True, slots=True)
class Replayed:
    """What `replay --json` said."""

    exit_code: int | None
    took_s: float
    found: dict[str, Any]

    @property
    def passed(self) -> bool:
        return self.exit_code == 0 and bool(self.found["passed"])


def record(hosted: Hosted, version: str, recording: Path, place: Place, *, errors: bool = False) -> None:
    """Records a session at the provider's default address. Raises OutOfReach where that cannot be done.

    `errors`: one in which the provider fails now and then. Ends the script if the key that the agent sent is in a file that is left.
    """
    agent = hosted.line.install(version)
    options = json.dumps({"authenticate": hosted.authenticate, "mode": hosted.mode, "errors": errors})
    environment = place.environment(hosted)
    written, log = place.directory / "recorded" / recording.name, recording.with_suffix(".log")
    for directory in (written.parent, recording.parent):
        directory.mkdir(parents=True, exist_ok=True)
    with Model(AS_RECORDED) as model:
        environment["ACP_TRACE_MODEL_MAP"] = " ".join(f"{host}={model.url}" for host in MAPPED)
        recorder = [*ACP_TRACE, "record", "--model", "--workspace-snapshot", "--out", str(written)]
        recorder += ["--model-base", hosted.base] if hosted.base else []
        client = [*PYTHON, chores.__file__, *map(str, place.projects), options]
        ended = run_to_end([*client, *recorder, "--", *agent], environment, place.directory, log)
    told = log.read_text(errors="replace")
    if "chores: " in told or "errand: " in told or not _is_whole(written):
        raise packages.OutOfReach(f"was not recorded, exit {ended}: {last_line(log)}")
    if leaks := [path for path in [log, *place.directory.rglob("*")] if path.is_file() and _has_key(path)]:
        raise SystemExit(f"hermetic: the key is in {', '.join(map(str, leaks))}")
    for path in written.parent.iterdir():  # the recording, and the files that are kept with it
        shutil.move(path, recording.parent / path.name)


def replay(
    hosted: Hosted,
    version: str,
    recording: Path,
    place: Place,
    report: Path,
    *options: str,
    later_days: int | None = None,
) -> Replayed:
    """Plays a recording to an agent that can reach nobody. The model is not there, and no key is."""
    agent = hosted.line.install(version)
    report.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        name: value for name, value in place.environment(hosted).items() if not name.endswith("_API_KEY")
    }
    callers_home = place.directory / "caller"
    callers_home.mkdir()
    environment["HOME"] = str(callers_home)
    if not hosted.is_static:
        environment["TZ"] = _ELSEWHERE
    live, log, output = (report.with_suffix(suffix) for suffix in (".jsonl", ".log", ".out"))
    live.unlink(missing_ok=True)
    told = ["--home", str(place.home), "--timeout", str(_NOTHING_S), "--save", str(live), "--json", *options]
    alone = [*_ALONE_ON_ANOTHER_DAY, another_day()] if hosted.is_static else ALONE
    # With `--later`, the replay's clock moves too: the certificates that it makes last 300 days.
    machine, agents = ([], later()) if later_days is None else (later(later_days), [])
    argv = [*alone, *machine, *ACP_TRACE, "replay", str(recording), *told, "--", *agents, *agent]
    began = time.monotonic()
    ended = run_to_end(argv, environment, place.directory, log, output)
    took_s = time.monotonic() - began
    try:
        found = json.loads(output.read_bytes())["replays"][0]
    except (ValueError, KeyError, IndexError):
        found = {"passed": False, "divergences": [], "broken": last_line(log)}
    replayed = Replayed(ended, took_s, found)
    report.write_text(json.dumps({"exit_code": ended, "took_s": round(took_s, 1), **found}))
    return replayed


def later(days: int | None = None) -> list[str]:
    """Starts a program so many days later, or in another month, if there is a compiler.

    Programs without a dynamic linker see today.
    """
    library = packages.cache() / "hermetic" / "later.so"
    compiler = shutil.which("cc")
    if not library.exists() and compiler is not None:
        library.parent.mkdir(parents=True, exist_ok=True)
        made = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(_LATER), "-ldl"]
        subprocess.run(made, check=True)
    seconds = _later_s(time.time()) if days is None else days * _DAY_S
    return ["env", f"LD_PRELOAD={library}", f"LATER_S={seconds}"] if library.exists() else []


def _later_s(now: float) -> int:
    """How many seconds later a replay is: as few as lead to another month, and to another day of the week.

    claude-agent-acp removes at once what is older than 30 days, its own files among it.
    """
    today = time.gmtime(now)
    for days in itertools.count(_LATER_DAYS):
        day = time.gmtime(now + days * _DAY_S)
        if day.tm_mon != today.tm_mon and day.tm_wday != today.tm_wday:
            return days * _DAY_S
    raise AssertionError


def another_day() -> str:
    """A file for /etc/localtime: UTC by its name, and half a day away, so that it is yesterday or tomorrow."""
    hours = -12 if time.gmtime().tm_hour < 12 else 12
    # RFC 9636: a head and one kind of time, of version 1 and again of version 2, then the rule for the future.
    head = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    block = head + struct.pack(">lBB", hours * 3600, 0, 0) + b"UTC\0"
    path = packages.cache() / "hermetic" / "another-day"
    path.write_bytes(block + block + f"\nUTC{-hours:+d}\n".encode())
    return str(path)


def can_be_alone() -> bool:
    """Whether this user can have a network namespace."""
    try:
        return subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def reachable(*addresses: tuple[str, int]) -> list[str]:
    """Which of these can be connected to from where a replay runs."""
    code = "import socket, sys\nsocket.create_connection((sys.argv[1], int(sys.argv[2])), 5)"
    found = []
    for host, port in addresses:
        argv = [*ALONE, *PYTHON, "-c", code, host, str(port)]
        if subprocess.run(argv, capture_output=True, check=False).returncode == 0:
            found.append(f"{host}:{port}")
    return found


def _has_key(path: Path) -> bool:
    return KEY.encode() in path.read_bytes()


def _is_whole(recording: Path) -> bool:
    return recording.exists() and b'"end"' in recording.read_bytes()[-2000:]
