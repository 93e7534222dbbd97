"""What people see as the name of an agent: the same everywhere, and `--agent` finds it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acp_trace.analyze.facts import Trace
from acp_trace.analyze.peers import agent_shown, client_shown
from acp_trace.report.statements import phrases
from acp_trace.store.wanted import TraceFilter
from tests.reading.talk import hello
from tests.support import facts_of

_TRACE = replace(facts_of(*hello()).trace, agent_version="2", agent_argv='["/opt/bin/x-agent", "--acp"]')


@pytest.mark.parametrize(
    ("title", "name", "shown"),
    [("Codex", "codex-acp", "Codex"), (None, "codex-acp", "codex-acp"), (None, None, "x-agent")],
)
def test_title_name_or_program(title: str | None, name: str | None, shown: str) -> None:
    """In this order; each of them finds the trace."""
    trace = replace(_TRACE, agent_title=title, agent_name=name)
    assert (agent_shown(trace), phrases.agent(trace)) == (shown, f"{shown} 2")
    assert all(TraceFilter(agent=each.upper()).wants(trace) for each in (title, name, shown) if each)


def _argv(text: str) -> Trace:
    return replace(_TRACE, agent_title=None, agent_name=None, agent_argv=text)


@pytest.mark.parametrize("argv", ["[]", "", "{", '{"a": 1}', "[1, null]"])
def test_a_hostile_command(argv: str) -> None:
    """Nothing is known of it."""
    assert agent_shown(_argv(argv)) == "?"
    assert client_shown(replace(_TRACE, client_title=None, client_name=None)) == "?"
