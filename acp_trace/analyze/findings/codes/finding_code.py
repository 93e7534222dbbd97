"""The fields of a finding's code, and the severities of findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
#: The scope in which only the first case is listed, with the number of cases. None: every case is listed.
Once = Literal["session", "trace"] | None

#: Worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

#: The protocols of `protocol.other_protocols`.
EACH = ("MCP", "LSP")


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One code. `rule` is a sentence of a specification, or our own reason; `source` says which."""

    code: str
    side: Literal["client", "agent", "either"]  #: the side to blame
    severity: Severity
    group: str
    meaning: str
    rule: str
    source: str
    once: Once = None
    #: A missing frame may have caused it. If the trace lost frames or has no end, the frame may be missing
    #: only from the trace, so that the finding is a note.
    is_doubted: bool = False
    #: Other protocols for which the rule holds, because it is about JSON-RPC, processes or (not LSP) lines.
    also_of: tuple[str, ...] = ()
