"""The pass after all checks: duplicates of other divergences are dropped, and consequences are marked.

Checks know nothing of each other. Their codes and places decide, by the tables here, which of their
divergences report the same thing. `following` decides which one follows from which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Literal, NamedTuple

from acp_trace.compare.result import Divergence
from acp_trace.compare.run_order import RunOrder, place
from acp_trace.compare.trace_pair import Explains, TracePair
from acp_trace.protocol.message import MessageKind
from acp_trace.story.frame_event import FrameEvent
from acp_trace.story.model import Story, TraceEvent

#: Codes for a changed frame: if something misleads about that frame, the change is the cause.
_OTHERWISE = frozenset({"request-params", "content-differs", "content-outside", "frame-differs"})
#: Codes for a request about something else, whose content therefore differs too.
_ABOUT_ANOTHER = frozenset({"request-params", "permission-misleads"})

#: Where a divergence must be to report the same as a finding: at the same kind of place, or anywhere.
#: `always`: the comparison checks this itself, so anything that it does not report is tolerated, or masked.
Scope = Literal["place", "trace", "always"]

_NEW_REQUEST = frozenset({"request-extra", "request-twice", "notification-extra", "permission-extra"})
_NOT_OPENED = frozenset(
    {"error-instead-of-result", "response-missing", "session-missing", "session-extra", "request-extra"}
)
_NEW_WORK = frozenset({"message-extra", "tool-call-extra", "update-extra", "update-after-stop"})
_UNANSWERED = frozenset({"response-missing", "cancel-outcome"})
_CONFIG = frozenset({"config-final", "config-timeline", "option-missing"})

#: By the code of a finding, the divergences that report the same.
REPORTED_BY: dict[str, tuple[Scope, frozenset[str]]] = {
    "not-json": ("place", frozenset({"noise"})),
    "not-jsonrpc": ("place", frozenset({"noise"})),
    "batch": ("place", frozenset({"noise"})),
    "unknown-method": ("place", _NEW_REQUEST),
    "wrong-side": ("place", _NEW_REQUEST),
    "wrong-kind": ("place", _NEW_REQUEST),
    **dict.fromkeys(
        ("payload-field-missing", "payload-wrong-type", "payload-unknown-value"),
        ("place", frozenset({"content-lost"})),
    ),
    **dict.fromkeys(
        ("announced-not-found", "session-gone", "auth-still-required", "error-after-decline"),
        ("trace", frozenset({"error-instead-of-result"})),
    ),
    "capability-missing": ("trace", _NEW_REQUEST | {"capability-lost"}),
    "response-to-nothing": ("place", frozenset({"response-extra"})),
    "second-answer": ("place", frozenset({"response-extra"})),
    "never-answered": ("always", _UNANSWERED),
    "agent-crashed": ("always", frozenset({"end", *_UNANSWERED})),
    "unknown-session": ("trace", _NOT_OPENED),
    "update-unknown-session": ("trace", _NOT_OPENED),
    "unknown-update": ("place", frozenset({"update-extra"})),
    "update-not-announced": ("place", frozenset({"update-extra"})),
    "update-after-settle": ("always", frozenset({"update-after-stop"})),
    "tool-call-unfinished": ("always", frozenset({"tool-call-status"})),
    "tool-call-restarted": ("trace", frozenset({"tool-call-status"})),
    "message-repeated": ("trace", frozenset({"message-twice"})),
    "update-before-prompt": ("trace", _NEW_WORK),
    "history-late": ("trace", _NEW_WORK),
    "history-missing": ("trace", frozenset({"message-missing"})),
    "history-differs": ("trace", frozenset({"tool-call-missing", "tool-call-extra", "content-differs"})),
    "terminal-unknown": ("trace", _NEW_REQUEST | {"request-params", "request-missing", "request-order"}),
    "terminal-not-released": ("trace", _NEW_REQUEST | {"request-params", "request-missing"}),
    "model-error-hidden": ("always", frozenset({"stop-reason", "error-instead-of-result"})),
    "version-unsupported": ("always", frozenset({"protocol-version"})),
    "permission-option-repeated": ("trace", frozenset({"permission-option-extra"})),
    "turn-unfinished": ("always", frozenset({"stop-reason", *_UNANSWERED})),
    "max-tokens-hidden": ("always", frozenset({"stop-reason"})),
    "session-id-reused": ("trace", frozenset({"session-missing", "session-extra"})),
    "permission-option-unknown": ("trace", frozenset({"permission-answer", "permission-option-missing"})),
    "permission-cancelled-alone": ("trace", frozenset({"permission-answer"})),
    "config-missing": ("trace", _CONFIG),
    "tool-call-unannounced": ("place", frozenset({"tool-call-unannounced", "tool-call-extra"})),
    "stop-reason-unknown": ("always", frozenset({"stop-reason", "cancel-outcome"})),
    "resume-replayed": ("trace", frozenset({"message-extra", "tool-call-extra", "update-extra"})),
    "cancel-other-stop-reason": ("always", frozenset({"cancel-outcome"})),
    "cancel-error": ("always", frozenset({"cancel-outcome", "error-instead-of-result"})),
    "cancel-unanswered": ("always", _UNANSWERED),
    "cancel-request-ignored": ("always", frozenset({"cancel-outcome"})),
    "cancel-leaked": ("always", frozenset({"stop-reason", "cancel-outcome"})),
    "permission-not-cancelled": ("trace", frozenset({"permission-answer", "cancel-outcome"})),
    "config-unknown-option": ("trace", _CONFIG | _NEW_REQUEST | {"request-params"}),
    "config-unknown-value": ("trace", _CONFIG | _NEW_REQUEST | {"request-params"}),
    "set-not-honoured": ("trace", _CONFIG),
    "option-no-value": ("trace", _CONFIG),
    "option-malformed": ("trace", frozenset({"option-missing"})),
    "config-lost": ("trace", _CONFIG),
    "modes-disagree": ("trace", _CONFIG | {"update-missing", "update-extra"}),
    "info-wrong-type": ("trace", frozenset({"title-never-set", "metadata-never-set"})),
}
_MESSAGES = (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION)


class FrameKind(NamedTuple):
    """A kind of place. Lines that are not messages are all of one kind."""

    sender: str
    kind: MessageKind | None
    method: str | None = None
    update: str | None = None

    @property
    def words(self) -> str:
        """The kind of frame in words: ` in session/update plan`; empty for lines that are not messages."""
        if self.method is None:
            return ""
        answer = "the answer to " if self.kind is MessageKind.RESPONSE else ""
        return " ".join(filter(None, [f" in {answer}{self.method}", self.update]))


def explained(divergences: Collection[Divergence], actual: Story) -> list[Divergence]:
    """Return the divergences without those that another one explains. `actual`: the story of that trace."""
    about_another = {_frame(each.got_event) for each in divergences if each.code in _ABOUT_ANOTHER}
    finds = any(each.code == "finding-new" for each in divergences)
    reported = _reported(divergences, actual) if finds else set()
    return [
        each
        for each in divergences
        if not (
            (each.code == "content-differs" and _frame(each.got_event) in about_another)
            or (each.code == "finding-new" and _is_reported(each, reported, actual))
        )
    ]


def _reported(divergences: Iterable[Divergence], actual: Story) -> set[tuple[str, FrameKind | None]]:
    """Return the codes of divergences, each by itself, and with its kind of place if it has one."""
    reported: set[tuple[str, FrameKind | None]] = set()
    for code, frame in {(each.code, _frame(each.got_event)) for each in divergences}:
        reported.add((code, None))
        if frame is not None:
            reported.add((code, kind_of(actual.at(frame))))
    return reported


def _is_reported(
    finding: Divergence, reported: Collection[tuple[str, FrameKind | None]], actual: Story
) -> bool:
    scope, codes = REPORTED_BY.get(finding.about or "", ("place", frozenset[str]()))
    frame = _frame(finding.got_event)
    where = kind_of(actual.at(frame)) if scope == "place" and frame is not None else None
    return scope == "always" or any((code, where) in reported for code in codes)


def in_order(
    divergences: Iterable[Divergence], causes: Iterable[Explains], traces: TracePair, order: RunOrder
) -> list[Divergence]:
    """Return the divergences in order (`place`), each with the last common event before it.

    `order`: by all frames that match.
    """
    cause_of = {frame: each.cause for each in causes for frame in each.frames}
    placed = []
    for reported in divergences:
        divergence, common = reported, None
        expected, actual = _frame(divergence.expected_event), _frame(divergence.got_event)
        if divergence.code in _OTHERWISE and actual in cause_of:
            divergence = order.following(divergence, actual=cause_of[actual])
        if expected is not None or actual is not None:
            common = order.before(expected, actual)
        if common is not None:
            events = traces.expected.event(common[0]), traces.actual.event(common[1])
            divergence = replace(divergence, common_expected=events[0], common_got=events[1])
        placed.append(divergence)
    return sorted(placed, key=place)


def _frame(event: FrameEvent | None) -> int | None:
    return None if event is None else event.frame


def kind_of(event: TraceEvent) -> FrameKind:
    """Return the kind of place of an event."""
    if event.kind not in _MESSAGES:
        return FrameKind(event.sender, None)
    return FrameKind(event.sender, event.kind, event.method, event.update)
