"""The kinds of `session/update` that the analysis treats specially, each with its source."""

from __future__ import annotations

TOOL_CALL = "tool_call"  # docs/protocol/tool-calls; draft 2 has only the update
TOOL_CALL_UPDATE = "tool_call_update"  # docs/protocol/tool-calls
SESSION_INFO = "session_info_update"  # RFD session-info-update
USAGE = "usage_update"  # RFD session-usage
STATE = "state_update"  # draft 2: says `running`, `idle`, …; ends a turn

#: What counts as the first output of a turn (docs/report.md, Turn).
OUTPUT = frozenset({"agent_message_chunk", "agent_thought_chunk", TOOL_CALL})

#: Statuses after which a tool call does not change any more; `cancelled` is draft 2 (ToolCallStatus).
TOOL_CALL_ENDS = frozenset({"completed", "failed", "cancelled"})
