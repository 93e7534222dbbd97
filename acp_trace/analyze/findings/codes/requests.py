"""Requests of an agent to its client: files, terminals, elicitations."""

from __future__ import annotations

from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "path-relative", "either", "error", "requests",
        "A path that is not absolute. The finding is a warning if the path is only shown to the user.",
        "All file paths in the protocol MUST be absolute.",
        "docs/protocol/v1/overview", once="session",
    ),
    FindingCode(
        "line-out-of-range", "agent", "error", "requests",
        "Line number 0: lines are counted from 1.",
        "Line numbers are 1-based.",
        "docs/protocol/v1/overview", once="session",
    ),
    FindingCode(
        "read-range-ignored", "client", "error", "requests",
        "A response to fs/read_text_file that contains more lines than the request allows.",
        "limit: the maximum number of lines to read.",
        "docs/protocol/v1/file-system", once="session",
    ),
    FindingCode(
        "terminal-unknown", "agent", "error", "requests",
        "The agent uses a terminal that was not created in the session, or that was already released. If a "
        "tool call only shows a terminal that was not created in the session, the finding is a warning.",
        "After release the terminal ID becomes invalid for all other terminal/* methods.",
        "docs/protocol/v1/terminals", once="session", is_doubted=True,
    ),
    FindingCode(
        "terminal-not-released", "agent", "warning", "requests",
        "A terminal that was never released, although its turn is over.",
        "The Agent MUST release the terminal using terminal/release when it's no longer needed.",
        "docs/protocol/v1/terminals", is_doubted=True,
    ),
    FindingCode(
        "elicitation-incomplete", "client", "error", "requests",
        "An elicitation that is accepted without a member that its form requires.",
        "requestedSchema.required lists what the content must have.",
        "RFD elicitation",
    ),
    FindingCode(
        "elicitation-unknown", "agent", "error", "requests",
        "elicitation/complete for an elicitation that was never created.",
        "elicitationId: the ID of the elicitation that has been completed.",
        "RFD elicitation", is_doubted=True,
    ),
    FindingCode(
        "elicitation-id-reused", "agent", "error", "requests",
        "An elicitation with the id of one that is not complete yet.",
        "The Agent MUST keep each elicitationId unique among outstanding URL elicitations.",
        "RFD elicitation",
    ),
)  # fmt: skip
