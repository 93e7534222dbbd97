"""The table of `acp-trace ls`, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from acp_trace.analyze.listing import Listing
from acp_trace.report import units, words
from acp_trace.report.safe import safe, shorten

_WIDE = 110
_STATES = {"live": words.COLOURS["agent"], "incomplete": words.OPEN, "complete": ""}
_SIGNS = {"live": "●", "incomplete": "!", "complete": " "}  #: the state where there is no room


def listing(rows: Sequence[Listing], width: int) -> Table:
    """One trace a row, newest first, with its titled sessions under it where there is room."""
    wide = width >= _WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=words.FAINT)
    table.add_column("id", no_wrap=True)
    table.add_column("when", no_wrap=True)
    table.add_column("agent ⇄ client", overflow="ellipsis", no_wrap=True, ratio=3)
    if wide:
        table.add_column("v", justify="right", no_wrap=True)
        table.add_column("sessions", overflow="ellipsis", no_wrap=True, ratio=2)
    table.add_column("turns", justify="right", no_wrap=True)
    table.add_column("frames", justify="right", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("state" if wide else "", no_wrap=True)
    table.expand = True
    for row in rows:
        table.add_row(*_row(row, wide))
    return table


def _row(row: Listing, wide: bool) -> list[Text]:
    who = Text(words.name(*row.agent, words.command_name(row.argv)))
    who.append(" ⇄ ", words.FAINT)
    who.append(words.name(*row.client))
    protocol = "" if row.protocol_version is None else str(row.protocol_version)
    state = row.state if wide else _SIGNS[row.state]
    when = Text(units.when_short(row.started_at))
    numbers = [
        Text(str(row.turns or "")),
        Text(units.number(row.frames)),
        Text(units.duration(row.duration_ns)),
        Text(state, _STATES[row.state]),
    ]
    if not wide:
        return [Text(safe(row.id)[-6:]), when, who, *numbers]
    return [Text(safe(row.id)), when, who, Text(protocol), Text(_sessions(row)), *numbers]


def _sessions(row: Listing) -> str:
    titles = [title for _, title, _ in row.sessions if title]
    if not row.sessions:
        return ""
    text = f"{len(row.sessions)}"
    return text + (f"  {shorten(safe(', '.join(titles)), 60)}" if titles else "")


def as_json(rows: Sequence[Listing]) -> list[dict[str, Any]]:
    """The same for programs; sessions with id, title and turns."""
    return [
        {
            "id": row.id,
            "started_at": row.started_at,
            "state": row.state,
            "agent": {"name": row.agent[0], "version": row.agent[1]},
            "client": {"name": row.client[0], "version": row.client[1]},
            "protocol_version": row.protocol_version,
            "sessions": [
                {"session_id": id_, "title": title, "turns": turns} for id_, title, turns in row.sessions
            ],
            "turns": row.turns,
            "frames": row.frames,
            "duration_ns": row.duration_ns,
            "argv": row.argv,
            "labels": row.labels,
        }
        for row in rows
    ]
