"""What varies from run to run of one build -> masks that would hide it. Pure.

Each run is compared with the recording; every divergence that a mask could hide proposes it. What no mask
hides (something that came or went, a change of type) is told, and never masked: a mask hides no structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acp_trace.compare.result import Comparison, Divergence


@dataclass(frozen=True, slots=True)
class Proposal:
    """One mask. `runs`: in how many runs something differed there, `places`: how often in all."""

    mask: str
    runs: int
    places: int
    example: Divergence


@dataclass(frozen=True, slots=True)
class Learned:
    """What `runs` runs taught. `structure`: what differed and cannot be masked, by code, with an example."""

    runs: int
    proposals: list[Proposal]
    structure: list[tuple[str, int, Divergence]]


def learn(runs: Sequence[Comparison]) -> Learned:
    """The proposals from some runs, those that varied most often first."""
    masked = _by((one.mask, run, one) for run, one in _all(runs) if one.mask is not None)
    others = _by((one.code, run, one) for run, one in _all(runs) if one.mask is None)
    proposals = [Proposal(mask, _runs(found), len(found), found[0][1]) for mask, found in masked.items()]
    structure = [(code, _runs(found), found[0][1]) for code, found in others.items()]
    proposals.sort(key=lambda one: (-one.runs, one.mask))
    structure.sort(key=lambda one: (-one[1], one[0]))
    return Learned(len(runs), proposals, structure)


def _all(runs: Sequence[Comparison]) -> Iterable[tuple[int, Divergence]]:
    return ((number, one) for number, run in enumerate(runs) for one in run.failing)


def _by(some: Iterable[tuple[str, int, Divergence]]) -> dict[str, list[tuple[int, Divergence]]]:
    found: dict[str, list[tuple[int, Divergence]]] = {}
    for key, run, one in some:
        found.setdefault(key, []).append((run, one))
    return found


def _runs(found: Sequence[tuple[int, Divergence]]) -> int:
    return len({run for run, _ in found})
