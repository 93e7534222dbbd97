"""Disks that fill up, spools that are deleted or read-only, and all of it restored, under traffic.

What cannot be had here (a mount, a folder that root cannot write to) is skipped with a word.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests import rights
from tests.faults.bound import Bound
from tests.faults.gaps import Lost, in_a_flood, in_order
from tests.faults.lines import lines, said
from tests.faults.stage import DEADLINE_S, Lie, Stage, must, wait_until
from tests.faults.truth import SIDES, heard, opens
from tests.posix import limit_files
from tests.support import ACP_TRACE, Recording, agent

_ECHO = agent("for line in lines: say(line)\nsys.exit(6)")
_STEPS, _FLOOD = 120, 6000
#: A disk's state: it is set with one of these, given how many bytes fit yet; None restores it.
Disk = Callable[[int | None], None]


def limited(bound: Bound, folder: Path) -> list[str]:
    """A limit on the size of files, put on the running recorder and taken off again."""

    def put(stage: Stage, pid: int) -> Disk:
        def disk(room: int | None) -> None:
            size = sum(one.stat().st_size for one in stage.home.spooled())
            limit_files(pid, None if room is None else size + room)

        return disk

    return _rounds("limit", bound, folder, put, part=0.06)


def full(bound: Bound, folder: Path) -> list[str]:
    """A small file system of its own, filled and emptied."""
    if not mounts(folder):
        return ["skipped: no file system can be mounted here; the file-size limit stands in for it"]

    def put(stage: Stage, _: int) -> Disk:
        return filling(stage.home.path)

    return _rounds("full", bound, folder, put, part=0.06, around=mounted)


def deleted(bound: Bound, folder: Path) -> list[str]:
    """The spool removed, again and again: everything is put back, nothing is lost."""

    def put(stage: Stage, _: int) -> Disk:
        def disk(room: int | None) -> None:
            if room is not None:
                shutil.rmtree(stage.home.spool, ignore_errors=True)

        return disk

    return _rounds("deleted", bound, folder, put, part=0.06, loses=False)


def read_only(bound: Bound, folder: Path) -> list[str]:
    """A spool that nobody may write to, also when its file is deleted; then it may be written to again."""
    wrapper = rights.limited(folder)
    if wrapper is None:
        return ["skipped: this is root, for whom no folder is read-only, and setpriv cannot change that"]
    count = bound.repeat(
        "read-only", 0.05, lambda n, chance: _read_only(folder / str(n), wrapper, chance), most=50
    )
    return [f"{count} rounds", f"{count} gaps exact", "the deleted file put back whole", "exit code 6"]


def _read_only(folder: Path, wrapper: list[str], chance: random.Random) -> None:
    with Stage(folder) as stage:
        stage.home.spool.mkdir(parents=True)
        stage.home.spool.chmod(0o500)
        sent: list[tuple[str, bytes]] = []
        allowed, removed, again = sorted(chance.sample(range(1, _STEPS), 3))
        with _echo(stage, wrapper) as recording:
            for number, line in zip(range(_STEPS), lines("client"), strict=False):
                if number == allowed:
                    stage.home.spool.chmod(0o700)
                elif number == removed:
                    for path in stage.home.spooled():
                        path.unlink()
                    stage.home.spool.chmod(0o500)
                elif number == again:
                    stage.home.spool.chmod(0o700)
                _step(recording, line, sent)
            _over(recording)
        lost = in_order(stage.trace(), sent)
        must(lost.gaps == 1 and lost.frames == 2 * allowed, f"{lost}, and {allowed} steps had no spool")
    shutil.rmtree(folder)


def _rounds(
    name: str,
    bound: Bound,
    folder: Path,
    put: Callable[[Stage, int], Disk],
    *,
    part: float,
    loses: bool = True,
    around: Callable[[Path], Iterator[None]] | None = None,
) -> list[str]:
    """Rounds of one kind of fault: a conversation step by step, then a flood in both directions."""
    found: list[Lost] = []

    def one(number: int, chance: random.Random) -> None:
        place = folder / str(number)
        with Stage(place) as stage, contextmanager(around)(stage.home.path) if around else _nothing():
            run = _flood if number % 2 else _stepwise
            try:
                lost = run(stage, put, chance)
                must(loses or not lost.frames, f"{lost} although nothing need be lost")
            except Lie as lie:
                raise Lie(f"round {number}: {lie}") from None
            found.append(lost)
            opens(stage.trace())
        shutil.rmtree(place)

    count = bound.repeat(name, part, one, most=50)
    told = [sum(column) for column in zip(*found, strict=True)]
    return [
        f"{count} rounds",
        f"{told[0]} gaps of {told[1]:,} frames and {told[2]:,} bytes, each exact"
        if loses
        else "0 frames lost",
        "traffic the same",
        "exit code the agent's",
    ]


def _stepwise(stage: Stage, put: Callable[[Stage, int], Disk], chance: random.Random) -> Lost:
    sent: list[tuple[str, bytes]] = []
    with _echo(stage, []) as recording:
        disk = None
        for number, line in zip(range(_STEPS), lines("client"), strict=False):
            if disk and number % 10 == 0:
                disk(None if number % 20 == 0 else chance.randrange(4000))
            _step(recording, line, sent)
            disk = disk or put(stage, recording.process.pid)  # now there is a trace
        assert disk
        disk(None)
        _over(recording)
    return in_order(stage.trace(), sent)


def _flood(stage: Stage, put: Callable[[Stage, int], Disk], chance: random.Random) -> Lost:
    go = stage.folder / "go"
    words = ["--lines", str(_FLOOD)]
    talk = stage.talk([*words, "--until", str(go)], [*words, "--code", "6"])
    talk.flows()
    disk = put(stage, talk.recorder.pid)
    total = {side: sum(map(len, said(side, _FLOOD))) for side in SIDES}
    ends = time.monotonic() + DEADLINE_S
    while talk.by_client.heard() < total["agent"] or talk.by_agent.heard() < total["client"]:
        must(time.monotonic() < ends, "the flood does not come to its end")
        disk(chance.randrange(100_000))
        wait_until(time.monotonic() + chance.uniform(0, 0.02))
        disk(None)
        wait_until(time.monotonic() + chance.uniform(0, 0.05))
    go.touch()
    code = talk.ends()
    must(code == 6, f"exit code {code}, the agent's is 6")
    heard("agent", talk.by_client.saw_file, _FLOOD)
    heard("client", talk.by_agent.saw_file, _FLOOD)
    return in_a_flood(stage.trace(), {side: said(side, _FLOOD) for side in SIDES})


def _echo(stage: Stage, wrapper: list[str]) -> Recording:
    argv = [*wrapper, *ACP_TRACE, "record", "--no-load", "--", *_ECHO]
    return Recording(argv, stage.environment)


def _step(recording: Recording, line: bytes, sent: list[tuple[str, bytes]]) -> None:
    recording.say(line)
    must(recording.hear() == line, "an answer came otherwise")
    sent += [("client", line), ("agent", line)]


def _over(recording: Recording) -> None:
    out, err, code = recording.finish()
    must((out, code) == (b"", 6), f"exit code {code}, the agent's is 6; at the end came {out[:80]!r}")
    must(err.count(b"\n") <= 1, f"more than one line on stderr: {err!r}")


def filling(place: Path) -> Disk:
    """Fills a file system with a file in this directory, and empties it."""
    filler = place / "filler"

    def disk(room: int | None) -> None:
        if room is None:
            if filler.exists():
                os.truncate(filler, 0)  # a child that is only being started may hold it open for a moment
            return
        with open(filler, "wb", buffering=0) as stream:
            with suppress(OSError):  # until it is full, beside a recorder that fills it, too
                while stream.write(bytes(1 << 20)):
                    pass
            stream.truncate(max(stream.tell() - room, 0))

    return disk


def mounts(folder: Path) -> bool:
    """Whether a file system can be mounted here."""
    place = folder / "tried"
    try:
        with contextmanager(mounted)(place):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def mounted(place: Path) -> Iterator[None]:
    """A small file system at this place, as long as this goes on."""
    place.mkdir(parents=True, exist_ok=True)
    words = ["-t", "tmpfs", "-o", "size=64m,mode=700", "acp-trace-faults", str(place)]
    subprocess.run(["mount", *words], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, capture_output=True)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
