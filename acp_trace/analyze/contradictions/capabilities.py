"""Features that were used without being announced, and announced features that are missing."""

from __future__ import annotations

from collections.abc import Mapping

from acp_trace.analyze.contradictions.rules import ERROR, Answered, Asked, RuleContext, Rules
from acp_trace.protocol import capabilities, methods
from acp_trace.protocol.capabilities import Paths
from acp_trace.trace.jsontext import as_object, short

_OPENERS = (methods.NEW, methods.LOAD, methods.RESUME, methods.FORK)
_NOT_FOUND = -32601
#: Version 2: methods that an agent with ways to log in must have.
_LOGIN_METHODS = ("auth/login", "auth/logout")
#: The kinds of authentication in version 2.
_AUTH_TYPES = ("terminal", "agent")


class CapabilityRules(Rules):
    """Parameters, content and answers against the capabilities that either side announced."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self.requests = {
            **dict.fromkeys(_OPENERS, self._opens),
            methods.PROMPT: self._prompts,
            methods.ELICITATION: self._elicits,
        }
        self.answers = {methods.INITIALIZE: self._initialized, ERROR: self._answered}

    def _lacks(self, side: str, table: Mapping[int, Paths], word: object) -> str | None:
        """Return the path of the capability that a word in `table` needs, if `side` did not announce it."""
        path = table.get(self.version or 0, {}).get(word) if isinstance(word, str) else None
        return None if path is None or self.known.handshake.announced(side, path) else path

    def _opens(self, asked: Asked) -> None:
        servers = asked.params.get("mcpServers")
        for at, server in enumerate(servers if isinstance(servers, list) else ()):
            members = as_object(server)
            kind = members.get("type", "stdio" if "command" in members else None)
            if (path := self._lacks("agent", capabilities.MCP_SERVERS, kind)) is not None:
                text = (
                    f"MCP server {short(members.get('name'))} is {kind}; the agent has not announced {path}"
                )
                self.say("mcp-server-unannounced", "client", asked.frame, asked.session_id, text,
                         path=f"/params/mcpServers/{at}/type")  # fmt: skip
        for name in ("additionalDirectories", "systemPrompt"):
            path = self._lacks("agent", capabilities.PARAMETERS, name)
            if asked.params.get(name) and path is not None:
                text = f"{name} in {asked.method}; the agent has not announced {path}"
                self.say("parameter-unannounced", "client", asked.frame, asked.session_id, text, name,
                         path=f"/params/{name}")  # fmt: skip

    def _prompts(self, asked: Asked) -> None:
        blocks = asked.params.get("prompt")
        said: set[object] = set()
        for at, block in enumerate(blocks if isinstance(blocks, list) else ()):
            kind = as_object(block).get("type")
            path = self._lacks("agent", capabilities.CONTENT, kind)
            if path is not None and kind not in said:
                said.add(kind)
                text = f"{kind} in a prompt; the agent has not announced {path}"
                self.say("content-unannounced", "client", asked.frame, asked.session_id, text,
                         path=f"/params/prompt/{at}/type")  # fmt: skip

    def _elicits(self, asked: Asked) -> None:
        mode = asked.params.get("mode", "form")
        path = capabilities.ELICITATION.get(mode) if isinstance(mode, str) else None
        handshake = self.known.handshake
        if path is None or not handshake.announced("client", "elicitation"):
            return
        forms = any(handshake.announced("client", one) for one in capabilities.ELICITATION.values())
        if not handshake.announced("client", path) and (forms or mode != "form"):
            text = f"an elicitation of mode {mode}; the client has not announced {path}"
            self.say(
                "parameter-unannounced",
                "agent",
                asked.frame,
                asked.session_id,
                text,
                mode,
                path="/params/mode",
            )

    def _initialized(self, answer: Answered) -> None:
        listed = answer.result.get("authMethods")
        for at, method in enumerate(listed if isinstance(listed, list) else ()):
            kind, path = as_object(method).get("type"), f"/result/authMethods/{at}/type"
            if kind == "terminal" and not self.known.handshake.announced(
                "client", capabilities.TERMINAL_AUTH
            ):
                text = (
                    f"authentication in a terminal; the client has not announced {capabilities.TERMINAL_AUTH}"
                )
                self.say("parameter-unannounced", "agent", answer.frame, None, text, "terminal", path=path)
            elif self.version == 2 and isinstance(kind, str) and kind not in _AUTH_TYPES and kind[:1] != "_":
                text = f"authentication type {short(kind)} does not begin with an underscore"
                self.say("name-unprefixed", "agent", answer.frame, None, text, kind, path=path)

    def _has_sessions(self) -> bool:
        """Whether the agent has sessions: in version 2 only with the capability `session`."""
        return self.version == 1 or self.known.handshake.announced("agent", "session")

    def _answered(self, answer: Answered) -> None:
        if not answer.is_error or answer.error_code != _NOT_FOUND:
            return
        method, side = answer.asked.method, answer.sender
        row = methods.known(self.version).get(method)
        path = capabilities.METHODS.get(self.version or 0, {}).get(method)
        if row is None or row.handler not in ("both", side) or self.version not in capabilities.METHODS:
            return
        if path is not None and self.known.handshake.announced(side, path):
            text = f"{method} is answered with -32601, though the {side} has announced {path}"
        elif method in _LOGIN_METHODS and self.known.handshake.offers_login():
            text = f"{method} is answered with -32601, though the agent offers authMethods"
        elif method == methods.PERMISSION or (method in capabilities.BASELINE and self._has_sessions()):
            text = f"{method} is answered with -32601, though every {side} must support it"
        else:
            return
        self.say("announced-not-found", side, answer.frame, answer.session_id, text, method)
