"""Legacy modes of a session: a timeline like that of config options, and where the two disagree.

Sources: `modes` of a response that opened the session, `current_mode_update`, `session/set_mode`
(docs/report.md, Configuration). Config options replace them; agents that have both SHOULD keep them in
sync (session-config-options).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.config import SetRequest
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.options import Option
from acp_trace.trace import jsontext

_OPTION = "mode"

_Object = dict[str, Any]


class Modes:
    """State and timeline of one session."""

    def __init__(self, session_id: str, findings: Findings) -> None:
        self._session_id = session_id
        self._findings = findings
        self.choices: list[str] | None = None  #: None until a message named them
        self._odds: tuple[int, str] | None = None  #: the frame since which the option disagrees, and the text
        self._reported: str | None = None  #: the disagreement that was last reported
        self.current: str | None = None
        self.entries: list[facts.ConfigEntry] = []
        self.changes: list[facts.ConfigChange] = []

    def setup(self, frame: int, t: int, modes: object, turn: int | None) -> None:
        """Process `modes` of a response that opened the session; None has no effect."""
        members = jsontext.as_object(modes)
        if (mode := jsontext.string_or_none(members.get("currentModeId"))) is None:
            return
        self._entry(frame, t, "setup", turn)
        self._change(frame, mode)
        if not isinstance(listed := members.get("availableModes"), list):
            return
        ids = (item.get("id") for item in jsontext.objects(listed))
        choices = [id_ for id_ in ids if isinstance(id_, str)]
        if len(choices) < len(listed):
            return  # a requested mode may be one of those without an id
        if self.choices is not None and choices != self.choices:
            before, after = jsontext.string(self.choices), jsontext.string(choices)
            self._changed(frame, "choices", before, after)
        self.choices = choices

    def updated(
        self, frame: int, t: int, update: _Object, turn: int | None, open_: Iterable[SetRequest]
    ) -> None:
        """Process a current_mode_update; one that names the mode otherwise changes nothing."""
        mode = update.get("currentModeId")
        if isinstance(mode, str):
            value = jsontext.canonical(mode)
            same = (one.frame for one in open_ if one.option_id is None and one.value == value)
            self._entry(frame, t, "agent", turn, asked_frame=next(same, None))
            self._change(frame, mode)

    def answered(self, exchange: Open, params: _Object, t: int, turn: int | None) -> None:
        """Process the response to session/set_mode: success, without any details, or an error."""
        frame, mode = exchange.response_frame or exchange.frame, params.get("modeId")
        failed = exchange.outcome == "error"
        honoured = False if failed else None
        self._entry(
            frame, t, "set", turn, jsontext.canonical(mode), exchange.frame, honoured, exchange.error_code
        )
        if not failed and isinstance(mode, str):
            self._change(frame, mode)

    def compare(self, frame: int, option: Option | None) -> None:
        """Compare the mode with the present option of category `mode`, after every change of either."""
        if option is None or self.current is None or option.value == jsontext.canonical(self.current):
            self._odds = self._reported = None
        elif self.choices and option.values.isdisjoint(map(jsontext.string, self.choices)):
            self._odds = self._reported = None  # the two give the same mode different names
        elif self._odds is None:
            text = f"the mode is {self.current}, the option of category mode says {option.value}"
            self._odds = (frame, text) if text != self._reported else None

    def speak(self, findings: Findings) -> None:
        """Turn a disagreement that has lasted until now into a finding.

        The two come in two messages, so they regularly disagree for a moment: only a disagreement that
        remains at the next prompt, or at the end, counts.
        """
        if self._odds is not None:
            frame, text = self._odds
            findings.say("modes-disagree", "agent", frame, self._session_id, text)

    def spoken(self) -> None:
        """Report a lasting disagreement once, and then wait for a new one."""
        self.speak(self._findings)
        self._reported = self._odds[1] if self._odds else self._reported
        self._odds = None

    def _entry(
        self,
        frame: int,
        t: int,
        cause: str,
        turn: int | None,
        requested: str | None = None,
        asked_frame: int | None = None,
        honoured: bool | None = None,
        error_code: int | None = None,
    ) -> None:
        self.entries.append(
            facts.ConfigEntry(
                session_id=self._session_id,
                frame=frame,
                t_ns=t,
                cause=cause,
                legacy=True,
                requested_id=_OPTION if cause == "set" else None,
                requested_value=requested,
                asked_frame=asked_frame,
                honoured=honoured,
                error_code=error_code,
                turn=turn,
            )
        )

    def _change(self, frame: int, mode: str) -> None:
        if mode == self.current:
            return
        before = None if self.current is None else jsontext.string(self.current)
        change = "added" if before is None else "value"
        self._changed(frame, change, before, jsontext.string(mode))
        self.current = mode

    def _changed(self, frame: int, change: str, before: str | None, after: str) -> None:
        self.changes.append(
            facts.ConfigChange(
                session_id=self._session_id,
                frame=frame,
                legacy=True,
                option=_OPTION,
                change=change,
                before=before,
                after=after,
            )
        )
