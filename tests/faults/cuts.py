"""A capture that ends anywhere, as after a kill -9: it opens, and says what its whole says, up to there."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

from tests.faults import captures, truth
from tests.faults.bound import Bound
from tests.faults.lines import said
from tests.faults.stage import Stage, must
from tests.posix import limit_files
from tests.support import Recording, agent, lines_of, until

_ECHO = agent(
    "for line in lines: os.write(2, b'a word on stderr\\n'); say(line)\nsay(b'{\"no newline\":1}'); sys.exit(6)"
)
_PLAIN, _HALVED, _LOST, _LOST_TOO, *_AT_ONCE = said("client", 6, "small")


def cut(bound: Bound, folder: Path) -> list[str]:
    """At every byte behind its header, or at each fifth: both sides, stderr, a gap, the ends and the footer."""
    with Stage(folder / "recorded") as stage:
        _record(stage)
        path = folder / "cut.capture"
        shutil.copy(stage.trace(), path)
    size, whole = path.stat().st_size, lines_of(path)
    blocks = list(captures.blocks(path))
    events = [json.loads(block.data).keys() for block in blocks if not block.stream]
    must({block.stream for block in blocks} == {0, 1, 2, 3}, "not every stream is in the capture")
    must(
        [*map(list, events)][1:] == [["gap"], ["end"]], f"the capture should have a gap and an end: {events}"
    )
    step = bound.either(full=1, short=5)
    cuts = range(size - random.Random(bound.seed).randrange(step), blocks[1].at - 1, -step)
    for end in cuts:
        os.truncate(path, end)
        opens(path, whole)
    return [
        f"{len(cuts):,} cuts",
        f"{len(blocks) - 1} blocks",
        "0 unreadable",
        "each the beginning of the whole",
    ]


def opens(path: Path, whole: bytes) -> None:
    """Whether `show` opens it, and its lines are the first ones of `whole`, with all frames of its blocks."""
    rendered = lines_of(path)
    must(
        whole.startswith(rendered) and rendered.endswith(b"\n"),
        f"other lines than the whole: {rendered[-200:]!r}",
    )
    count = sum(key in (*truth.SIDES, "partial") for key, _ in truth.entries(path))
    shown = truth.opens(path)
    must(shown == count, f"{shown} frames are shown, {count} are in the capture")


def _record(stage: Stage) -> None:
    """A line whole, one in two pieces, two that find no room, two in one piece; and one without its end."""
    with stage.home.start(_ECHO) as recording:
        _step(recording, _PLAIN)
        recording.say(_HALVED[:9])
        until(
            lambda: any(block.data == _HALVED[:9] for block in captures.blocks(stage.trace())), "half a line"
        )
        _step(recording, _HALVED[9:], _HALVED)
        _limit(stage, recording, full=True)
        for line in (_LOST, _LOST_TOO):
            _step(recording, line)
        _limit(stage, recording, full=False)
        _step(recording, b"".join(_AT_ONCE))
        recording.finish()


def _step(recording: Recording, piece: bytes, answer: bytes = b"") -> None:
    recording.say(piece)
    for line in (answer or piece).splitlines(keepends=True):
        must(recording.hear() == line, "an answer came otherwise")


def _limit(stage: Stage, recording: Recording, *, full: bool) -> None:
    limit_files(recording.process.pid, stage.trace().stat().st_size + 40 if full else None)
