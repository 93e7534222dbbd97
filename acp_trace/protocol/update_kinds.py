"""Groups of update kinds: which are chunks of one message, which are about a tool call, and of which one."""

from __future__ import annotations

import msgspec

from acp_trace.protocol import updates
from acp_trace.trace.jsontext import value_or_none

#: What is said, whether in chunks or whole (draft 2): their stream has this name.
MESSAGES = {
    f"{kind}{form}": kind.replace("_", " ")
    for kind in ("user_message", "agent_message", "agent_thought")
    for form in ("", "_chunk")
}
#: Kinds that are joined where they come in a row.
JOINED = frozenset(kind for kind in updates.BY_KIND if kind.endswith("_chunk") or kind in MESSAGES)
#: Those of them that are a piece of a message.
CHUNKS = frozenset(kind for kind in MESSAGES if kind.endswith("_chunk"))
TOOL_CALLS = (updates.TOOL_CALL, updates.TOOL_CALL_UPDATE)


class _CallId(msgspec.Struct):
    toolCallId: str | None = None  # noqa: N815  (the protocol's name)


class _Update(msgspec.Struct):
    update: _CallId


class _Params(msgspec.Struct):
    params: _Update


_params = msgspec.json.Decoder(_Params).decode


def call_id(text: bytes) -> str:
    """The tool call that an update names; empty where it names none."""
    try:
        return _params(text).params.update.toolCallId or ""
    except (msgspec.DecodeError, RecursionError):  # a lone surrogate somewhere, or another type
        value = value_or_none(text)
        for key in ("params", "update", "toolCallId"):
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, str) else ""
