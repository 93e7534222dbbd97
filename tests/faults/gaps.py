"""Whether a trace says exactly what it lacks: its gaps against what was really sent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.faults.lines import number_of
from tests.faults.stage import must
from tests.faults.truth import SIDES, entries


class Lost(NamedTuple):
    """What a trace says that it lacks."""

    gaps: int
    frames: int
    bytes: int


def in_order(path: Path, sent: Sequence[tuple[str, bytes]]) -> Lost:
    """Of a conversation whose order is known: each frame in its place, and each gap exactly as large."""
    at, gaps, frames, size, footer = 0, 0, 0, 0, False
    for key, value in entries(path):
        if key in SIDES:
            must(
                at < len(sent) and (key, value + b"\n") == sent[at], f"frame {at} of {len(sent)} is not there"
            )
            at += 1
        elif key == "gap":
            lost = sent[at : at + value["frames"]]
            lacks = sum(len(one) - 1 for _, one in lost)
            must(
                len(lost) == value["frames"] and lacks == value["bytes"],
                f"{value}, and it lacks {lacks} bytes",
            )
            at += len(lost)
            gaps, frames, size = gaps + 1, frames + len(lost), size + lacks
        elif key == "end":
            footer = True
            counts = {side: sum(one == side for one, _ in sent) for side in SIDES}
            must(value["frames"] == counts, f"{value} in the footer, and {counts} frames were sent")
    must(footer and at == len(sent), f"{at} of {len(sent)} frames are told of; footer: {footer}")
    return Lost(gaps, frames, size)


def in_a_flood(path: Path, said: dict[str, list[bytes]]) -> Lost:
    """Of two sides that talk at once: what is missing by its numbers is what the gaps before it say."""
    at = dict.fromkeys(SIDES, 0)
    gaps, owed, missing, footer = 0, [0, 0], [0, 0], False

    def skip(side: str, to: int) -> None:
        for one in said[side][at[side] : to]:
            missing[0] += 1
            missing[1] += len(one) - 1
        at[side] = to
        must(missing[0] <= owed[0] and missing[1] <= owed[1], f"{missing} are missing, gaps tell of {owed}")

    for key, value in entries(path):
        if key in SIDES:
            number = number_of(value)
            must(number >= at[key], f"frame {number} of the {key} comes twice or too late")
            must(value + b"\n" == said[key][number], f"frame {number} of the {key} is another one")
            skip(key, number)
            at[key] += 1
        elif key == "gap":
            gaps += 1
            owed[0] += value["frames"]
            owed[1] += value["bytes"]
        elif key == "end":
            footer = True
            counts = {side: len(each) for side, each in said.items()}
            must(value["frames"] == counts, f"{value} in the footer, and {counts} frames were sent")
    for side in SIDES:
        skip(side, len(said[side]))
    must(footer, "the trace has no footer")
    must(missing == owed, f"{missing} (frames, bytes) are missing, the gaps tell of {owed}")
    return Lost(gaps, *owed)
