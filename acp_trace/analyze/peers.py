"""The name of an agent or a client that people see. Pure.

The one rule: the title that it announced, else its name; if an agent announced neither, its program. Programs
(JSON, SQL, `stats` rows) get names and titles separately.
"""

from __future__ import annotations

from acp_trace.analyze.facts import Trace
from acp_trace.analyze.listing import command_name
from acp_trace.trace.jsontext import value_or_none


def agent_shown(trace: Trace) -> str:
    """Return the agent's title, name or program; `?` if nothing is known."""
    return trace.agent_title or trace.agent_name or program(trace)


def program(trace: Trace) -> str:
    """Return the program that was started as the agent; `?` if that is unknown."""
    argv = value_or_none(trace.agent_argv.encode())
    return command_name([each for each in argv if isinstance(each, str)] if isinstance(argv, list) else ())


def client_shown(trace: Trace) -> str:
    """Return the client's title or name; `?` if it gave neither."""
    return trace.client_title or trace.client_name or "?"


def side_shown(trace: Trace, side: str) -> str:
    """Return `agent Codex 2.6.0`: a side of the connection, with the name that it announced."""
    of = (trace.agent_title or trace.agent_name, trace.agent_version)
    if side == "client":
        of = (trace.client_title or trace.client_name, trace.client_version)
    return " ".join(filter(None, (side, *of)))
