"""What one requirement is: a shape, and nothing of any requirement.

`seen` says in a few words what a trace must have for the requirement to count as exercised; `exercised` reads
them. Without any, the check with the id of the requirement says it (`checks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tier = Literal["mandatory", "capability", "advisory", "informational"]
Status = Literal["pass", "fail", "not-applicable", "not-exercised"]
Side = Literal["agent", "client"]

#: In the order of reports. A failure in one of the first two makes a peer non-conformant.
TIERS: tuple[Tier, ...] = ("mandatory", "capability", "advisory", "informational")
BINDING: frozenset[Tier] = frozenset({"mandatory", "capability"})
STATUSES: tuple[Status, ...] = ("pass", "fail", "not-applicable", "not-exercised")
#: Where an id begins with this, the requirement is ours; others are those of the kit.
OWN = "ACT-"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of one version of the protocol.

    `of`: a finding counts only on a message of one of these methods; empty for any message. `codes`: the
    findings that break it. `capability`: a path in what the agent announces, or `offers NAME` for a member of
    its responses; empty if the requirement holds for every peer.
    """

    id: str
    tier: Tier
    version: int
    text: str
    seen: str = ""
    of: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    capability: str = ""
    side: Side = "agent"


def row(
    version: int,
    id_: str,
    tier: Tier,
    text: str,
    *,
    seen: str = "",
    of: str = "",
    codes: str = "",
    capability: str = "",
    side: Side = "agent",
) -> Requirement:
    """A row of a table: `of` and `codes` are words."""
    return Requirement(
        id_, tier, version, text, seen, frozenset(of.split()), frozenset(codes.split()), capability, side
    )
