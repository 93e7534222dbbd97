"""Members of payloads against the schema of the negotiated version."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "payload-field-missing", "either", "error", "payloads",
        "A message without a member that the negotiated version requires. The finding is a warning if "
        "receivers use a default value, or skip the list item that lacks the member.",
        "Every required member without a `default` must be present.",
        sources.SCHEMA, once="session",
    ),
    FindingCode(
        "payload-wrong-type", "either", "error", "payloads",
        "A member whose type is not the one in the negotiated version. The finding is a warning if receivers "
        "use a default value instead, or skip the list item.",
        "The schema gives each member its type.",
        sources.SCHEMA, once="session",
    ),
    FindingCode(
        "payload-unknown-value", "either", "error", "payloads",
        "A value that the negotiated version does not allow: it is not in a closed list, is out of range, or "
        "has none of the forms of a union. The finding is a warning if receivers use a default value "
        "instead, or skip the list item.",
        "The schema lists the values of a member, its limits, and the forms of a union.",
        sources.SCHEMA, once="session",
    ),
    FindingCode(
        "payload-extra-field", "either", "note", "payloads",
        "A member that the negotiated version does not have. Receivers ignore it.",
        "Implementations MUST NOT add any custom fields at the root of a type that is part of the "
        "specification: custom data belongs in `_meta`.",
        "docs/protocol/v1/extensibility", once="session",
    ),
)  # fmt: skip
