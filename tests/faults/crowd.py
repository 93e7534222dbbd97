"""Eight recorders at once, each with its loader, beside commands that look at the store in a loop."""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.faults import stored
from tests.faults.bound import Bound
from tests.faults.stage import DEADLINE_S, Stage, belonging, must
from tests.faults.truth import SIDES, heard, holds
from tests.support import ACP_TRACE, until

_RECORDERS = 8
#: Frames a second of each side, so that a trace is live long enough to be met by the others.
_RATE = 1000
#: What `query` says of live traces.
_NO_ERROR = b"acp-trace: still being recorded, so not in the store yet: "
_COMMANDS = (
    ("ls",),
    ("show", "last"),
    ("query", "SELECT count(*), count(DISTINCT trace_id) FROM frames"),
    ("load",),
)


def crowd(bound: Bound, folder: Path) -> list[str]:
    """As long as its time lasts; then the store has to be the sum of the traces."""
    return _Crowd(bound, folder).run()


class _Crowd:
    def __init__(self, bound: Bound, folder: Path) -> None:
        self._bound, self._stage = bound, Stage(folder)
        self._stop = threading.Event()
        self._counts: dict[str, int] = {}
        self._ran: Counter[str] = Counter()
        self._kept = folder / "kept"
        self._kept.mkdir()
        self._lock = threading.Lock()

    def run(self) -> list[str]:
        with self._stage as stage, ThreadPoolExecutor(_RECORDERS + len(_COMMANDS)) as pool:
            ends = time.monotonic() + self._bound.hold_s(0.11)
            recorders = [pool.submit(self._record, number, ends) for number in range(_RECORDERS)]
            try:
                until(lambda: self._counts or any(one.done() for one in recorders), "the first trace")
                commands = [pool.submit(self._ask, words) for words in _COMMANDS]
                for one in recorders:
                    one.result()
            finally:
                self._stop.set()
            for one in commands:
                one.result()
            files = sorted(self._kept.iterdir())
            frames = sum(self._counts.values())
            self._settled()
            stored.load(stage.home.path)
            stored.equal(stage.home.path, files, self._counts)
        asked = ", ".join(f"{count} {name}" for name, count in self._ran.items())
        return [
            f"{len(files)} recordings, {frames:,} frames",
            f"beside {asked}",
            "0 errors",
            "0 frames lost",
            "the store is the sum of the traces",
        ]

    def _record(self, number: int, ends: float) -> None:
        """One conversation after the other; the first recorder has a single one that lasts all the time."""
        last = max(int(_RATE * (ends - time.monotonic())), 50)
        chance = random.Random(f"{self._bound.seed} crowd {number}")
        place = Stage(self._stage.folder / f"r{number}")
        place.environment = self._stage.environment
        with place:
            while True:
                least, most = (50, 1500) if number else (last, last + 1)
                self._one(place, chance.randrange(least, most), chance.randrange(least, most))
                if time.monotonic() > ends or self._stop.is_set():
                    return

    def _one(self, place: Stage, asked: int, answered: int) -> None:
        go = place.folder / "go"
        go.unlink(missing_ok=True)
        words = ["--style", "small", "--chunk", "10", "--rate", str(_RATE), "--lines"]
        talk = place.talk([*words, str(asked), "--until", str(go)], [*words, str(answered)], options=())
        talk.flows()
        mine = self._keep(talk.by_agent.pid())
        go.touch()
        code = talk.ends(DEADLINE_S + 2 * max(asked, answered) / _RATE)  # who shares the machine is slower
        must(
            code == 0 and not talk.stderr.read_bytes(),
            f"a recorder ends with {code}: {talk.stderr.read_text()}",
        )
        for side, notes, count in zip(SIDES, (talk.by_agent, talk.by_client), (asked, answered), strict=True):
            heard(side, notes.saw_file, count, "small")
            holds(mine, side, count, "small")
            notes.saw_file.unlink()
        with self._lock:
            self._counts[mine.stem] = asked + answered

    def _keep(self, agent: int) -> Path:
        """Gives each live trace a second name, that no loader removes; the one of this agent's recorder."""
        recorder = int(Path(f"/proc/{agent}/stat").read_text().rpartition(")")[2].split()[1])
        for path in self._stage.home.spooled():
            with suppress(FileExistsError, FileNotFoundError):
                os.link(path, self._kept / path.name)
        kept = {_number(one): one for one in self._kept.iterdir()}
        for one in os.scandir(f"/proc/{recorder}/fd"):  # by its number: it was opened by another name
            with suppress(FileNotFoundError):
                if mine := kept.get(_number(one.path)):
                    return mine
        raise AssertionError("the recorder has no trace file open")

    def _ask(self, words: tuple[str, ...]) -> None:
        """One command after the other: none may fail."""
        while not self._stop.is_set():
            done = subprocess.run(
                [*ACP_TRACE, *words],
                capture_output=True,
                env=self._stage.environment,
                timeout=DEADLINE_S * 2,
                check=False,
            )
            said = [line for line in done.stderr.splitlines() if not line.startswith(_NO_ERROR)]
            if done.returncode or said:
                self._stop.set()
            must(not done.returncode and not said, f"{words} ends with {done.returncode}: {done.stderr!r}")
            with self._lock:
                self._ran[words[0]] += 1

    def _settled(self) -> None:
        """Waits for the loaders that the recorders left behind: they belong to nobody."""
        until(lambda: not belonging(self._stage.mark), "the end of the loaders")


def _number(path: str | Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino
