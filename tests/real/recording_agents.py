"""`just record-agents`: tests/real/recording_agents.py [--only AGENT] [--keep DIR] [--replay] [--write] [TRACE…].

Installs the newest published version of each agent, and records what docs/evidence/agents.md shows of it: all that it
announces (`drive --all`), errands (errands.py), and probes of the protocol's rules (probing.py). The model is a
stand-in on the loopback. `--replay` replays recordings (docs/evidence/hermetic.md). `--write` makes the page from all
recordings in DIR and the other TRACEs. Ends with 1 if an agent could not be recorded.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from acp_trace.builds import npm, pypi, versions
from acp_trace.builds.semver import BadVersion
from acp_trace.builds.tools import Unavailable
from acp_trace.replay.plan.recording import read
from acp_trace.replay.written.announced import announced
from acp_trace.store.sources import FileSource
from tests.real import builds, driving, errands, mcp_server, packages, probing
from tests.real.builds import Published
from tests.real.listed_npm import LISTED_NPM
from tests.real.listed_pypi import LISTED_PYPI
from tests.real.mcp_server import Servers
from tests.real.providers import HOSTED, Hosted

#: Logins that an agent does not need, and that it takes all the same.
_LOGINS = {"gemini-cli": "gemini-api-key"}
#: Agents of the hermetic replays that are listed once more: the newest release wants another package beside it.
_LISTED_AGAIN = ("pi-acp",)
#: Modes of agents that else ask another model whether a tool may be called.
_MODES = {"claude-agent-acp": "default"}
AGENTS = tuple(
    replace(
        one,
        authenticate=one.authenticate or _LOGINS.get(one.name),
        mode=one.mode or _MODES.get(one.name),
    )
    for one in (*HOSTED, *LISTED_NPM, *LISTED_PYPI)
    if one.name not in _LISTED_AGAIN
)
_PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.py"
_ALL, _START = "all", "start"
#: Recordings that an unchanged agent must pass. In the others it talks to servers, or gets lines that are not messages.
_REPLAYED = (_ALL, "chores", "rules")
#: As far as an agent goes that wants a login first.
_OPENING = 'permission = "allow_once"\nsteps = [{ new = "main" }]\n'


def newest(line: Published) -> str:
    """The newest release that the registry has; without an answer, the newest that is pinned."""
    registry: versions.Registry = "pypi" if line.python else "npm"
    package = line.package.partition("[")[0]
    try:
        if line.python:
            listed = pypi.published(package, threading.Event(), packages.interpreter_313())
        else:
            listed = npm.published(package, threading.Event())
        return versions.chosen(registry, "*", listed)[-1]
    except (Unavailable, BadVersion, IndexError):
        return line.versions[0]


def recorded(hosted: Hosted, root: Path, servers: Servers, only: Collection[str]) -> Iterator[str]:
    """Records one agent; says how far each recording came. Raises OutOfReach if it does not start.

    `only`: the names of scripts; the other recordings stay. Empty: everything again.
    """
    hosted.install()
    if not only or not _first(root):
        shutil.rmtree(root, ignore_errors=True)
        try:
            yield _told(_ALL, driving.drive(hosted, root, _ALL, *_label(hosted), *driving.everything(hosted)))
        except packages.OutOfReach as why:  # most often it opens no session without a login
            yield f"{_ALL}: {why}"
            yield _told(_START, _drive(hosted, root, _START, _OPENING))
    (first,) = _first(root)
    for name, text in _scripts(hosted, first, servers).items():
        if only and name not in only:
            continue
        try:
            yield _told(name, _drive(hosted, root, name, text))
        except packages.OutOfReach as why:
            yield f"{name}: {why}"


def _first(root: Path) -> list[Path]:
    """The recording that shows what the agent announces, if there is one."""
    return [path for name in (_ALL, _START) if (path := root / f"{name}.jsonl").exists()][:1]


def _drive(hosted: Hosted, root: Path, name: str, text: str) -> dict[str, Any]:
    script = root / f"{name}.toml"
    script.write_text(text, "utf-8")
    return driving.drive(hosted, root, name, *_label(hosted), str(script))


def _scripts(hosted: Hosted, first: Path, servers: Servers) -> Mapping[str, str]:
    """The other scripts. An agent that opened no session is not asked for what needs one."""
    with closing(FileSource(first)) as source:
        found, said = source.facts(), announced(read(list(source.entries())))
    if found.trace.frames_agent == 0:
        raise packages.OutOfReach("the agent said nothing")
    sessions, words = bool(found.sessions), (driving.PROMPTS[0], driving.CANCELLED)
    rules = probing.scripts(said, *words, sessions=sessions, login=hosted.authenticate)
    other = errands.scripts(servers, login=hosted.authenticate, mode=hosted.mode) if sessions else {}
    return {**other, **dict(rules)}


def _label(hosted: Hosted) -> list[str]:
    return ["--label", f"agent_version={hosted.version}"]


def _told(name: str, found: Mapping[str, Any]) -> str:
    statuses = Counter(step["status"] for step in found["steps"])
    why = "" if found["ok"] else f" ({found['why']})"
    return f"{name}: {', '.join(f'{count} {status}' for status, count in statuses.items())}{why}"


def record(hosted: Hosted, keep: Path, servers: Servers, only: Collection[str], *, replays: bool) -> bool:
    """Records the newest version of an agent, or else the one that is pinned. Prints how it goes."""
    pinned, began = hosted.line.versions[0], time.monotonic()
    for version in dict.fromkeys((newest(hosted.line), pinned)):
        try:
            for told in recorded(replace(hosted, version=version), keep / hosted.name, servers, only):
                print(f"{hosted.name} {version}  {told}", flush=True)
        except (packages.OutOfReach, OSError) as why:
            print(f"{hosted.name} {version}  not recorded: {why}", flush=True)
        else:
            print(f"{hosted.name} {version}  recorded in {time.monotonic() - began:.0f} s", flush=True)
            for name in _REPLAYED if replays else ():
                if (keep / hosted.name / f"{name}.jsonl").exists():
                    verdict = driving.replayed(replace(hosted, version=version), keep / hosted.name, name)
                    print(f"{hosted.name} {version}  {name}, replayed: {verdict}", flush=True)
            return True
    return False


def main(argv: Sequence[str]) -> int:
    """The script: 0 if every agent was recorded."""
    parser = argparse.ArgumentParser(description="Real agents, recorded for docs/evidence/agents.md.")
    parser.add_argument("traces", nargs="*", type=Path, metavar="TRACE", help="other recordings for the page")
    parser.add_argument("--only", metavar="AGENT", action="append", choices=[one.name for one in AGENTS])
    parser.add_argument("--keep", metavar="DIR", type=Path, help="where recordings are; default: the cache")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="how many agents at a time")
    parser.add_argument(
        "--script", metavar="NAME", action="append", default=[], help="only these scripts again"
    )
    parser.add_argument("--replay", action="store_true", help="replay each recording without a model")
    parser.add_argument("--write", action="store_true", help="write docs/evidence/agents.md")
    asked = parser.parse_args(argv)
    keep = (asked.keep or packages.cache() / "agents").absolute()
    # npm chooses by the Node that it runs on.
    os.environ["PATH"] = f"{builds.node_programs()}{os.pathsep}{os.environ['PATH']}"
    wanted = [one for one in AGENTS if asked.only is None or one.name in asked.only]
    with mcp_server.serving() as servers, ThreadPoolExecutor(asked.jobs) as pool:
        done = list(
            pool.map(lambda one: record(one, keep, servers, asked.script, replays=asked.replay), wanted)
        )
    if asked.write:
        traces = [path for one in AGENTS for path in sorted((keep / one.name).glob("*.jsonl"))]
        traces += asked.traces
        subprocess.run([sys.executable, "-I", str(_PAGE), *map(str, traces)], check=True)
    return int(not all(done))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
