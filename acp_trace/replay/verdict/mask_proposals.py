"""What varies from run to run of one build -> masks that would hide it, or allowances. Pure.

Each run is compared with the recording; every divergence that a mask could hide proposes that mask. A mask
never hides structure (something that came or went, a change of type). For that an allowance is proposed, if
one is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acp_trace.compare.result import Comparison, Divergence
from acp_trace.replay.verdict.allowances import proposed

#: The advice if `only_varies`.
LEARN = "only ids or numbers differ: if they vary from run to run, `replay --learn 5` proposes masks"


def only_varies(comparison: Comparison) -> bool:
    """Whether only ids, or words with digits, differ, in values that a mask could hide."""
    return bool(comparison.failing) and all(map(_only_varies, comparison.failing))


def _only_varies(divergence: Divergence) -> bool:
    from acp_trace.normalize import figures, ids

    if divergence.mask is None or divergence.expected is None or divergence.got is None:
        return False
    was, now = (figures.without_numbers(ids.mask(text, [])) for text in (divergence.expected, divergence.got))
    return was == now


@dataclass(frozen=True, slots=True)
class Proposal:
    """One mask. `runs`: number of runs with a difference there, `places`: number of differences in all."""

    mask: str
    runs: int
    places: int
    example: Divergence


@dataclass(frozen=True, slots=True)
class Unmaskable:
    """What differed and cannot be masked. `allow`: the allowance for it, None if none is possible."""

    code: str
    allow: str | None
    runs: int
    example: Divergence


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned from `runs` runs."""

    runs: int
    proposals: list[Proposal]
    structure: list[Unmaskable]


def learn(runs: Sequence[Comparison]) -> Learned:
    """Return the proposals from some runs, the most frequent variations first."""
    all_ = [(number, divergence) for number, run in enumerate(runs) for divergence in run.failing]
    masked = _by((each.mask, number, each) for number, each in all_ if each.mask is not None)
    left = ((number, each) for number, each in all_ if each.mask is None)
    unmaskable = _by((proposed(each) or each.code, number, each) for number, each in left)
    proposals = [Proposal(mask, _runs(places), len(places), places[0][1]) for mask, places in masked.items()]
    structure = [_unmaskable(places) for places in unmaskable.values()]
    proposals.sort(key=lambda proposal: (-proposal.runs, proposal.mask))
    structure.sort(key=lambda row: (-row.runs, row.code))
    return Learned(len(runs), proposals, structure)


def _unmaskable(places: Sequence[tuple[int, Divergence]]) -> Unmaskable:
    example = places[0][1]
    return Unmaskable(example.code, proposed(example), _runs(places), example)


def _by(rows: Iterable[tuple[str, int, Divergence]]) -> dict[str, list[tuple[int, Divergence]]]:
    by_key: dict[str, list[tuple[int, Divergence]]] = {}
    for key, run, divergence in rows:
        by_key.setdefault(key, []).append((run, divergence))
    return by_key


def _runs(places: Sequence[tuple[int, Divergence]]) -> int:
    return len({run for run, _ in places})
