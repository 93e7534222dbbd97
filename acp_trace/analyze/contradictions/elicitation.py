"""Elicitations: the answers that their forms require, and which ones exist (RFD elicitation)."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, Asked, RuleContext, Rules
from acp_trace.analyze.findings.codes import Severity
from acp_trace.protocol import methods
from acp_trace.protocol.shapes.judge import one_of
from acp_trace.trace.jsontext import as_object, short


class ElicitationRules(Rules):
    """An elicitation from its creation to its answer by the user or a page."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._created: set[str] = set()
        self._has_unnamed = False  #: whether an elicitation by URL came without its id: a separate fault
        self._outstanding: dict[str, int] = {}  #: frames of incomplete elicitations, by their ids
        self.requests = {methods.ELICITATION: self._creates, methods.ELICITATION_DONE: self._completes}
        self.answers = {methods.ELICITATION: self._answered}

    def _creates(self, asked: Asked) -> None:
        if not isinstance(created := asked.params.get("elicitationId"), str):
            self._has_unnamed = self._has_unnamed or asked.params.get("mode") == "url"
            return
        if (first := self._outstanding.get(created)) is not None:
            text = f"elicitation {short(created)} of #{first} is not complete yet"
            self.say("elicitation-id-reused", asked.sender, asked.frame, asked.session_id, text,
                     path="/params/elicitationId", expected="an id of its own")  # fmt: skip
        self._created.add(created)
        self._outstanding.setdefault(created, asked.frame)

    def _completes(self, asked: Asked) -> None:
        named = asked.params.get("elicitationId")
        if isinstance(named, str):
            self._outstanding.pop(named, None)
        if isinstance(named, str) and named not in self._created and not self._has_unnamed:
            text = f"elicitation {short(named)} is complete, but was never created"
            self.say("elicitation-unknown", asked.sender, asked.frame, asked.session_id, text,
                     path="/params/elicitationId")  # fmt: skip

    def _answered(self, answer: Answered) -> None:
        named = answer.asked.params.get("elicitationId")
        if isinstance(named, str) and answer.result.get("action") != "accept":
            self._outstanding.pop(named, None)
        required = as_object(answer.asked.params.get("requestedSchema")).get("required")
        if answer.result.get("action") != "accept" or not isinstance(required, list):
            return
        content = as_object(answer.result.get("content"))
        missing = [name for name in required if isinstance(name, str) and content.get(name) is None]
        if missing:
            text = f"accepted without {one_of(missing)}, which the form requires"
            # If no content was accepted, there may not have been a form: the content SHOULD conform.
            severity: Severity | None = None if content else "warning"
            self.say("elicitation-incomplete", "client", answer.frame, answer.session_id, text,
                     path=f"/result/content/{missing[0]}", expected="a value", severity=severity)  # fmt: skip
