"""Whether the values that a client has set still hold when its session is opened again, in any later trace.

A value that the client set, and that was applied, holds until something changes it: another config change, or
the agent by itself. `session/load` and `session/resume` return the present configuration. A value
that differs there, although nothing changed it, was lost. No I/O; only the values that were set are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import CODES, Severity
from acp_trace.protocol import methods
from acp_trace.trace.names import short

#: The id that agents with options give the mode among their options.
MODE = "mode"


class OptionKey(NamedTuple):
    """An option; the legacy mode is not the option `mode`."""

    legacy: bool
    option: str


#: The current value of each option, as JSON text.
Values = Mapping[OptionKey, str | None]


class SetValue(NamedTuple):
    """The value that was set, as JSON text, its trace (None: this one), and the frame of the response."""

    value: str
    frame: int
    trace_id: str | None = None


class LostValue(NamedTuple):
    """A value that was set, and the option's present value; None: the option no longer exists."""

    option: str
    was: SetValue
    now: str | None

    @property
    def message(self) -> str:
        """One line for a finding."""
        where = "" if self.was.trace_id is None else f" of {short(self.was.trace_id)}"
        now = "is gone" if self.now is None else f"is {self.now}"
        set_ = f"{self.option} was set to {self.was.value} in #{self.was.frame}{where}"
        return f"{set_}, and {now} when the session is opened again"


class LostBetween(NamedTuple):
    """A finding about what a session had in an earlier trace, and the trace that shows that it was lost."""

    trace_id: str
    finding: facts.Finding


class SetValues:
    """The values that the client of one session has set, as far as they still hold."""

    __slots__ = ("_set",)

    def __init__(self) -> None:
        self._set: dict[OptionKey, SetValue] = {}

    def __bool__(self) -> bool:
        return bool(self._set)

    def take(
        self, entries: Sequence[facts.ConfigEntry], values: Values, trace_id: str | None = None
    ) -> list[LostValue]:
        """Process one frame's configuration entries and the values after it; return the lost values.

        `entries`: those of the options and those of the legacy modes.
        """
        if any(entry.cause == "setup" for entry in entries):
            return list(self._opened({entry.legacy for entry in entries}, values))
        for entry in entries:
            key = OptionKey(entry.legacy, entry.requested_id or "")
            kept = {
                other: was for other, was in self._set.items() if values.get(other, was.value) == was.value
            }
            self._set = kept
            if _is_applied(entry) and entry.requested_value is not None:
                self._set[key] = SetValue(entry.requested_value, entry.frame, trace_id)
        return []

    def _opened(self, legacies: set[bool], values: Values) -> Iterator[LostValue]:
        for key, was in list(self._set.items()):
            # Agents that have options may leave out the legacy modes when they open a session again.
            shown = key if key.legacy in legacies else OptionKey(False, MODE)
            if shown.legacy not in legacies or (shown != key and shown not in values):
                continue
            now = values.get(shown)
            if now != was.value:
                del self._set[key]
                yield LostValue(key.option, was, now)


def _is_applied(entry: facts.ConfigEntry) -> bool:
    """Whether a set request was applied. The answer to a legacy request only says that it succeeded."""
    return entry.cause == "set" and entry.error_code is None and (entry.legacy or entry.honoured is True)


def lost_between(traces: Iterable[tuple[str, facts.Facts]], session_id: str) -> list[LostBetween]:
    """Return the findings that only several traces of a session show together.

    `traces`: their ids and facts, in the order in which they began.
    """
    kept, findings = SetValues(), list[LostBetween]()
    for trace_id, trace in traces:
        values: dict[OptionKey, str | None] = {}
        frames: dict[int, tuple[list[facts.ConfigEntry], list[facts.ConfigChange]]] = {}
        for entry in trace.config_entries:
            if entry.session_id == session_id:
                frames.setdefault(entry.frame, ([], []))[0].append(entry)
        for change in trace.config_changes:
            if change.session_id == session_id and change.frame in frames:
                frames[change.frame][1].append(change)
        if any(one.session_id == session_id and one.opened_by == methods.NEW for one in trace.sessions):
            kept = SetValues()
        for frame, (entries, changes) in sorted(frames.items()):
            for change in changes:
                _apply(change, values)
            for lost in kept.take(entries, values, trace_id):
                if lost.was.trace_id != trace_id:  # the trace itself already has this finding
                    findings.append(loss("config-lost", trace_id, frame, session_id, lost.message))
    return findings


def loss(
    code: str, trace_id: str, frame: int, session_id: str, message: str, severity: Severity | None = None
) -> LostBetween:
    """Return a finding about the agent at a frame of a trace. `severity`: if it is not that of the code."""
    finding = facts.Finding(
        code=code,
        severity=severity or CODES[code].severity,
        blame="agent",
        frame=frame,
        session_id=session_id,
        count=1,
        message=message,
    )
    return LostBetween(trace_id, finding)


def _apply(change: facts.ConfigChange, values: dict[OptionKey, str | None]) -> None:
    key = OptionKey(change.legacy, change.option or "")
    if change.change in ("added", "value"):
        values[key] = change.after
    elif change.change == "removed":
        values.pop(key, None)
