"""What shells complete: the traces that there are, at once. Never waits, makes nothing, and never fails.

A store that another process has, an older one and none at all give what lies in the spool alone.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from acp_trace.store import connect
from acp_trace.store.make import is_missing
from acp_trace.store.read import decoded
from acp_trace.store.schema import TRACES_BY_AGE
from acp_trace.trace import spool
from acp_trace.trace.entries import ORIGINAL, RUNS
from acp_trace.trace.home import Home

#: A longer list is not read; the older traces are found by the beginning of their ids.
_MOST = 500
_NEWEST = f"""
SELECT trace_id, began, agent_name, agent_argv, client_name, origin FROM {TRACES_BY_AGE}
ORDER BY began DESC, trace_id DESC LIMIT {_MOST}
"""

_SESSIONS = f"""
SELECT session_id, arg_max(title, began), count(DISTINCT trace_id)
FROM sessions JOIN {TRACES_BY_AGE} USING (trace_id) WHERE origin IN {ORIGINAL}
GROUP BY session_id ORDER BY max(began) DESC, session_id LIMIT {_MOST}
"""


class Glimpse(NamedTuple):
    """A trace, as far as it is known at once. For a file in the spool, only the id is known."""

    id: str
    began: str | None = None  #: or was imported, if that is all that is known
    agent: str | None = None
    argv: tuple[str, ...] = ()
    client: str | None = None
    origin: str | None = None

    @property
    def is_run(self) -> bool:
        """Whether acp-trace made it from a recording, as far as that is known."""
        return self.origin in RUNS


class SessionGlimpse(NamedTuple):
    """A session, by its id: its latest title, and in how many traces it is."""

    id: str
    title: str | None
    traces: int


def glimpses(home: Home) -> list[Glimpse]:
    """The traces, newest first."""
    by_id: dict[str, Glimpse] = {}
    with suppress(Exception):
        for trace in reversed(spool.spooled(home.spool)):
            by_id[trace.id] = Glimpse(trace.id)
    with suppress(Exception):  # any error: a shell that completes is not the place to report it
        if not is_missing(home.store):
            with connect.at_once(home.store) as connection:
                for id_, began, agent, argv, client, origin in connection.execute(_NEWEST).fetchall():
                    command = tuple(decoded(argv, list[str]) or ())
                    by_id[id_] = Glimpse(id_, began, agent, command, client, origin)
    return sorted(by_id.values(), key=lambda one: (one.began or "9", one.id), reverse=True)


def session_glimpses(home: Home) -> list[SessionGlimpse]:
    """The recorded sessions, the one with the newest trace first."""
    with suppress(Exception):
        if not is_missing(home.store):
            with connect.at_once(home.store) as connection:
                return [SessionGlimpse(*row) for row in connection.execute(_SESSIONS).fetchall()]
    return []
