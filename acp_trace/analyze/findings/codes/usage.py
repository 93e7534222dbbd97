"""Tokens and costs."""

from __future__ import annotations

from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "usage-disagrees", "agent", "warning", "usage",
        "Numbers of tokens or costs that contradict each other: a total that is not the sum of its parts, a "
        "cost that falls, or (a note) more tokens in a context than it can hold. If the model's side was "
        "recorded, acp-trace also compares the reported output tokens with those of the recorded calls. The "
        "reported number must be the total of some or all calls of the turn, or of all calls of the session "
        "so far. If the agent reports only the tokens of the turn's last call, the finding is a note.",
        "totalTokens: sum of all token types. used: tokens currently in context. cost: cumulative.",
        "RFDs session-usage and end-turn-token-usage",
    ),
    FindingCode(
        "usage-missing", "agent", "note", "usage",
        "A session without any usage, neither in updates nor at the end of a turn, although the model "
        "counted tokens. acp-trace finds this only if the model's side was recorded.",
        "Agents MAY report usage; without it, clients cannot show what a session costs.",
        "RFD session-usage", once="session", is_doubted=True,
    ),
)  # fmt: skip
