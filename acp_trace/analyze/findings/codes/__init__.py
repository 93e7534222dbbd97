"""Every finding's code: how bad it is, what it means, and the rule behind it. Tables without logic.

Codes are stable: a code is never renamed and never changes its meaning. docs/findings.md is generated
from these tables.

Severity: an `error` breaks a MUST; a `warning` breaks a SHOULD, or is most likely a mistake; a `note`
breaks nothing, but is worth knowing if something looks odd.

- `finding_code`   the fields of a code
- `sources`        where rules come from
- `wire`           lines, JSON-RPC, methods and ids
- `payloads`       members of payloads against the schema of the negotiated version
- `connection`     the connection, the handshake, logins, and which sessions exist
- `turns`          updates and turns, and the history of a session
- `permissions`    permissions: their options, and their answers
- `requests`       requests of an agent to its client: files, terminals, elicitations
- `cancellation`   cancels, and their consequences
- `configuration`  options and modes
- `metadata`       session information and session/list
- `usage`          tokens and costs
"""

from __future__ import annotations

from acp_trace.analyze.findings.codes import (
    cancellation,
    configuration,
    connection,
    metadata,
    payloads,
    permissions,
    requests,
    turns,
    usage,
    wire,
)
from acp_trace.analyze.findings.codes.finding_code import SEVERITIES, FindingCode, Severity

__all__ = ["CODES", "GROUPS", "SEVERITIES", "FindingCode", "Severity"]

_TABLES = (
    wire,
    payloads,
    connection,
    turns,
    permissions,
    requests,
    cancellation,
    configuration,
    metadata,
    usage,
)
CODES: dict[str, FindingCode] = {one.code: one for table in _TABLES for one in table.ROWS}
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(one.group for one in CODES.values()))
