"""acp-tck's results for an agent beside our verdicts, requirement by requirement. Pure.

The kit drives an agent itself, and knows what it asked for; we judge recordings, and know only what is in
them. So most differences are things that only one of both has seen. A disagreement is that one says `pass`
and the other `fail`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from acp_trace.conform.judge import Judged
from acp_trace.conform.requirement import OWN

#: `neither`: of both, none has seen it. `unknown`: our tables do not have it, or no trace is of that version.
Relation = Literal["agree", "disagree", "only-tck", "only-conform", "neither", "unknown"]
RELATIONS: tuple[Relation, ...] = ("agree", "disagree", "only-tck", "only-conform", "neither", "unknown")
_DECIDED = ("pass", "fail")


class Beside(NamedTuple):
    """A requirement with both verdicts. `tck`: as the kit has it, in small letters; None if it has none.

    `why`: the kit's reason, in a line.
    """

    id: str
    tck: str | None
    conform: str | None
    relation: Relation
    why: str = ""
    judged: Judged | None = None


def beside(
    judged: Sequence[Judged], said: Iterable[tuple[str, str, str]], version: int | None
) -> list[Beside]:
    """Return all requirements of the kit that one of both names, in the order of our tables.

    `said`: id, status and reason of the kit. `version`: of the protocol that the kit tried; None: 1.
    """
    kit = {id_: (status.lower().replace("_", "-"), why) for id_, status, why in said}
    ours = {
        one.requirement.id: one
        for one in judged
        if not one.requirement.id.startswith(OWN) and one.requirement.version == (version or 1)
    }
    return [_row(id_, kit.get(id_), ours.get(id_)) for id_ in dict.fromkeys([*ours, *kit])]


def _row(id_: str, kit: tuple[str, str] | None, ours: Judged | None) -> Beside:
    status, why = kit if kit is not None else (None, "")
    own = None if ours is None else ours.status
    if ours is None:
        relation: Relation = "unknown"
    elif status in _DECIDED and own in _DECIDED:
        relation = "agree" if status == own else "disagree"
    elif status in _DECIDED:
        relation = "only-tck"
    else:
        relation = "only-conform" if own in _DECIDED else "neither"
    return Beside(id_, status, own, relation, why, ours)


def counts(rows: Iterable[Beside]) -> dict[Relation, int]:
    """The number of requirements in each relation."""
    found = Counter(row.relation for row in rows)
    return {relation: found[relation] for relation in RELATIONS}
