"""Kill points from outside: which phase is asked for, and the process that stands there (`halts.py`)."""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

from tests.faults.stage import belonging, must, wait_until
from tests.lake.proof import halts
from tests.lake.proof.ground import LONGEST_S
from tests.lake.proof.phases import STARTING, Phase
from tests.spark.cluster import command_line
from tests.support import REPOSITORY

_INSIDE = Path(__file__).with_name("inside")
_LOOK_S = 0.001
_DAEMON = b"pyspark.daemon"


@dataclass(frozen=True, slots=True)
class Halted:
    """Where a build is when it is to be killed. `pid`: of the process that stands still; 0: nothing does."""

    pid: int
    name: str  #: of the object that it is at; "" for none


class KillPoints:
    """Those of builds that have `environment` in theirs; one is asked for at a time."""

    def __init__(self, directory: Path) -> None:
        self._directory, self._count = directory, 0
        self._asked = directory / "asked"
        directory.mkdir(parents=True, exist_ok=True)
        self.environment = {
            halts.VARIABLE: str(self._asked),
            "PYTHONPATH": os.pathsep.join([str(_INSIDE), str(REPOSITORY)]),
        }
        #: How long the last build took from its start to the first trace: `starting` is a random moment of that.
        self._starting_s = 1.0

    def ask(self, phase: Phase, nth: int, chance: random.Random) -> KillPoint:
        """From now on, who comes there the nth time stands still."""
        self.clear()
        self._count += 1
        directory = self._directory / f"{self._count:04}"
        directory.mkdir()
        asked = {"directory": str(directory), "phase": phase.name, "nth": nth, "share": chance.random()}
        new = self._directory / "new"
        new.write_text(json.dumps(asked))
        new.rename(self._asked)
        return KillPoint(directory, phase, chance.random() * self._starting_s)

    def clear(self) -> None:
        """Nobody stands still any more, who does not yet."""
        self._asked.unlink(missing_ok=True)

    def learn(self, point: KillPoint, began: float) -> None:
        """How long a build took to start that began then, if it came so far."""
        if times := point.times():
            self._starting_s = times[0] - began

    def executors(self) -> set[int]:
        """The Pythons of executors that live."""
        mark = f"{halts.VARIABLE}={self._asked}".encode()
        return {pid for pid in belonging(mark) if _DAEMON in command_line(pid)}


@dataclass(frozen=True, slots=True)
class KillPoint:
    """One that was asked for."""

    directory: Path
    phase: Phase
    after_s: float  #: for `starting`, where nothing stands still

    def wait(self, build: Popen[bytes]) -> Halted | None:
        """Where a build stands, when it does; None if it ends before, or is past `starting`."""
        if self.phase.name == STARTING:
            wait_until(time.monotonic() + self.after_s)
            return None if self.times() or build.poll() is not None else Halted(0, "")
        file, deadline = self.directory / "halted", time.monotonic() + LONGEST_S
        while not file.exists():
            if build.poll() is not None:
                return None
            must(time.monotonic() < deadline, f"a build neither ends nor comes to {self.phase.name}")
            time.sleep(_LOOK_S)
        return Halted(**json.loads(file.read_text()))

    def go(self) -> None:
        """What stands may go on."""
        (self.directory / "go").touch()

    def times(self) -> list[float]:
        """When a phase was reached, of all phases but `starting`."""
        log = self.directory / "log"
        return [float(line.split()[1]) for line in log.read_text().splitlines()] if log.exists() else []
