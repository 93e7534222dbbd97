"""A report of acp-tck beside our verdicts: what reports have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.conform.beside import Beside, Relation


class KitBeside(NamedTuple):
    """The kit's results, as reports need them. `agent`: its name and version, or empty."""

    tck_version: str
    protocol: int | None
    agent: str
    is_conformant: bool | None
    rows: Sequence[Beside]


#: Each relation for a person.
WORDS: dict[Relation, str] = {
    "agree": "agree",
    "disagree": "disagree",
    "only-tck": "only acp-tck decides",
    "only-conform": "only conform decides",
    "neither": "neither has seen it",
    "unknown": "conform does not have it",
}
