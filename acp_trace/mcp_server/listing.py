"""The tool `list_traces`: which traces there are, as `ls` lists them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from acp_trace.mcp_server.paging import page
from acp_trace.mcp_server.tool import Arguments, CallRefused, Document, Limit, Offset
from acp_trace.report.json.trace_list import as_json
from acp_trace.store.listings import listings
from acp_trace.store.remove import BadAge
from acp_trace.store.sweep import sweep
from acp_trace.store.wanted import ORIGINS, TraceFilter, moment
from acp_trace.trace.entries import ORIGINAL
from acp_trace.trace.home import Home

_When = Annotated[str, Meta(description="An age or a date: 12h, 30d, 2w, 2026-11-20.")]


class ListTracesArguments(Arguments):
    """List the traces that were recorded, newest first.

    Each with its id, agent, client, sessions, first prompt, and how many findings it has. Begin here if
    no trace was named; then call show_trace. A trace must pass all filters. Runs of replay and mock are
    left out unless `runs` or `origin` asks for them.
    """

    agent: (
        Annotated[
            str, Meta(description="Only this agent, ignoring case, or a glob; `?` is one without a name.")
        ]
        | None
    ) = None
    client: (
        Annotated[
            str, Meta(description="Only this client, ignoring case, or a glob; `?` is one without a name.")
        ]
        | None
    ) = None
    labels: Annotated[
        dict[str, str], Meta(description="Only traces with these labels, as name and value.")
    ] = msgspec.field(default_factory=dict)
    since: _When | None = None
    until: _When | None = None
    origin: (
        Annotated[
            Literal["recorded", "imported", "replay", "mock"], Meta(description="Only traces of this origin.")
        ]
        | None
    ) = None
    runs: Annotated[bool, Meta(description="Include runs of replay, mock and the pytest plugin.")] = False
    limit: Limit = 12
    offset: Offset = 0


def list_traces(home: Home, given: ListTracesArguments) -> Document:
    """The rows of `ls --json`."""
    origins = (given.origin,) if given.origin else ORIGINS if given.runs else ORIGINAL
    wanted = TraceFilter(
        agent=given.agent,
        client=given.client,
        labels=given.labels,
        since=_moment("since", given.since),
        until=_moment("until", given.until),
        origins=origins,
    )
    sweep(home)
    matching = [row for row in listings(home) if wanted.wants_but_origin(row.trace)]
    traces = [row for row in matching if wanted.wants(row.trace)]
    made = page(traces, given.offset, given.limit).document("traces", lambda row: as_json([row])[0])
    if not given.origin and (left_out := len(matching) - len(traces)):
        made["runs_left_out"] = left_out
    return made


def _moment(name: str, text: str | None) -> datetime | None:
    try:
        return None if text is None else moment(text, datetime.now(UTC))
    except BadAge as error:
        raise CallRefused(f"{name}: {error}") from None
