"""kill -9 of a loader, in the middle of its work; then the next one has to finish it."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL

from acp_trace.trace import capture_layout, encode
from tests.faults import stored
from tests.faults.bound import Bound
from tests.faults.lines import lines
from tests.faults.stage import Stage, must, wait_until
from tests.support import ACP_TRACE, header, line, until

#: The first one is so large that a loader writes its rows in three parts, all in one transaction.
_STYLES = ("large", "mixed", "small", "small", "small", "small")
_COUNTS = (600, 200, 200, 200, 200, 200)  #: of frames
_TRACES = len(_STYLES)
_LINES = 4  #: this one is a file of lines, as other programs may put there; the others are captures
_MARK = b"the mark"
_END = {"exit_code": 0, "signal": None}
#: What a trace of this name begins with, and the file that has the rest.
_Made = tuple[Callable[[str], bytes], Path]
#: After so many kills a store is put away, so that comparing does not get slower and slower.
_FRESH = 8


class _House:
    """A home that is loaded into, killed, and so on."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._times = folder, 0
        self._fresh()

    def _fresh(self) -> None:
        self.stage = Stage(self._folder / f"store-{self._times}")
        self.counts: dict[str, int] = {}

    def again(self, made: list[_Made]) -> list[Path]:
        """Fills the spool with copies of the traces under new ids; what is to be in the store then."""
        self._times += 1
        if self._times % _FRESH == 0:
            shutil.rmtree(self.stage.folder)
            self._fresh()
        spool, kept = self.stage.home.spool, self.stage.folder / "kept"
        spool.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        for number, (head, path) in enumerate(made):
            name = f"t{self._times}-{number}"
            file = f"{name}{path.suffix}"
            (kept / file).write_bytes(head(name) + path.read_bytes())
            os.link(kept / file, spool / file)
            self.counts[name] = _COUNTS[number]
        return sorted(kept.iterdir())


def loader(bound: Bound, folder: Path) -> list[str]:
    """Kills it again and again."""
    made = list(_traces(folder))
    house = _House(folder / "house")
    house.again(made)
    longest = _work(house, None)
    found: Counter[str] = Counter()

    def kill_point(_: int, chance: random.Random) -> None:
        files = house.again(made)
        _work(house, chance.uniform(0, longest))
        left = len(house.stage.home.spooled())
        found["in the middle"] += 0 < left < _TRACES
        found["before a commit"] += left == _TRACES
        stored.load(house.stage.home.path)
        stored.load_again(house.stage.home.path, files)
        stored.equal(house.stage.home.path, files, house.counts)

    count = bound.repeat("loader", 0.5, kill_point)
    return [
        f"{count} kill points",
        f"{found['in the middle']} between two traces",
        f"{found['before a commit']} before the first",
        "0 missing",
        f"0 of {count * sum(_COUNTS):,} frames twice",
    ]


def _work(house: _House, kill_after: float | None) -> float:
    """Starts a loader, and kills it so long after it opened the store; how long it had the store."""
    stage = house.stage
    with stage:
        process = stage.start([*ACP_TRACE, "load", "--json"], stdout=DEVNULL, stderr=DEVNULL)
        store = str(stage.home.store)
        until(lambda: process.poll() is not None or store in _open_files(process.pid), "a loader at work")
        since = time.monotonic()
        if kill_after is None:
            must(process.wait(60) == 0, f"an undisturbed load ends with {process.returncode}")
        else:
            wait_until(since + kill_after)
            process.kill()
            process.wait(60)
        return time.monotonic() - since


def _open_files(pid: int) -> set[str]:
    found = set()
    try:
        for one in os.scandir(f"/proc/{pid}/fd"):
            found.add(os.readlink(one.path))
    except OSError:  # it is gone, or that file is
        pass
    return found


def _traces(folder: Path) -> Iterator[_Made]:
    """Captures, and a file of lines; some with a footer, some torn."""
    for number, (style, count) in enumerate(zip(_STYLES, _COUNTS, strict=True)):
        each = islice(lines("agent", style), count)
        complete, torn = number % 3 == 0, number % 3 == 1
        if number == _LINES:
            parts = [encode.frames(b"agent", n * 1000, one)[0] for n, one in enumerate(each)]
            path = folder / f"made-{number}.jsonl"
            path.write_bytes(b"".join([*parts, b'{"t":5,"from":"cl']))
            yield lambda name: header(id=name), path
            continue
        blocks = [
            capture_layout.block(_MARK, n * 1000, capture_layout.AGENT, one) for n, one in enumerate(each)
        ]
        if complete:
            blocks.append(
                capture_layout.block(_MARK, count * 1000, capture_layout.RECORDER, line(end=_END)[:-1])
            )
        elif torn:
            blocks.append(blocks[0][:-5])
        path = folder / f"made-{number}.capture"
        path.write_bytes(b"".join(blocks))
        yield _preamble, path


def _preamble(name: str) -> bytes:
    return capture_layout.preamble(_MARK) + capture_layout.block(
        _MARK, 0, capture_layout.RECORDER, header(id=name)[:-1]
    )
