"""What the two sides agreed on in `initialize`: names, version, capabilities."""

from __future__ import annotations

from typing import Any

from acp_trace.protocol import capabilities
from acp_trace.protocol.message import Message
from acp_trace.protocol.other_protocols import other_protocol
from acp_trace.trace.jsontext import as_object


class Handshake:
    """The last `initialize` and its result; empty before."""

    def __init__(self) -> None:
        self.asked = False
        self.protocol_version: int | None = None
        self._said: dict[str, dict[str, Any]] = {"client": {}, "agent": {}}

    def request(self, message: Message) -> None:
        """Process `initialize`."""
        self.asked = True
        self._said["client"] = message.part("params")

    def response(self, message: Message) -> None:
        """Process its response."""
        if message.is_error:
            return
        result = self._said["agent"] = message.part("result") or self._said["agent"]
        version = result.get("protocolVersion")
        if isinstance(version, int) and not isinstance(version, bool) and abs(version) < 2**31:
            self.protocol_version = version

    def other_protocol(self) -> str | None:
        """Return `MCP` or `LSP` if this is a handshake of that protocol, or None."""
        return other_protocol(self._said["client"], self._said["agent"])

    def name(self, side: str) -> dict[str, str]:
        """Return name, title and version of one side: `agentInfo`, `clientInfo`; in draft 2 `info`."""
        body = self._said[side]
        info = as_object(body.get(f"{side}Info", body.get("info")))
        return {name: text for name, text in info.items() if isinstance(text, str)}

    def announced(self, side: str, path: str) -> bool:
        """Whether this side announced the capability: a member that exists, and is not false or null."""
        body = self._said[side]
        capability: Any = body.get(f"{side}Capabilities", body.get("capabilities"))
        for key in path.split("."):
            capability = as_object(capability).get(key)
        return capability is not None and capability is not False

    def offers_login(self) -> bool:
        """Whether the agent offers ways to log in."""
        return bool(self._said["agent"].get("authMethods"))

    def missing(self, handler: str, method: str) -> str | None:
        """Return the capability that a method needs, if its handler has not announced it, or None."""
        path = capabilities.METHODS.get(self.protocol_version or 0, {}).get(method)
        if path is None or (self.protocol_version == 2 and f"{handler}Capabilities" in self._said[handler]):
            return None  # capabilities in the form of version 1 are a separate fault
        return None if self.announced(handler, path) else path
