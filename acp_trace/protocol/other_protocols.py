"""Protocols that use JSON-RPC over the same pipes as ACP, recognised by handshakes or methods. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from acp_trace.protocol.methods import BY_NAME

#: MCP's versions are dates (modelcontextprotocol/modelcontextprotocol, schema: `LATEST_PROTOCOL_VERSION`).
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
#: Members that LSP's `InitializeParams` have, and ACP's do not (microsoft/language-server-protocol, 3.17).
_OF_LSP = ("processId", "rootUri", "rootPath", "workspaceFolders")
#: Members that an `initialize` of ACP has, and those of MCP and LSP do not.
_ASKED_OF_ACP = ("clientCapabilities", "info")
_OF_ACP = ("agentCapabilities", "agentInfo", "authMethods", "info")
#: Methods that ACP does not have: whole names, or prefixes (MCP's schema of 2025-11-25; LSP 3.17).
_METHODS = {
    "MCP": (
        "tools/list", "tools/call", "resources/", "prompts/", "sampling/createMessage", "roots/list",
        "completion/complete", "logging/setLevel", "notifications/",
    ),
    "LSP": (
        "textDocument/", "workspace/", "window/", "client/registerCapability", "$/progress", "initialized",
    ),
}  # fmt: skip
#: The part of these that only a server sends, and the part that either side may send.
_OF_SERVERS = (
    "sampling/createMessage", "roots/list", "notifications/message", "window/", "client/registerCapability",
    "textDocument/publishDiagnostics", "workspace/configuration", "workspace/applyEdit",
)  # fmt: skip
_OF_BOTH = ("notifications/", "$/progress")
#: Methods that ACP shares with MCP or LSP.
_SHARED = ("elicitation/create", "elicitation/complete", "$/cancelRequest")


def other_protocol_of(method: str | None, params: Mapping[str, Any]) -> str | None:
    """Return `MCP` or `LSP` if this method belongs to it (`initialize`: if its params do), or else None."""
    if method == "initialize":
        return "LSP" if "protocolVersion" not in params and any(name in params for name in _OF_LSP) else None
    return next((protocol for protocol, names in _METHODS.items() if _is_one_of(method, names)), None)


def sender_of(method: str) -> Literal["client", "agent"] | None:
    """Return the sender of a method of MCP or LSP, if only one side sends it; their server is our agent."""
    if _is_one_of(method, _OF_SERVERS):
        return "agent"
    if method in ("notifications/initialized", "initialized"):
        return "client"
    is_known = other_protocol_of(method, {}) is not None and not _is_one_of(method, _OF_BOTH)
    return "client" if is_known else None


def _is_one_of(method: str | None, names: Iterable[str]) -> bool:
    """Whether a method is one of these, or begins with one that ends in a slash."""
    return any(method == name or (name[-1] == "/" and (method or "").startswith(name)) for name in names)


def is_of_acp(method: str | None, params: Mapping[str, Any]) -> bool:
    """Whether a request or a notification can only belong to ACP."""
    if method == "initialize":
        has_number = isinstance(params.get("protocolVersion"), int)
        return has_number or any(name in params for name in _ASKED_OF_ACP)
    return method in BY_NAME and method not in _SHARED


def other_protocol(params: Mapping[str, Any], result: Mapping[str, Any]) -> str | None:
    """Return `MCP` or `LSP` if an `initialize` and its result belong to it; None if they may be ACP's.

    A client of ACP may give a date as its version; the agent's answer then shows that it is ACP.
    """
    version, is_acp = params.get("protocolVersion"), any(name in result for name in _OF_ACP)
    if isinstance(version, str) and _DATE.fullmatch(version) and "serverInfo" in result and not is_acp:
        return "MCP"
    if (
        version is None
        and any(name in params for name in _OF_LSP)
        and "capabilities" in result
        and not is_acp
    ):
        return "LSP"
    return None
