"""Findings of the analysis that only one of the two traces has, each told once.

Two findings are the same if they have the same code, blame the same side and stand at the same kind of
place: an answer to `session/prompt`, a `session/update` of one kind. How many there are is not compared:
one more turn of a model may add some. A note is never told as new: it breaks nothing.

Whether a divergence says the same already is looked up in `REPORTED_BY`. Nothing here judges frames.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from acp_trace.analyze.facts import Finding
from acp_trace.compare.collector import Collector
from acp_trace.compare.story.model import Story, TraceEvent
from acp_trace.protocol.message import MessageKind

#: Where a divergence must stand to say the same: at the same kind of place, or anywhere. `always`: the
#: comparison looks for this itself, so that what it does not report is tolerated, or masked.
Scope = Literal["place", "trace", "always"]

_NEW_REQUEST = frozenset({"request-extra", "request-twice", "notification-extra", "permission-extra"})
_NOT_OPENED = frozenset(
    {"error-instead-of-result", "response-missing", "session-missing", "session-extra", "request-extra"}
)
_UNANSWERED = frozenset({"response-missing", "cancel-outcome"})
_CONFIG = frozenset({"config-final", "config-timeline", "option-missing"})

#: By the code of a finding, the divergences that say the same.
REPORTED_BY: dict[str, tuple[Scope, frozenset[str]]] = {
    "not-json": ("place", frozenset({"noise"})),
    "not-jsonrpc": ("place", frozenset({"noise"})),
    "batch": ("place", frozenset({"noise"})),
    "unknown-method": ("place", _NEW_REQUEST),
    "wrong-side": ("place", _NEW_REQUEST),
    "wrong-kind": ("place", _NEW_REQUEST),
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
#: How many updates come in one second says more about the machine than about the agent.
_BY_CHANCE = frozenset({"info-flood"})
#: In a run, the side that the player is: what it breaks, it breaks because the recording did.
_PLAYED = {"replay": "client", "mock": "agent"}
_MESSAGES = (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.NOTIFICATION)


class _Place(NamedTuple):
    """A kind of place. Lines that are not messages are all of one kind."""

    sender: str
    kind: MessageKind | None
    method: str | None = None
    update: str | None = None

    @property
    def words(self) -> str:
        """Which kind of frame it is: ` in session/update plan`; empty for lines that are not messages."""
        if self.method is None:
            return ""
        answer = "the answer to " if self.kind is MessageKind.RESPONSE else ""
        return " ".join(filter(None, [f" in {answer}{self.method}", self.update]))


class _Kind(NamedTuple):
    code: str
    blame: str
    place: _Place


class _Kinds:
    """The findings of one trace: of each kind the first, and how many."""

    def __init__(self, story: Story) -> None:
        self.first: dict[_Kind, Finding] = {}
        self.counts: dict[_Kind, int] = {}
        for finding in story.facts.findings:
            kind = _Kind(finding.code, finding.blame, _place(story.at(finding.frame)))
            self.first.setdefault(kind, finding)
            self.counts[kind] = self.counts.get(kind, 0) + finding.count


def compare(collector: Collector) -> None:
    """Reports findings that are new, and as notes those that are gone. Everything else is reported before."""
    expected, actual = _Kinds(collector.expected), _Kinds(collector.actual)
    played = {_PLAYED.get(story.facts.trace.origin) for story in (collector.expected, collector.actual)}
    fresh = [kind for kind in actual.first if kind not in expected.first and kind.blame not in played]
    if fresh:
        _new(collector, fresh, actual)
    gone = [kind for kind in expected.first if kind not in actual.first and kind.blame not in played]
    if gone and collector.expected.whole and collector.actual.whole:
        _fixed(collector, gone, expected)


def _new(collector: Collector, kinds: Iterable[_Kind], actual: _Kinds) -> None:
    reported = _reported(collector)
    last = collector.actual.frames if collector.expected.whole else collector.last_actual
    for kind in kinds:
        finding = actual.first[kind]
        if finding.severity == "note" or finding.frame > last or kind.code in _BY_CHANCE:
            continue
        if not _is_reported(kind, reported):
            collector.report(
                "finding-new",
                finding.session_id,
                f"{kind.code} ({kind.blame}){kind.place.words}: {finding.message}",
                None,
                finding.frame,
                count=actual.counts[kind],
                about=kind.code,
            )


def _fixed(collector: Collector, kinds: Iterable[_Kind], expected: _Kinds) -> None:
    """A place that is not there any more is not fixed; a line that should not be there is."""
    places = {_place(event) for event in collector.actual.events}
    for kind in kinds:
        finding = expected.first[kind]
        if finding.severity != "note" and (kind.place in places or kind.place.kind is None):
            message = f"{kind.code} ({kind.blame}){kind.place.words} is gone: {finding.message}"
            count = expected.counts[kind]
            frames = finding.frame, None
            collector.report(
                "finding-fixed", finding.session_id, message, *frames, count=count, about=kind.code
            )


def _reported(collector: Collector) -> set[tuple[str, _Place | None]]:
    """The codes of the divergences so far, each by itself, and with its kind of place if it has one."""
    reported: set[tuple[str, _Place | None]] = set()
    for code, frame in collector.reported_codes:
        reported.add((code, None))
        if frame is not None:
            reported.add((code, _place(collector.actual.at(frame))))
    return reported


def _is_reported(kind: _Kind, reported: set[tuple[str, _Place | None]]) -> bool:
    scope, codes = REPORTED_BY.get(kind.code, ("place", frozenset[str]()))
    where = kind.place if scope == "place" else None
    return scope == "always" or any((code, where) in reported for code in codes)


def _place(event: TraceEvent) -> _Place:
    if event.kind not in _MESSAGES:
        return _Place(event.sender, None)
    return _Place(event.sender, event.kind, event.method, event.update)
