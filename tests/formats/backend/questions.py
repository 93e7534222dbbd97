"""What is asked of a backend and of our own database: a row is one question in both languages.

Durations are compared to the microsecond, which is what Phoenix keeps of a time. A turn or a call that never
ended lasts until the trace's end as a span, and has no duration with us: it is not among the durations.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from tests.formats.backend.phoenix import Phoenix

_Project = dict[str, Any]
_Rows = list[tuple[Any, ...]]
#: Every session that has a span: those that were opened, and those that something else names.
_SESSIONS = " UNION ".join(
    f"SELECT trace_id, session_id FROM {table}"
    for table in ("sessions", "turns", "tool_calls", "permissions", "model_calls", "findings")
)
_ROWS = " UNION ALL ".join(
    f"SELECT trace_id FROM {table}" for table in ("turns", "tool_calls", "permissions", "model_calls")
)


class Question(NamedTuple):
    """`condition`: which spans Phoenix looks for, in its language; `answer`: what it says, of those.

    `sql` gives the rows of all traces, each with its `trace_id` first; `of`: what the rest of a trace's rows says.
    """

    text: str
    condition: str | None
    answer: Callable[[_Project], Any]
    sql: str
    of: Callable[[_Rows], Any] = sorted

    def phoenix(self, phoenix: Phoenix, trace_id: str) -> Any:
        """The backend's answer."""
        project = phoenix.project(trace_id, self.condition)
        return None if project is None else self.answer(project)


def _attribute(span: dict[str, Any], name: str) -> Any:
    """Phoenix nests attributes by the words of their names."""
    found = span["attributes"]
    for word in name.split("."):
        found = found.get(word) if isinstance(found, dict) else None
    return found


def _each(*names: str, timed: bool = False) -> Callable[[_Project], Any]:
    """Of each span, some attributes; where it is timed, its µs before them, of those that ended."""

    def answer(project: _Project) -> Any:
        return sorted(
            (*((_us(span),) if timed else ()), *(_attribute(span, name) for name in names))
            for span in project["spans"]
            if not (timed and _attribute(span, "acp.unfinished"))
        )

    return answer


def _timed(rows: _Rows) -> Any:
    """Of rows from `_ended`: µs, and what else they say."""
    return sorted(
        ((_moment(began + t_ns + took_ns) - _moment(began + t_ns)) // timedelta(microseconds=1), *rest)
        for began, t_ns, took_ns, *rest in rows
    )


def _moment(ns: int) -> datetime:
    """As Phoenix reads a time, by way of a float (its trace/otel.py)."""
    return datetime.fromtimestamp(ns / 1e9, UTC)


def _ended(table: str, what: str, begins: str = "t_ns") -> str:
    """What ended: when its trace began (ns since 1970), when it began since then, how long it took, and more."""
    return f"""
        SELECT trace_id, epoch_us(started_at::TIMESTAMP) * 1000, {begins}, {table}.duration_ns, {what}
        FROM {table} JOIN traces USING (trace_id) WHERE {table}.duration_ns IS NOT NULL
    """


def _only(rows: _Rows) -> Any:
    return rows[0][0] if rows else 0


def _events(project: _Project) -> Any:
    return sum(event["name"] == "acp.finding" for span in project["spans"] for event in span["events"])


def _first(project: _Project) -> Any:
    """In Phoenix's own order, longest first: µs, and which turn it is."""
    for span in project["spans"]:
        if not _attribute(span, "acp.unfinished"):
            return [(_us(span), _attribute(span, "acp.turn"))]
    return []


def _us(span: dict[str, Any]) -> int:
    return round(float(span["latencyMs"]) * 1000)


QUESTIONS = (
    Question(
        "How many spans has it?",
        None,
        lambda project: project["recordCount"],
        f"SELECT trace_id, count(*) FROM ({_ROWS} UNION ALL SELECT trace_id FROM ({_SESSIONS})) GROUP BY ALL",
        _only,
    ),
    Question(
        "How many sessions?",
        None,
        lambda project: project["traceCount"],
        f"SELECT trace_id, count(*) FROM ({_SESSIONS}) GROUP BY ALL",
        _only,
    ),
    Question(
        "Which turn was the longest, and how long?",
        "span_kind == 'AGENT'",
        _first,
        _ended("turns", "turn"),
        lambda rows: _timed(rows)[-1:],
    ),
    Question(
        "How long was each turn?",
        "span_kind == 'AGENT'",
        _each("gen_ai.conversation.id", "acp.turn", timed=True),
        _ended("turns", "session_id, turn"),
        _timed,
    ),
    Question(
        "Which turns were answered with an error?",
        "span_kind == 'AGENT' and status_code == 'ERROR'",
        _each("acp.turn", "error.type"),
        "SELECT trace_id, turn, error_code::VARCHAR FROM turns WHERE error_code IS NOT NULL",
    ),
    Question(
        "Which tool calls failed?",
        "span_kind == 'TOOL' and status_code == 'ERROR'",
        _each("gen_ai.tool.call.id"),
        "SELECT trace_id, id FROM tool_calls WHERE status = 'failed'",
    ),
    Question(
        "How long was each tool call, and of what kind?",
        "span_kind == 'TOOL'",
        _each("gen_ai.tool.name", "gen_ai.tool.call.id", timed=True),
        _ended("tool_calls", "coalesce(kind, 'other'), id"),
        _timed,
    ),
    Question(
        "Which permissions were cancelled?",
        "attributes['acp']['permission']['outcome'] == 'cancelled'",
        _each("acp.tool_call.id"),
        "SELECT trace_id, tool_call_id FROM permissions WHERE outcome = 'cancelled'",
    ),
    Question(
        "How many tokens went into the model, and came out?",
        None,
        lambda project: (project["tokenCountPrompt"], project["tokenCountCompletion"]),
        "SELECT trace_id, sum(input_tokens_total), sum(output_tokens_total) FROM model_calls GROUP BY ALL",
        lambda rows: rows[0] if rows else (0, 0),
    ),
    Question(
        "How long was each model call, with how many tokens?",
        "span_kind == 'LLM'",
        _each("gen_ai.request.model", "gen_ai.usage.input_tokens", timed=True),
        _ended("model_calls", "model, input_tokens_total", "started_ns"),
        _timed,
    ),
    Question(
        "How many findings?",
        "parent_id is None",
        _events,
        "SELECT trace_id, count(*) FROM findings GROUP BY ALL",
        _only,
    ),
)
