"""What a database and an export of acp-devtools have in common: shapes only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class MessageRow(NamedTuple):
    """A message as it is stored. None, or empty: it has another type than it should have."""

    where: str
    seq: int | None
    ms: int | None  #: since 1970
    direction: str
    raw: bytes | None  #: the line
    payload: bytes | None  #: its JSON, rewritten


@dataclass(slots=True)
class SessionRows:
    """A session as it is stored: the run of one agent."""

    id: str
    started_ms: int | None = None  #: since 1970
    command: str = ""  #: the agent's, its words joined by spaces: whether one held spaces is lost
    labels: dict[str, str] = field(default_factory=dict)
    messages: list[MessageRow] = field(default_factory=list)
