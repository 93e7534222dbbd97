"""Permissions: their options, and their answers."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "permission-without-options", "agent", "warning", "permissions",
        "A permission request without any options.",
        "options: the options available to the user. Without them, the request cannot be answered.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-option-repeated", "agent", "warning", "permissions",
        "A permission request in which two options have the same id.",
        "optionId: unique identifier for this permission option.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-option-unknown", "client", "error", "permissions",
        "A permission request that is answered with an option that was not offered.",
        "optionId: the ID of the option the user selected.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-cancelled-alone", "client", "warning", "permissions",
        "A permission request that is answered with `cancelled`, although the client did not cancel the "
        "turn.",
        "The cancelled outcome says that the turn was cancelled; to decline, a reject option is selected.",
        "docs/protocol/v1/tool-calls", is_doubted=True,
    ),
    FindingCode(
        "permission-input-emptied", "agent", "note", "permissions",
        "A permission request whose tool call has an empty raw input, although an earlier update had given "
        "the input.",
        "A client that shows the permission request has no input to show.",
        sources.OURS, once="session",
    ),
)  # fmt: skip
