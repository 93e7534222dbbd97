"""Versions that do not exist, a second initialize, an agent that never spoke."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, Asked, RuleContext, Rules
from acp_trace.protocol import methods

_VERSIONS = (1, 2)


class ConnectionRules(Rules):
    """The handshake, and whether the two sides act on it."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._initialized: int | None = None  #: the first `initialize` that was not refused
        self._refused: Answered | None = None  #: the refusal of an `initialize`, until the client goes on
        self._strange: Answered | None = None  #: an answer with a version that never existed
        self.requests = {methods.INITIALIZE: self._initializes, methods.NEW: self._goes_on,
                         methods.LOAD: self._goes_on, methods.RESUME: self._goes_on}  # fmt: skip
        self.answers = {methods.INITIALIZE: self._agreed}

    def _initializes(self, asked: Asked) -> None:
        if asked.sender != "client":
            return
        if self._initialized is not None:
            text = f"a second initialize, after #{self._initialized}"
            self.say("initialized-again", "client", asked.frame, None, text)
        self._initialized = self._initialized or asked.frame

    def _agreed(self, answer: Answered) -> None:
        if answer.is_error and self._initialized == answer.asked.frame:
            self._initialized = None
        self._refused = answer if answer.is_error and self._initialized is None else None
        version = answer.result.get("protocolVersion")
        is_number = isinstance(version, int) and not isinstance(version, bool)
        self._strange = answer if is_number and version not in _VERSIONS else None

    def _goes_on(self, asked: Asked) -> None:
        if self._refused is not None and asked.sender == "client":
            text = f"{asked.method}, though initialize was refused (#{self._refused.frame})"
            self.say("before-initialize", "client", asked.frame, asked.session_id, text)
            self._refused = None
        if self._strange is not None and asked.sender == "client":
            version = self._strange.result["protocolVersion"]
            text = (
                f"{asked.method}, though the agent answered with version {version} (#{self._strange.frame})"
            )
            self.say("version-unsupported", "client", asked.frame, None, text)
            self._strange = None
