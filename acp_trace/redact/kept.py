"""What is never touched, whatever its content: without it a trace would not pair, settle or replay.

By exact member name, and only at the protocol's places: what agents and tools keep in their own containers
(`_meta`, `rawInput` …) is data, in which only names of ids are kept.
"""

from __future__ import annotations

from acp_trace.protocol.methods import SET_OPTION
from acp_trace.redact.secret_names import words
from acp_trace.redact.splice import Path

#: Ids: kept everywhere (docs/protocol.md, the ids of the methods).
IDS = words(
    "sessionId parentSessionId childSessionId toolCallId terminalId messageId requestId elicitationId "
    "optionId configId groupId methodId modeId currentModeId modelId currentModelId providerId serverId "
    "planId protocolVersion"
)

#: Words of the protocol and times: kept at the protocol's places.
WORDS = words(
    "id type sessionUpdate kind status state stopReason outcome role priority category action mode apiType "
    "group mimeType updatedAt cursor nextCursor currency signal sessionCapabilities"
)

#: The values of a setting are ids too: a client sends back what the agent offered (config-options).
_CHOICES = frozenset({"value", "currentValue"})

#: The names of the speakers: the report, the store and a replay need them.
_NAMES = frozenset(
    {("params", "clientInfo"), ("params", "info"), ("result", "agentInfo"), ("result", "info")}
)

#: Containers whose members the protocol does not define.
_FREE = frozenset({"_meta", "rawInput", "rawOutput"})


def is_free(path: Path, method: str | None) -> bool:
    """Whether `path`, from the message on, leads into data without a protocol shape."""
    top = tuple(path[:2])
    if top in (("error", "data"), ("result", "content")):  # content: what a form was filled in with
        return True
    if method is not None and method.startswith(("_", "mcp/")):
        return top[:1] == ("result",) or (len(path) > 1 and top != ("params", "method"))
    return not _FREE.isdisjoint(path)


def is_kept(path: Path, method: str | None) -> bool:
    """Whether the string at `path`, from the message on, stays unchanged."""
    name = next((part for part in reversed(path) if isinstance(part, str)), None)
    if name in IDS:
        return True
    if len(path) == 1:
        return name in ("jsonrpc", "method", "id")
    if is_free(path, method):
        return False
    if name in _CHOICES and ("configOptions" in path or method == SET_OPTION):
        return True
    return name in WORDS or tuple(path[:2]) in _NAMES
