"""The configuration of a session, state by state: who changed what, and whether config changes were applied.

Rules: docs/report.md, Configuration. `options` reads lists of options; `modes` has legacy modes, which
options replace.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from acp_trace.analyze import facts, options
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.trace import jsontext

_Object = dict[str, Any]


class SetRequest(NamedTuple):
    """A set request of the client: `option_id` is None for the legacy mode; `value` is JSON text."""

    frame: int
    option_id: str | None
    value: str


class ConfigLedger:
    """State and timeline of one session. `booleans`: whether the client announced boolean options."""

    def __init__(self, session_id: str, findings: Findings) -> None:
        self._session_id = session_id
        self._findings = findings
        self._state: options.State | None = None  #: None until a message contained one
        self.booleans = False
        self._unfit: set[int] = set()  #: set requests for a value that the option does not have
        self.entries: list[facts.ConfigEntry] = []
        self.changes: list[facts.ConfigChange] = []

    @property
    def final(self) -> str:
        """Return the current value of each option in order, as a JSON object."""
        values = ((option_id, one.value or "null") for option_id, one in (self._state or {}).items())
        return "{" + ",".join(f"{jsontext.string(option_id)}:{value}" for option_id, value in values) + "}"

    @property
    def mode(self) -> options.Option | None:
        """The first option of category `mode`."""
        return _mode(self._state or {})

    @property
    def values(self) -> dict[str, str | None]:
        """JSON text of the current value of each option."""
        return {option_id: option.value for option_id, option in (self._state or {}).items()}

    def is_mode(self, option_id: str | None) -> bool:
        """Whether this option is one of category `mode`."""
        option = (self._state or {}).get(option_id or "")
        return option is not None and option.category == "mode"

    def setup(self, frame: int, t: int, listed: object, turn: int | None) -> None:
        """Process `configOptions` of a response that opened the session; None has no effect."""
        state = None if listed is None else self._read(frame, listed, "/result")
        if state is not None:
            self._enter(self._entry(frame, t, "setup", turn), state)

    def updated(
        self, frame: int, t: int, listed: object, turn: int | None, open_: Iterable[SetRequest]
    ) -> None:
        """Process a config_option_update; `open_`: set requests that wait for their response."""
        state = self._read(frame, listed, "/params/update")
        if state is not None:
            asked_frame = next((one.frame for one in open_ if _holds(state, one)), None)
            self._enter(self._entry(frame, t, "agent", turn, asked_frame=asked_frame), state)

    def _has(self, option_id: str | None) -> bool:
        """Whether there may be such an option: an option that never existed cannot be lost."""
        return option_id is not None and (self._state is None or option_id in self._state)

    def asked(self, frame: int, params: _Object) -> None:
        """Process a set request, and check that its option and its value exist."""
        option_id = params.get("configId")
        if self._state is None or not isinstance(option_id, str):
            return
        option = self._state.get(option_id)
        if option is None:
            self._say("config-unknown-option", "client", frame, f"there is no option {option_id}")
            return
        value = params.get("value")
        if not isinstance(value, str) and option.type != "boolean":
            return  # a separate fault
        fits = (
            isinstance(value, bool) if option.type == "boolean" else jsontext.string(value) in option.values
        )
        if not fits and not option.is_open and (option.values or option.type == "boolean"):
            text = f"{jsontext.short(value)} is not a value of option {option_id}"
            self._say("config-unknown-value", "client", frame, text)
            self._unfit.add(frame)

    def answered(
        self,
        exchange: Open,
        params: _Object,
        result: _Object,
        t: int,
        turn: int | None,
        *,
        contested: bool = False,
    ) -> None:
        """Process the response to a set request; `contested`: another request for the same option is open."""
        frame = exchange.response_frame or exchange.frame
        option_id, value = params.get("configId"), params.get("value")
        requested = (option_id if isinstance(option_id, str) else None, jsontext.canonical(value))
        entry = partial(self._entry, frame, t, "set", turn, requested, exchange.frame)
        if exchange.outcome == "error":
            self._enter(entry(False, exchange.error_code), None)
            return
        state = self._read(frame, result.get("configOptions"), "/result")
        if state is None:
            self._enter(entry(), None)
            return
        now = state.get(requested[0] or "")
        honoured = now is not None and now.value == requested[1]
        if not honoured and not contested and self._has(requested[0]):
            what = "is gone" if now is None else f"is {now.value or 'without a value'}"
            text = f"requested {requested[0]} = {jsontext.short(value)}, but in the response it {what}"
            cause = exchange.frame if exchange.frame in self._unfit else None
            self._say("set-not-honoured", "agent", frame, text, consequence_of=cause)
        self._enter(entry(honoured), state)

    def _read(self, frame: int, listed: object, where: str) -> options.State | None:
        path = f"{where}/configOptions"
        if not isinstance(listed, list):
            text = f"configOptions is not a list: {jsontext.short(listed)}"
            self._say("option-malformed", "agent", frame, text, "", path, "a list")
            return None
        complaints: list[options.Complaint] = []
        state = options.read(listed, booleans=self.booleans, say=complaints)
        for one in complaints:
            self._say(one.code, "agent", frame, one.text, one.option, path + one.path, one.expected)
        return state

    def _entry(
        self,
        frame: int,
        t: int,
        cause: str,
        turn: int | None,
        requested: tuple[str | None, str | None] = (None, None),
        asked_frame: int | None = None,
        honoured: bool | None = None,
        error_code: int | None = None,
    ) -> facts.ConfigEntry:
        return facts.ConfigEntry(
            session_id=self._session_id,
            frame=frame,
            t_ns=t,
            cause=cause,
            legacy=False,
            requested_id=requested[0],
            requested_value=requested[1],
            asked_frame=asked_frame,
            honoured=honoured,
            error_code=error_code,
            turn=turn,
        )

    def _enter(self, entry: facts.ConfigEntry, state: options.State | None) -> None:
        """Record the entry, and the new state if the message carried one."""
        self.entries.append(entry)
        if state is None:
            return
        for change in options.changes(self._state or {}, state):
            self.changes.append(
                facts.ConfigChange(
                    session_id=self._session_id,
                    frame=entry.frame,
                    legacy=False,
                    option=change.option,
                    change=change.change,
                    before=change.before,
                    after=change.after,
                )
            )
        self._state = state

    def _say(
        self,
        code: str,
        blame: str,
        frame: int,
        message: str,
        about: str = "",
        path: str | None = None,
        expected: str | None = None,
        consequence_of: int | None = None,
    ) -> None:
        self._findings.say(
            code,
            blame,
            frame,
            self._session_id,
            message,
            about,
            path=path,
            expected=expected,
            consequence_of=consequence_of,
        )


def _mode(state: options.State) -> options.Option | None:
    return next((one for one in state.values() if one.category == "mode"), None)


def _holds(state: options.State, request: SetRequest) -> bool:
    """Whether a state matches a set request."""
    if request.option_id is None:
        mode = _mode(state)
        return mode is not None and mode.value == request.value
    return request.option_id in state and state[request.option_id].value == request.value
