"""Facts -> spans as OpenTelemetry has them, with the names of its conventions for generative AI.

A session is one trace: a root span, a span for each turn (`invoke_agent`), and in it its tool calls
(`execute_tool`), permissions and calls of the model (`chat`). Ids follow from the trace's id, so that the
same trace gives the same spans. Prompts, answers, titles and arguments are in them only if they are wanted.

Names: semantic conventions for generative AI, all "Development" (2026-11). What they have no name for begins
with `acp.`. A cancelled turn is not an error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from acp_trace.analyze.facts import Finding, ModelCall, Permission, ToolCall, Turn
from acp_trace.analyze.tool_span import span as span_of
from acp_trace.formats.writing.otel_span import CLIENT, INTERNAL, OtelSpan, derived_id, there, unix_ns
from acp_trace.formats.writing.span_content import SpanContent
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.protocol import methods

_NS_PER_S = 1_000_000_000
_FRAME_NS = 1_000_000  #: what a frame takes in a trace without times
#: The names that the conventions have for providers; others are written as they are.
_PROVIDERS = {"google": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "azure": "azure.ai.openai"}


_Row = Turn | ToolCall | Permission | ModelCall


def traces(trace: ExportedTrace) -> Iterator[list[OtelSpan]]:
    """The spans of each session, root first; last, the spans that belong to no known session."""
    yield from _Spans(trace).sessions()


class _Spans:
    """Makes the spans of one trace."""

    def __init__(self, trace: ExportedTrace) -> None:
        self._facts = facts = trace.facts
        self._began = unix_ns(facts.trace.started_at)
        if self._began is None:
            trace.notes.append("the trace has no start time, so times count from 1970")
        if not facts.trace.has_times:
            trace.notes.append("the trace has no times: one frame is taken for 1 ms")
        self._content = SpanContent(trace) if trace.content else None
        self._calls: dict[tuple[str | None, int | None], list[ModelCall]] = defaultdict(list)
        for call in facts.model_calls:
            self._calls[call.session_id, call.turn].append(call)
        self._answers = {each.frame: each.response_frame for each in facts.exchanges}
        self._findings: dict[str | None, list[Finding]] = defaultdict(list)
        for finding in facts.findings:
            self._findings[finding.session_id].append(finding)
        wanted = {finding.frame for finding in facts.findings}
        self._times: dict[int, int | None] = {}
        self._last_frame = 0
        for frame in trace.frames():
            self._last_frame = frame.frame
            if frame.frame in wanted:
                self._times[frame.frame] = frame.t_ns

    def sessions(self) -> Iterator[list[OtelSpan]]:
        """See traces."""
        facts = self._facts
        rows: dict[str | None, list[_Row]] = defaultdict(list)
        parts: tuple[Iterable[_Row], ...] = (
            facts.turns,
            [call for call in facts.tool_calls if not call.replayed],  # history is not work of this trace
            facts.permissions,
            facts.model_calls,
        )
        for row in chain(*parts):
            rows[row.session_id].append(row)
        begins = {session.session_id: session for session in facts.sessions}
        others = [key for key in dict.fromkeys((*rows, *self._findings)) if key not in begins]
        for session_id in [*begins, *others]:
            mine = rows.get(session_id, [])
            session = begins.get(session_id or "")
            start = self._at(session.t_ns, session.frame) if session else self._at(0, 0)
            root = self._span(session_id, "session", "", None, "session", INTERNAL, start, None)
            root.attributes |= there({"acp.session.opened_by": session and session.opened_by})
            spans = [root, *(self._row(session_id, root, row) for row in mine)]
            root.start_ns = min(span.start_ns for span in spans)
            if len(spans) > 1:
                root.end_ns = max(span.end_ns for span in spans[1:])
            root.end_ns = max(root.end_ns, root.start_ns)
            root.events = [self._finding(finding) for finding in self._findings[session_id]]
            yield spans

    def _row(self, session_id: str | None, root: OtelSpan, row: _Row) -> OtelSpan:
        parent = root.span_id
        if not isinstance(row, Turn) and row.turn is not None:
            parent = derived_id(8, self._facts.trace.id, session_id, "turn", str(row.turn))
        match row:
            case Turn():
                return self._turn(row, parent)
            case ToolCall():
                return self._tool(row, parent)
            case Permission():
                return self._permission(row, parent)
            case ModelCall():
                return self._call(row, parent)

    def _turn(self, turn: Turn, parent: int) -> OtelSpan:
        trace = self._facts.trace
        name = f"invoke_agent {trace.agent_name}" if trace.agent_name else "invoke_agent"
        start, end = self._span_of(turn.t_ns, turn.frame, turn.duration_ns, turn.settled_frame)
        span = self._span(turn.session_id, "turn", str(turn.turn), parent, name, CLIENT, start, end)
        calls = self._calls[turn.session_id, turn.turn]
        reason = turn.stop_reason
        span.attributes |= there(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": trace.agent_name,
                "gen_ai.agent.version": trace.agent_version,
                "gen_ai.response.finish_reasons": None if reason is None else [reason],
                "gen_ai.usage.input_tokens": _sum(each.input_tokens_total for each in calls),
                "gen_ai.usage.output_tokens": _sum(each.output_tokens_total for each in calls),
                "acp.turn": turn.turn,
                "acp.frame": turn.frame,
            }
        )
        if turn.error_code is not None:
            span.error = str(turn.error_code)
        if self._content is not None:
            span.attributes |= self._content.turn(turn)
        return span

    def _tool(self, tool: ToolCall, parent: int) -> OtelSpan:
        kind = tool.kind or "other"
        began, took = span_of(tool)
        start, end = self._span_of(began, tool.frame, took, tool.ended_frame)
        name = f"execute_tool {kind}"
        # Not by its id: a later turn may use the same one.
        span = self._span(tool.session_id, "tool", str(tool.frame), parent, name, INTERNAL, start, end)
        span.attributes |= there(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": kind,
                "gen_ai.tool.call.id": tool.id,
                "acp.tool.status": tool.status,
                "acp.frame": tool.frame,
            }
        )
        if tool.status == "failed":
            span.error = "failed"
        if self._content is not None:
            span.attributes |= self._content.tool(tool)
        return span

    def _permission(self, row: Permission, parent: int) -> OtelSpan:
        start, end = self._span_of(row.t_ns, row.frame, row.wait_ns, self._answers.get(row.frame))
        name = methods.PERMISSION
        span = self._span(row.session_id, "permission", str(row.frame), parent, name, INTERNAL, start, end)
        span.attributes |= there(
            {
                "acp.tool_call.id": row.tool_call_id,
                "acp.permission.outcome": row.outcome,
                "acp.permission.option_kind": row.option_kind,
                "acp.frame": row.frame,
            }
        )
        if row.outcome == "error":
            span.error = "error"
        return span

    def _call(self, call: ModelCall, parent: int) -> OtelSpan:
        start, end = self._span_of(call.started_ns, 0, call.duration_ns, None)
        name = f"chat {call.model}" if call.model else "chat"
        span = self._span(call.session_id, "call", str(call.call), parent, name, CLIENT, start, end)
        reason, first = call.stop_reason, call.first_byte_ns
        span.attributes |= there(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": _PROVIDERS.get(call.provider, call.provider),
                "gen_ai.request.model": call.model,
                "gen_ai.response.finish_reasons": None if reason is None else [reason],
                "gen_ai.response.time_to_first_chunk": None if first is None else first / _NS_PER_S,
                "gen_ai.usage.input_tokens": call.input_tokens_total,
                "gen_ai.usage.output_tokens": call.output_tokens_total,
                "gen_ai.usage.cache_read.input_tokens": call.cached_tokens,
                "gen_ai.usage.reasoning.output_tokens": call.reasoning_tokens,
                "http.response.status_code": call.status,
                "acp.model.aborted": call.aborted or None,
            }
        )
        if call.error is not None and not call.aborted:
            is_status = call.status is not None and call.status >= 400
            span.error = str(call.status) if is_status else "error"
            span.message = call.error if self._content is not None else None
        if self._content is not None:
            span.attributes |= self._content.call(call)
        return span

    def _finding(self, finding: Finding) -> tuple[str, int, dict[str, Any]]:
        about = {"code": finding.code, "severity": finding.severity, "blame": finding.blame}
        about |= {"message": finding.message} if self._content is not None else {}
        attributes: dict[str, Any] = {f"acp.finding.{name}": value for name, value in about.items()}
        attributes["acp.frame"] = finding.frame
        return "acp.finding", self._at(self._times.get(finding.frame), finding.frame), attributes

    def _span(
        self,
        session_id: str | None,
        what: str,
        which: str,
        parent: int | None,
        name: str,
        kind: int,
        start: int,
        end: int | None,
    ) -> OtelSpan:
        id_ = self._facts.trace.id
        attributes: dict[str, Any] = {} if session_id is None else {"gen_ai.conversation.id": session_id}
        if not self._facts.trace.has_times:
            attributes["acp.has_times"] = False
        if end is None and what != "session":
            attributes["acp.unfinished"] = True
        last = max(start, self._at(self._facts.trace.duration_ns, self._last_frame))
        ids = derived_id(16, id_, session_id), derived_id(8, id_, session_id, what, which)
        return OtelSpan(*ids, parent, name, kind, start, last if end is None else end, attributes)

    def _at(self, t_ns: int | None, frame: int) -> int:
        since = t_ns if self._facts.trace.has_times else frame * _FRAME_NS
        return (self._began or 0) + (since or 0)

    def _span_of(
        self, t_ns: int | None, frame: int, duration_ns: int | None, last_frame: int | None
    ) -> tuple[int, int | None]:
        """Beginning and end, ns since 1970; without an end if that is unknown."""
        start = self._at(t_ns, frame)
        if self._facts.trace.has_times:
            return start, None if duration_ns is None else start + duration_ns
        return start, None if last_frame is None else self._at(None, last_frame)


def _sum(counts: Iterator[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
