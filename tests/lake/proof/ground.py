"""What a scenario of the proof begins with: a corpus, a local database of it, and a place with its traces.

The corpus, the database and the place are made once, and linked or read by all scenarios.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

from acp_trace.places import layout, packing
from acp_trace.places.place import SharedPlace
from acp_trace.store.sources import FileSource
from acp_trace.team.bucket.push import Push
from acp_trace.team.lake import log, names
from tests.faults.stage import Stage, must
from tests.lake.proof import corpus
from tests.lake.proof.corpus import Corpus
from tests.lake.traces import place_at
from tests.support import ACP_TRACE

BUILDER = [sys.executable, "-m", "tests.lake.proof.builder"]
LONGEST_S = 3600.0


@dataclass
class Ground:
    """The stage with the corpus. `count`: of traces; `master`: that of the Spark cluster that builds, if one does."""

    stage: Stage
    count: int
    seed: int = 0
    sources: Sequence[Path] = ()
    master: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    giant_frames: int = 40_000

    @cached_property
    def corpus(self) -> Corpus:
        """The traces."""
        directory = self.stage.folder / "corpus"
        return corpus.make(
            directory, self.count, seed=self.seed, sources=self.sources, giant_frames=self.giant_frames
        )

    @cached_property
    def database(self) -> Path:
        """A local database of them, as `acp-trace load` makes it of files in the spool."""
        spool = self.stage.home.spool
        spool.mkdir(parents=True)
        for path in (*self.corpus.traces, *self.corpus.refused):
            os.link(path, spool / path.name)
        self.runs([*ACP_TRACE, "load"], code=3 if self.corpus.refused else 0)
        left = sorted(path.name for path in spool.iterdir())
        must(left == sorted(path.name for path in self.corpus.refused), f"not loaded: {left[:5]}")
        return self.stage.home.store

    @cached_property
    def _pushed(self) -> Path:
        directory = self.stage.folder / "pushed"
        place = place_at(str(directory))
        push(place, self.corpus.traces)
        for number, path in enumerate(self.corpus.refused):
            put_refused(place, path, number)
        return directory

    def place(self, name: str) -> SharedPlace:
        """A new directory with all traces, those that have to be refused among them, and without tables."""
        directory = self.stage.folder / name
        shutil.copytree(self._pushed, directory, copy_function=os.link)
        return place_at(str(directory))

    @contextmanager
    def using(self, master: str | None = None, **environment: str) -> Iterator[None]:
        """Lets a cluster build, and all that is started have this in its environment."""
        before = self.master, self.environment
        self.master, self.environment = master, {**self.environment, **environment}
        try:
            yield
        finally:
            self.master, self.environment = before

    def build(self, address: str) -> list[str]:
        """The command that builds the tables of a place."""
        by = ["--engine", "spark", "--master", self.master] if self.master else []
        return [*ACP_TRACE, "lake", "build", address, "--json", *by]

    def builder(self, place: SharedPlace, *, in_processes: bool = False) -> list[str]:
        """The same with a commit every half second. `in_processes`: however little there is to do."""
        words = [self.master] if self.master else ["--processes"] if in_processes else []
        return [*BUILDER, place.url, *words]

    def runs(self, argv: Sequence[str], code: int = 0, **environment: str) -> str:
        """What a command prints that ends so. Raises Lie."""
        options: dict[str, Any] = {"env": {**self.stage.environment, **self.environment, **environment}}
        return output_of(self.stage.start(argv, stdout=PIPE, stderr=PIPE, **options), code)

    def starts(self, argv: Sequence[str]) -> Popen[bytes]:
        """A process that is ended with the stage."""
        environment = {**self.stage.environment, **self.environment}
        return self.stage.start(argv, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)


def output_of(process: Popen[bytes], code: int = 0) -> str:
    """What a process prints, once it ends so. Raises Lie."""
    out, err = process.communicate(timeout=LONGEST_S)
    must(process.returncode == code, f"{process.args!r} ended with {process.returncode}: {err[-400:]!r}")
    return out.decode()


def push(place: SharedPlace, files: Sequence[Path]) -> None:
    """Pushes files as they are, in this process."""

    def source(path: Path) -> Callable[[], FileSource]:
        return lambda: FileSource(path)

    done = list(Push(place, "keep").all([source(path) for path in files], 8))
    bad = [one for one in done if one.state != "pushed"]
    must(not bad, f"not pushed: {bad[:3]}")


def put_refused(place: SharedPlace, path: Path, number: int) -> None:
    """Puts what is no trace under a trace's name: packed, packed and cut off, or as it is."""
    packed = b"".join(packing.packed([path.read_bytes()]))
    data = (packed, packed[: len(packed) // 2], path.read_bytes())[number % 3]
    place.put(layout.key(path.stem, "x"), data)


def traces_in(place: SharedPlace) -> int:
    """How many traces are in the tables of a place, as the newest commit says."""
    return sum(group.traces for group in log.newest(place).groups.values())


def lake_files(place: SharedPlace) -> set[str]:
    """The names of all files of tables, in commits or not."""
    return {each.name for each in place.names(f"{names.ROOT}/") if names.group_of(each.name)}


def committed(place: SharedPlace) -> set[str]:
    """The names of those that the newest commit names."""
    groups = log.newest(place).groups.values()
    return {name for one in groups for table in one.files if (name := one.object(table))}
