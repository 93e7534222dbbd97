"""Our own requirements of agents, which go beyond the kit. A table.

What must hold is said as rules, not as equality with a recording: no crash, no hang, an answer to each
request, nothing after the end.
"""

from __future__ import annotations

from functools import partial

from acp_trace.conform.requirement import Requirement, row

_row = partial(row, 0)

ROWS: tuple[Requirement, ...] = (
    _row(
        "ACT-CRASH-001",
        "mandatory",
        "The agent does not crash, and stays until its client leaves",
        seen="message",
        codes="agent-crashed agent-never-spoke",
    ),
    _row("ACT-HANG-001", "mandatory", "The agent does not hang: it answers each request in time"),
    _row(
        "ACT-ANSWER-001",
        "mandatory",
        "Each request is answered, and only once",
        seen="reply",
        codes="never-answered second-answer",
    ),
    _row(
        "ACT-CANCEL-001",
        "mandatory",
        "A cancelled turn settles within the time limit of the run",
        seen="cancel",
    ),
    _row(
        "ACT-CANCEL-002",
        "advisory",
        "A cancelled turn settles within 5 s",
        seen="cancel",
        codes="cancel-slow",
    ),
    _row(
        "ACT-CANCEL-003",
        "advisory",
        "A cancel does not end a later turn, and the session still works after it",
        seen="cancel",
        codes="cancel-leaked cancel-idle",
    ),
    _row(
        "ACT-END-001",
        "mandatory",
        "No update about a session that was closed, or that was never opened",
        seen="update",
        codes="update-unknown-session",
    ),
    _row(
        "ACT-END-002",
        "advisory",
        "No message or tool update after the response that ends the turn",
        seen="result session/prompt",
        codes="update-after-settle",
    ),
    _row(
        "ACT-STDOUT-001",
        "advisory",
        "Standard output has no blank lines",
        seen="message",
        codes="blank-line",
    ),
    _row("ACT-INPUT-001", "advisory", "A line that is not a message does not end the agent"),
    _row(
        "ACT-ERRORS-001",
        "mandatory",
        "The agent breaks no other rule of the protocol for which acp-trace reports an error",
        seen="reply",
    ),
)
