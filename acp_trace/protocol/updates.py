"""The kinds of `session/update`, version by version, and their groups. A table and its look-ups.

Source: SessionUpdate in the schemas of npm `@agentclientprotocol/sdk` 2.4.0, and the pages named
beside the rows.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import msgspec

from acp_trace.protocol.payloads import update_in

TOOL_CALL = "tool_call"
TOOL_CALL_UPDATE = "tool_call_update"
SESSION_INFO = "session_info_update"
CONFIG = "config_option_update"
MODE = "current_mode_update"
USAGE = "usage_update"
TERMINAL = "terminal_update"
SUBAGENT = "subagent_update"  #: announces a session of a subagent
STATE = "state_update"  #: draft 2: `running`, `idle`, …; an idle state ends a turn


class Update(NamedTuple):
    """One kind. `of_turn`: it is a turn's work, and comes late after the turn (docs/report.md, Cancellation).

    `announced`: the member of the client's capabilities without which it must not be sent.
    """

    kind: str
    stages: frozenset[str]
    source: str
    of_turn: bool = False
    announced: str | None = None


def _row(
    kind: str, stages: str, source: str, *, of_turn: bool = False, announced: str | None = None
) -> Update:
    return Update(kind, frozenset(stages.split()), source, of_turn, announced)


_ALL = "1 1u 2 2u"

UPDATES = (
    _row("user_message_chunk", _ALL, "prompt-turn", of_turn=True),
    _row("user_message", "2 2u", "RFD v2/message-updates", of_turn=True),
    _row("agent_message_chunk", _ALL, "prompt-turn", of_turn=True),
    _row("agent_message", "2 2u", "RFD v2/message-updates", of_turn=True),
    _row("agent_thought_chunk", _ALL, "prompt-turn", of_turn=True),
    _row("agent_thought", "2 2u", "RFD v2/message-updates", of_turn=True),
    _row("state_update", "2 2u", "v2/prompt-lifecycle"),
    _row("tool_call", "1 1u", "tool-calls", of_turn=True),
    _row("tool_call_update", _ALL, "tool-calls", of_turn=True),
    _row("tool_call_content_chunk", "2 2u", "RFD v2/tool-call-updates", of_turn=True),
    _row("terminal_update", "2 2u", "RFD v2/terminal-output"),
    _row("terminal_output_chunk", "2 2u", "RFD v2/terminal-output"),
    _row("plan", "1 1u", "agent-plan", of_turn=True),
    _row("plan_update", "1u 2 2u", "RFD plan-operations", of_turn=True, announced="plan"),
    _row("plan_removed", "1u 2u", "RFD plan-operations", of_turn=True),
    _row("available_commands_update", _ALL, "slash-commands"),
    _row("current_mode_update", "1 1u", "session-modes"),
    _row("config_option_update", _ALL, "session-config-options"),
    _row("session_info_update", _ALL, "RFD session-info-update"),
    _row("usage_update", _ALL, "RFD session-usage"),
    _row("notice", _ALL, "RFD session-notices", announced="session.notices"),
    _row("compaction_update", _ALL, "RFD session-compaction", announced="session.compaction"),
    _row("compaction_summary_chunk", _ALL, "RFD session-compaction", announced="session.compaction"),
    _row(SUBAGENT, "1u 2u", "schema", announced="subagents"),
    _row("session_message", "1u 2u", "schema"),
    _row("session_message_chunk", "1u 2u", "schema"),
    # only in the schema crate for Rust, which is newer than the npm package
    _row("prompt_suggestions_update", "1u 2u", "schema crate 1.19"),
    _row("cursor_update", "1u 2u", "schema crate 1.19"),
    _row("replay_complete", "2 2u", "schema crate 1.18"),
)  # fmt: skip

BY_KIND = {row.kind: row for row in UPDATES}


@cache
def known(version: int | None) -> frozenset[str]:
    """Return the kinds of a protocol version, stable and unstable; of 1 and 2 if none is negotiated."""
    stages = {str(version), f"{version}u"} if version in (1, 2) else {"1", "1u", "2", "2u"}
    return frozenset(row.kind for row in UPDATES if row.stages & stages)


#: The kinds that count as the first output of a turn (docs/report.md, Turn).
OUTPUT = frozenset({"agent_message_chunk", "agent_thought_chunk", TOOL_CALL})

#: Pieces of the agent's text: the time between two of them is writing time (docs/report.md, Time of a turn).
WRITING = frozenset({"agent_message_chunk", "agent_thought_chunk"})

#: A turn's work, which is late after the turn.
OF_TURN = frozenset(row.kind for row in UPDATES if row.of_turn)

#: Statuses after which a tool call no longer changes; `cancelled` is draft 2 (ToolCallStatus).
TOOL_CALL_ENDS = frozenset({"completed", "failed", "cancelled"})

# -- groups, and the tool call or the message that an update names

#: Messages and thoughts, whether in chunks or whole (draft 2): their stream has this name.
MESSAGES = {
    f"{kind}{form}": kind.replace("_", " ")
    for kind in ("user_message", "agent_message", "agent_thought")
    for form in ("", "_chunk")
}
USER_MESSAGES, AGENT_MESSAGES = (
    frozenset(kind for kind, said in MESSAGES.items() if said == f"{side} message")
    for side in ("user", "agent")
)
#: Kinds that are joined if they come in a row.
JOINED = frozenset(kind for kind in BY_KIND if kind.endswith("_chunk") or kind in MESSAGES)
#: The ones among them that are a piece of a message.
CHUNKS = frozenset(kind for kind in MESSAGES if kind.endswith("_chunk"))
TOOL_CALLS = (TOOL_CALL, TOOL_CALL_UPDATE)


class _Ids(msgspec.Struct, gc=False):
    toolCallId: str | None = None  # noqa: N815  (the protocol's names)
    messageId: str | None = None  # noqa: N815


class _Named(msgspec.Struct, gc=False):
    update: _Ids


class _Params(msgspec.Struct, gc=False):
    params: _Named


_params = msgspec.json.Decoder(_Params).decode


def call_id(text: bytes) -> str:
    """Return the id of the tool call that an update names, from the frame's text; empty if it names none."""
    try:
        return _params(text).params.update.toolCallId or ""
    except (msgspec.DecodeError, RecursionError):  # a lone surrogate somewhere, or another type
        return update_in(text).tool_call_id or ""


def message_id(text: bytes) -> str | None:
    """Return the id of the message that an update is a piece of, from the frame's text, or None."""
    if b'"messageId"' not in text:  # many agents send none: this takes a fifth of the time of reading
        return None
    try:
        return _params(text).params.update.messageId
    except (msgspec.DecodeError, RecursionError):  # a lone surrogate somewhere, or another type
        return update_in(text).message_id
