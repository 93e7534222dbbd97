"""kill -9 of recorder, agent or client, at a random kill point, while both sides talk all they can."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from pathlib import Path

from acp_trace.system.processes import KILL
from tests.faults import stored, truth
from tests.faults.bound import Bound
from tests.faults.stage import Lie, Stage, Talk, kill, must, wait_until

#: After so many kill points their traces go into a store, are compared with it, and are removed.
_BATCH = 10
#: The kill point lies this far, at most, behind the first traffic; or behind the start of all processes.
_FLOWING_S, _STARTING_S = 0.03, 0.25


def recorder(bound: Bound, folder: Path) -> list[str]:
    """The recorder."""
    return _Kills(bound, folder, "recorder").run()


def agent(bound: Bound, folder: Path) -> list[str]:
    """The agent."""
    return _Kills(bound, folder, "agent").run()


def client(bound: Bound, folder: Path) -> list[str]:
    """The client."""
    return _Kills(bound, folder, "client").run()


class _Kills:
    def __init__(self, bound: Bound, folder: Path, whom: str) -> None:
        self._bound, self._folder, self._whom = bound, folder, whom
        self._found: Counter[str] = Counter()
        self._kept = folder / "kept"
        self._kept.mkdir()
        self._waiting: dict[str, int] = {}  #: traces that are kept, with their frames

    def run(self) -> list[str]:
        count = self._bound.repeat(f"kill {self._whom}", 0.24, self._kill_point)
        self._load()
        found = self._found
        return [
            f"{count} kill points",
            f"{found['seen']:,} frames seen",
            "0 missing",
            "0 unreadable",
            f"0 of {found['rows']:,} twice",
        ]

    def _kill_point(self, number: int, chance: random.Random) -> None:
        with Stage(self._folder / str(number)) as stage:
            since = time.monotonic()
            # A client that naps leaves bytes in the pipes, also those of an agent that is dead by then.
            talk = stage.talk(["--nap-ms", str(40 * (number % 2))])
            early = chance.random() < 0.1
            if not early:
                talk.flows()
                since = time.monotonic()
            wait_until(since + chance.uniform(0, _STARTING_S if early else _FLOWING_S))
            if self._whom == "recorder":
                talk.recorder.kill()
            elif self._whom == "client":
                talk.client.kill()
            elif pid := talk.by_agent.pid():
                kill(pid)
            else:  # it is not there yet
                talk.client.kill()
            code = talk.ends()
            try:
                self._check(stage, talk, code)
            except Lie as lie:
                raise Lie(f"kill point {number}: {lie}") from None
            self._take(stage)

    def _check(self, stage: Stage, talk: Talk, code: int) -> None:
        traces = stage.home.spooled()
        must(len(traces) <= 1, f"several traces: {traces}")
        path = traces[0] if traces else Path("none")
        frames = truth.seen(path, talk.by_client, talk.by_agent)
        self._found["seen"] += talk.by_client.saw().count(b"\n") + talk.by_agent.saw().count(b"\n")
        if self._whom == "recorder":
            must(code == -KILL, f"the killed recorder ended with {code}")
        else:
            self._ended(path, talk, code, frames)
        must(talk.stderr.read_bytes() == b"", f"on stderr: {talk.stderr.read_bytes()[:300]!r}")

    def _ended(self, path: Path, talk: Talk, code: int, frames: Counter[str]) -> None:
        """Of a recorder that lived on: the footer, the exit code, and the agent's last bytes."""
        last = list(truth.entries(path))[-1:]
        must(last and last[0][0] == "end", "the trace has no footer")
        end = last[0][1]
        killed = -KILL if end["signal"] == KILL else end["exit_code"]
        must(code == killed, f"exit code {code}, and {end} in the footer")
        frames.update(value[0] for key, value in truth.entries(path) if key == "partial")
        must(end["frames"] == dict(frames), f"{end} in the footer, and {dict(frames)} frames")
        if self._whom == "agent" and code == -KILL:
            lost = talk.by_agent.said() - talk.by_client.heard()
            must(lost <= 0, f"{lost} bytes that the agent said before its death did not reach the client")

    def _take(self, stage: Stage) -> None:
        """Keeps a trace for the store; the rest of the kill point goes."""
        for path in stage.home.spooled():
            count = truth.opens(path)
            self._waiting[path.stem] = count
            os.replace(path, self._kept / path.name)
        shutil.rmtree(stage.folder, ignore_errors=True)  # an agent that was only being started may write yet
        if len(self._waiting) >= _BATCH:
            self._load()

    def _load(self) -> None:
        """All that waits, into a store, twice; compared with the files."""
        home = self._folder / "home"
        (home / "spool").mkdir(parents=True, exist_ok=True)
        files = sorted(self._kept.iterdir())
        for path in files:
            os.link(path, home / "spool" / path.name)
        stored.load(home)
        stored.load_again(home, files)
        stored.equal(home, files, self._waiting)
        self._found["rows"] += sum(self._waiting.values())
        self._waiting.clear()
        shutil.rmtree(home)
        for path in files:
            path.unlink()
