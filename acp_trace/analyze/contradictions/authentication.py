"""Authentication methods that were not offered, and agents that demand a login they have just accepted."""

from __future__ import annotations

import re

from acp_trace.analyze.contradictions.rules import ERROR, Answered, Asked, RuleContext, Rules
from acp_trace.analyze.findings.collector import Findings
from acp_trace.protocol import methods
from acp_trace.protocol.shapes.judge import one_of
from acp_trace.trace.jsontext import objects, short

_LOGINS = ("authenticate", "auth/login")
_LOGOUTS = ("logout", "auth/logout")
_REQUIRED = -32000
#: Some agents also use the code for other errors.
_LOGIN = r"authenticat|authoriz|auth.?required|log.?in|logged in|sign.?in|credential|api.?key"
_ABOUT_LOGIN = re.compile(rf"^(?!.*\bmcp\b)(?:.*(?:{_LOGIN})|$)", re.IGNORECASE | re.DOTALL)


class AuthenticationRules(Rules):
    """The rules from what `initialize` offers to the first request that needs a login."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._offered: list[str] | None = None
        self._in_terminals: set[str] = set()  #: methods for which the client runs a command
        self._accepted: int | None = None  #: the successful login, until a request that needs it succeeds
        self._tried = False
        self._required: Answered | None = None
        self.requests = {
            **dict.fromkeys(_LOGINS, self._logs_in),
            **dict.fromkeys(_LOGOUTS, self._logs_out),
        }
        self.answers = {
            methods.INITIALIZE: self._offers,
            **dict.fromkeys(_LOGINS, self._lets_in),
            **dict.fromkeys(_LOGOUTS, self._forget),
            **dict.fromkeys((methods.NEW, methods.PROMPT), self._believes),
            ERROR: self._refused,
        }

    def _offers(self, answer: Answered) -> None:
        if not answer.is_error:
            listed = objects(answer.result.get("authMethods"))
            types = [(one.get("id", one.get("methodId")), one.get("type")) for one in listed]
            self._offered = [id_ for id_, _ in types if isinstance(id_, str)]
            self._in_terminals = {id_ for id_, type_ in types if isinstance(id_, str) and type_ == "terminal"}

    def _logs_in(self, asked: Asked) -> None:
        self._tried = True
        chosen = asked.params.get("methodId")
        if not isinstance(chosen, str) or asked.method not in methods.known(self.version):
            return
        if self._offered is not None and chosen not in self._offered:
            known = one_of(self._offered) if self._offered else None
            text = f"authentication with {short(chosen)}, " + (
                f"not one of those offered: {known}" if known else "but none was offered"
            )
            self.say("auth-method-unknown", "client", asked.frame, None, text,
                     path="/params/methodId", expected=known)  # fmt: skip

        elif chosen in self._in_terminals:
            text = f"{asked.method} with {short(chosen)}, for which the client has to run a command"
            self.say("auth-method-terminal", "client", asked.frame, None, text, path="/params/methodId")

    def _logs_out(self, asked: Asked) -> None:
        """Check that the agent offers ways to log in: in version 2 both methods belong to such agents."""
        if asked.method == "auth/logout" and self._offered == []:
            text = f"{asked.method}, but the agent offers no authMethods"
            self.say("capability-missing", "client", asked.frame, None, text, asked.method)

    def _lets_in(self, answer: Answered) -> None:
        self._accepted = None if answer.is_error else answer.frame

    def _forget(self, _: Answered) -> None:
        self._accepted = None

    def _believes(self, answer: Answered) -> None:
        if not answer.is_error:
            self._accepted = None  # the login may have expired later

    def _refused(self, answer: Answered) -> None:
        if answer.sender != "agent" or answer.asked.method in (*_LOGINS, *_LOGOUTS):
            return
        if answer.error_code == _REQUIRED and _ABOUT_LOGIN.search(answer.error_text):
            if self._accepted is not None:
                text = (
                    f"-32000 in the answer to {answer.asked.method}, after authentication #{self._accepted}"
                )
                self.say(
                    "auth-still-required", "agent", answer.frame, answer.session_id, f"{text} had succeeded"
                )
                self._accepted = None
            elif self._required is None:
                self._required = answer

    def at_end(self, findings: Findings) -> None:
        """Report that the client did not try to log in."""
        if self._required is not None and self._offered and not self._tried:
            text = f"the agent offers {one_of(self._offered)}, but the client tried none"
            self.say("auth-not-tried", "client", self._required.frame, None, text, findings=findings)
