"""Protocols that speak JSON-RPC over the same pipes as ACP, known by their handshakes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

#: MCP's versions are dates (modelcontextprotocol/modelcontextprotocol, schema: `LATEST_PROTOCOL_VERSION`).
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
#: What LSP's `InitializeParams` have, and ACP's have not (microsoft/language-server-protocol, 3.17).
_OF_LSP = ("processId", "rootUri", "rootPath", "workspaceFolders")
_OF_ACP = ("agentCapabilities", "agentInfo", "authMethods", "info")


def other_protocol(params: Mapping[str, Any], result: Mapping[str, Any]) -> str | None:
    """`MCP` or `LSP`, if an `initialize` and its result are of that; None if they should be of ACP.

    A client of ACP that gives a date as its version is known by its agent, which answers as one.
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
