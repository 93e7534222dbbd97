"""Permissions: the options, the choice, and what follows a declined one (tool-calls)."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, Asked, RuleContext, Rules, Updated
from acp_trace.analyze.findings.collector import Findings
from acp_trace.protocol import methods, updates
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED
from acp_trace.protocol.payloads import ParamsView, ResultView
from acp_trace.protocol.shapes.judge import one_of
from acp_trace.trace.jsontext import as_object, short


class PermissionRules(Rules):
    """A permission from its options to the end of the turn."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._inputs: dict[tuple[str, str], int] = {}  #: the frame that gave the raw input of a tool call
        self._closing: set[str] = set()  #: sessions that the client has asked to end
        self._cancelled: dict[str, list[Answered]] = {}  #: answers `cancelled` of the open turn, by session
        #: The same answers of a turn that has ended, with its last frame, until no cancel can belong to them.
        self._alone: dict[str, tuple[list[Answered], int]] = {}
        #: The last answer that declined, by session, until the agent continues to work.
        self._declined: dict[str, Answered] = {}
        self.requests = {
            methods.PERMISSION: self._asked,
            **dict.fromkeys(methods.ENDERS, self._closes),
            methods.PROMPT: self._prompts,
        }
        self.answers = {methods.PERMISSION: self._answered, methods.PROMPT: self._turn_ends}
        self.updates = {
            **dict.fromkeys(updates.OF_TURN, self._goes_on),
            **dict.fromkeys(updates.TOOL_CALLS, self._tells_input),
        }

    def _goes_on(self, updated: Updated) -> None:
        """Forget a declined permission when work goes on: the turn's outcome then has another cause."""
        self._declined.pop(updated.session.id, None)

    def _tells_input(self, updated: Updated) -> None:
        call, session = updated.update.tool_call_id, updated.session.id
        declined = self._declined.get(session)
        if declined is not None and not _is_end_of(declined, call, updated.update.status):
            del self._declined[session]
        if call is not None and updated.update.raw_input:
            self._inputs[session, call] = updated.frame

    def _asked(self, asked: Asked) -> None:
        options = asked.params.get("options")
        if isinstance(options, list) and not options:
            text = "a permission without options cannot be answered"
            self.say("permission-without-options", "agent", asked.frame, asked.session_id, text,
                     path="/params/options", expected="a list that is not empty")  # fmt: skip
        view = ParamsView(asked.params)
        ids = [option.option_id for option in view.options if option.option_id is not None]
        if (again := next((at for at, id_ in enumerate(ids) if id_ in ids[:at]), None)) is not None:
            text = f"two options have the id {short(ids[again])}"
            self.say("permission-option-repeated", "agent", asked.frame, asked.session_id, text,
                     path=f"/params/options/{again}/optionId", expected="an id of its own")  # fmt: skip
        call = view.asked_about
        known = self._inputs.get((asked.session_id or "", call.tool_call_id or ""))
        if known is not None and call.raw_input == {}:
            text = f"the raw input of {short(call.tool_call_id)} is empty here, but #{known} had it"
            self.say("permission-input-emptied", "agent", asked.frame, asked.session_id, text,
                     call.tool_call_id or "", path="/params/toolCall/rawInput")  # fmt: skip

    def _answered(self, answer: Answered) -> None:
        if answer.is_error:
            return
        outcome, session_id = ResultView(answer.result).outcome, answer.session_id or ""
        kinds = {one.option_id: one.kind for one in ParamsView(answer.asked.params).options}
        offered = [option for option in kinds if option is not None]
        if (
            outcome.outcome == "selected"
            and outcome.option_id is not None
            and outcome.option_id not in offered
        ):
            text = f"option {short(outcome.option_id)} was not offered in #{answer.asked.frame}"
            self.say("permission-option-unknown", "client", answer.frame, answer.session_id, text,
                     path="/result/outcome/optionId", expected=one_of(offered or ["nothing"]))  # fmt: skip
        self._declined.pop(session_id, None)
        if outcome.outcome == CANCELLED and session_id not in self._closing:
            self._cancelled.setdefault(session_id, []).append(answer)
        if outcome.outcome == CANCELLED or (kinds.get(outcome.option_id) or "").startswith("reject"):
            self._declined[session_id] = answer

    def _closes(self, asked: Asked) -> None:
        """Forget what is open in a session that ends."""
        self._closing.add(asked.session_id or "")
        for of in (self._cancelled, self._declined, self._alone):
            of.pop(asked.session_id or "", None)

    def _prompts(self, asked: Asked) -> None:
        self._declined.pop(asked.session_id or "", None)
        self._closing.discard(asked.session_id or "")
        self._say_alone(asked.session_id or "", self.known.findings)

    def _turn_ends(self, answer: Answered) -> None:
        session_id = answer.session_id or ""
        cancelled = self._cancelled.pop(session_id, [])
        declined = self._declined.pop(session_id, None)
        # In version 2 the agent withdraws its requests itself, and a prompt's answer does not end the turn.
        if self.version == 2 or self._was_cancelled(session_id, answer.asked.frame):
            return
        if cancelled:
            self._alone[session_id] = cancelled, answer.frame
        if declined is not None and answer.is_error and answer.error_code != REQUEST_CANCELLED:
            code = as_object(answer.message.member("error")).get("code")
            text = f"error {code} after permission #{declined.asked.frame} was declined"
            self.say("error-after-decline", "agent", answer.frame, session_id, text)

    def at_end(self, findings: Findings) -> None:
        """Report the permissions that were cancelled without a cancel of the turn."""
        for session_id in list(self._alone):
            self._say_alone(session_id, findings)

    def _say_alone(self, session_id: str, findings: Findings) -> None:
        """Report them unless a cancel has come meanwhile: some clients answer first."""
        cancelled, ended = self._alone.get(session_id, ([], 0))
        if findings is self.known.findings:
            self._alone.pop(session_id, None)
        if not cancelled or self._was_cancelled(session_id, cancelled[0].asked.frame):
            return
        for one in cancelled:
            asked = f"permission #{one.asked.frame}"
            text = f"{asked} was answered with cancelled, but the client did not cancel the turn"
            self.say("permission-cancelled-alone", "client", one.frame, session_id, text,
                     path="/result/outcome/outcome", findings=findings)  # fmt: skip
            findings.follows("internal-cancel", ended, one.frame)

    def _was_cancelled(self, session_id: str, since: int) -> bool:
        """Whether either side cancelled anything in a session since a frame."""
        for one in reversed(self.known.sessions.cancels):
            if one.frame < since:
                return False
            if one.session_id == session_id and one.kind != "internal":
                return True
        return False


def _is_end_of(declined: Answered, call: str | None, status: str | None) -> bool:
    """Whether an update only says that the declined tool call did not run."""
    asked_about = ParamsView(declined.asked.params).asked_about.tool_call_id
    return call == asked_about and status in (None, "failed", "cancelled", "pending")
