"""The available traces, with what `ls` shows of each: store and live spool as one list."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.analyze.listing import ListedSession, Listing, command_name, of_facts
from acp_trace.store import read
from acp_trace.store.connect import reading
from acp_trace.store.read import decoded
from acp_trace.store.sources import FileSource
from acp_trace.trace import spool
from acp_trace.trace.home import Home
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.parse import NewerFormat

if TYPE_CHECKING:
    import duckdb

_SESSIONS = """
SELECT s.trace_id, s.session_id, s.title, coalesce(u.turns, 0), s.cwd, s.opened_by
FROM sessions s LEFT JOIN (SELECT trace_id, session_id, count(*) AS turns FROM turns GROUP BY ALL) u
USING (trace_id, session_id) ORDER BY s.trace_id, s.frame
"""
_PROMPTS = """
SELECT trace_id, arg_min(prompt, frame), arg_min(prompt_cut, frame)
FROM turns WHERE prompt IS NOT NULL GROUP BY trace_id
"""
_AGENT_AND_PROMPT = """
SELECT agent_name, agent_argv, (SELECT arg_min(prompt, frame) FROM turns WHERE trace_id = $id)
FROM traces WHERE trace_id = $id
"""
_MODELS = """
SELECT trace_id, model FROM model_calls WHERE model IS NOT NULL GROUP BY ALL ORDER BY count(*) DESC, min(call)
"""
_FINDINGS = "SELECT trace_id, severity, count(*) FROM findings GROUP BY ALL"


def listings(home: Home) -> list[Listing]:
    """All traces, newest first. Live ones are read from their files."""
    # The spool first: a trace that is loaded meanwhile is seen twice, never not at all.
    lying = [_lying(one) for one in spool.spooled(home.spool)]
    by_id = {one.id: one for one in lying if one is not None}
    with reading(home.store) as connection:
        for listing in stored(connection):
            by_id.setdefault(listing.id, listing)
        loaded = dict(connection.execute("SELECT trace_id, loaded_at FROM loads").fetchall())
    rows = [replace(one, loaded_at=loaded.get(one.id)) for one in by_id.values()]
    return sorted(rows, key=newest, reverse=True)


def agent_and_prompt(store: Path, trace_id: str) -> tuple[str, str]:
    """The agent and the first prompt of a stored trace; "" for one that it lacks. Raises StoreError."""
    with reading(store) as connection:
        row = connection.execute(_AGENT_AND_PROMPT, {"id": trace_id}).fetchone()
    if row is None:
        return "", ""
    name, argv, prompt = row
    return name or command_name(decoded(argv, list[str]) or ()), prompt or ""


def newest(listing: Listing) -> tuple[str, str]:
    """What orders listings, the newest last."""
    return (listing.began, listing.id)


def stored(connection: duckdb.DuckDBPyConnection) -> list[Listing]:
    """All traces of the tables that a connection has, in no order. Raises duckdb.Error."""
    sessions: dict[str, list[ListedSession]] = {}
    for trace_id, *session in connection.execute(_SESSIONS).fetchall():
        sessions.setdefault(trace_id, []).append(ListedSession(*session))
    prompts = {
        trace_id: (prompt, is_cut) for trace_id, prompt, is_cut in connection.execute(_PROMPTS).fetchall()
    }
    findings: dict[str, dict[str, int]] = {}
    for trace_id, severity, count in connection.execute(_FINDINGS).fetchall():
        findings.setdefault(trace_id, {})[severity] = count
    models: dict[str, list[str]] = {}
    for trace_id, model in connection.execute(_MODELS).fetchall():
        models.setdefault(trace_id, []).append(model)
    return [
        Listing(
            trace,
            "complete" if trace.complete else "incomplete",
            tuple(decoded(trace.agent_argv, list[str]) or ()),
            decoded(trace.labels, dict[str, str]) or {},
            tuple(sessions.get(trace.id, ())),
            *prompts.get(trace.id, (None, False)),
            findings.get(trace.id, {}),
            models=tuple(models.get(trace.id, ())),
        )
        for trace in read.traces(connection)
    ]


def _lying(spooled: spool.Spooled) -> Listing | None:
    try:
        with closing(FileSource(spooled.path, live=spooled.live)) as source:
            return of_facts(source.facts(), live=spooled.live)
    except (OSError, Unreadable, NewerFormat):
        return None
