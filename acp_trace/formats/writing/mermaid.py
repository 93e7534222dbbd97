"""A trace as a sequence diagram for Mermaid: GitHub, GitLab and many editors draw it inside of Markdown.

A run of updates of one kind is one arrow. What a diagram may hold at most is Mermaid's limit; a longer one
ends with a note that says how much is missing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from acp_trace.analyze.facts import Facts, ModelCall
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.peers import side_shown
from acp_trace.formats.writing.plain import one_line
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.protocol.message import MessageKind
from acp_trace.trace.counts import counted
from acp_trace.trace.durations import duration

#: Characters that Mermaid draws at most (its `maxTextSize`), less what the last note needs.
_MOST = 50_000 - 500
#: Characters of a label: wider diagrams cannot be read.
_WIDTH = 60
#: Everything else may mean something: `;` ends a statement, `#` begins an entity, `%%{` a directive.
_PLAIN = re.compile(r"[^\w ./,:()+=«»…▸–×·-]")
_PARTICIPANTS = {"client": "C", "agent": "A"}
_OTHER = {"C": "A", "A": "C"}
_SOLID, _DOTTED, _FAILED, _ASYNC = "->>", "-->>", "--x", "-)"


class _Arrow(NamedTuple):
    """A line of the diagram, and how many frames it represents."""

    line: str
    frames: int = 0


def write(trace: ExportedTrace) -> Iterator[bytes]:
    """The diagram, line by line."""
    facts = trace.facts
    lines = ["sequenceDiagram", f"participant C as {_client(facts)}", f"participant A as {_agent(facts)}"]
    if facts.model_calls:
        lines.append("participant M as model")
    size = sum(map(len, lines))
    yield "\n    ".join(lines).encode() + b"\n"
    left_out = 0
    for arrow in _arrows(trace):
        text = f"    {arrow.line}\n"
        size += len(text)
        if size > _MOST:
            left_out += arrow.frames
            continue
        yield text.encode()
    if left_out:
        missing = f"{counted(left_out, 'frame')} more: a diagram of all would be longer than Mermaid draws"
        trace.notes.append(missing)
        yield f"    Note over C,A: {_label(missing, 200)}\n".encode()


def _client(facts: Facts) -> str:
    return _label(side_shown(facts.trace, "client"))


def _agent(facts: Facts) -> str:
    return _label(side_shown(facts.trace, "agent"))


def _arrows(trace: ExportedTrace) -> Iterator[_Arrow]:
    """All arrows and notes, in order."""
    facts = trace.facts
    latencies = {each.response_frame: each.latency_ns for each in facts.exchanges}
    outcomes = {each.response_frame: each.outcome for each in facts.exchanges}
    turns = {turn.frame: turn for turn in facts.turns}
    findings = defaultdict(list)
    for finding in facts.findings:
        findings[finding.frame].append(finding)
    calls = _Calls(facts.model_calls if facts.trace.has_times else [])
    run = _Run()
    for frame in trace.frames():
        if run.ends_before(frame):
            yield from run.arrow(trace)
        if frame.t_ns is not None:
            for call in calls.until(frame.t_ns):
                yield from run.arrow(trace)
                yield call
        if (turn := turns.get(frame.frame)) is not None:
            yield _note("C,A", f"turn {turn.turn} of session {turn.session_id}")
        if not run.takes(frame):
            error = outcomes.get(frame.frame) == "error"
            yield _Arrow(_arrow(trace, frame, latencies.get(frame.frame), is_error=error), 1)
        for finding in findings.pop(frame.frame, ()):
            yield from run.arrow(trace)
            yield _note(_PARTICIPANTS.get(finding.blame, "A"), f"{finding.severity}: {finding.code}")
    yield from run.arrow(trace)
    yield from calls.until(None)


class _Run:
    """Updates of one kind that follow each other: one arrow."""

    def __init__(self) -> None:
        self._first: Frame | None = None
        self._last = self._count = 0

    def ends_before(self, frame: Frame) -> bool:
        """Whether a frame does not go on with it."""
        return self._first is not None and _kind(frame) != _kind(self._first)

    def takes(self, frame: Frame) -> bool:
        """Add the next frame, if it is an update."""
        if _kind(frame) is None:
            return False
        self._first = self._first or frame
        self._last, self._count = frame.frame, self._count + 1
        return True

    def arrow(self, trace: ExportedTrace) -> Iterator[_Arrow]:
        """Yield its arrow, once; nothing if it has none."""
        first, count_ = self._first, self._count
        self._first, self._count = None, 0
        if first is None:
            return
        if count_ == 1:
            yield _Arrow(_arrow(trace, first, None, is_error=False), 1)
            return
        words = f"#{first.frame}–{self._last} {first.update} ×{count_}"
        yield _Arrow(_between(first.sender, _ASYNC, words), count_)


def _kind(frame: Frame) -> tuple[object, ...] | None:
    """What frames that are drawn as one have in common; None for a frame that is drawn alone."""
    if frame.update is None or frame.kind is not MessageKind.NOTIFICATION:
        return None
    return frame.sender, frame.session_id, frame.update


def _arrow(trace: ExportedTrace, frame: Frame, latency_ns: int | None, *, is_error: bool) -> str:
    words = trace.gist(frame)
    if frame.kind is MessageKind.RESPONSE:
        took = "" if latency_ns is None else f" after {duration(latency_ns)}"
        kind = "error" if is_error else "result"
        words = words.removeprefix("error ")
        return _between(
            frame.sender, _FAILED if is_error else _DOTTED, f"#{frame.frame} {kind}{took} {words}"
        )
    what = frame.update or frame.method or frame.kind.value
    arrow = _SOLID if frame.kind is MessageKind.REQUEST else _ASYNC
    return _between(frame.sender, arrow, f"#{frame.frame} {what} {words}")


def _between(sender: str, arrow: str, words: str) -> str:
    side = _PARTICIPANTS.get(sender, "C")
    return f"{side}{arrow}{_OTHER[side]}: {_label(words.rstrip())}"


class _Calls:
    """Calls of the model, each drawn when it began and when it ended."""

    def __init__(self, calls: list[ModelCall]) -> None:
        moments = []
        for call in calls:
            name = call.model or call.provider
            moments.append((call.started_ns, f"A->>M: {_label(f'call {call.call} {name}')}"))
            if call.duration_ns is not None:
                moments.append((call.started_ns + call.duration_ns, _answer(call)))
        self._moments = sorted(moments, key=lambda moment: moment[0], reverse=True)

    def until(self, t_ns: int | None) -> Iterator[_Arrow]:
        """Those before a time, ns; None for all that are left."""
        while self._moments and (t_ns is None or self._moments[-1][0] < t_ns):
            yield _Arrow(self._moments.pop()[1])


def _answer(call: ModelCall) -> str:
    if call.aborted:
        return f"A-xM: {_label(f'call {call.call} aborted')}"
    tokens = "" if call.output_tokens is None else f" {call.output_tokens} tokens"
    took = "" if call.duration_ns is None else f" after {duration(call.duration_ns)}"
    words = f"call {call.call} {call.error or call.stop_reason or ''}{took}{tokens}"
    return f"M{_FAILED if call.error else _DOTTED}A: {_label(words)}"


def _note(over: str, words: str) -> _Arrow:
    return _Arrow(
        f"Note {'over' if ',' in over else 'left of' if over == 'C' else 'right of'} {over}: {_label(words)}"
    )


def _label(text: str, width: int = _WIDTH) -> str:
    """Words that Mermaid shows as they are."""
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", one_line(text, width))
