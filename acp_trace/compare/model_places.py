"""Which directories of two traces match, so that they do not count as differences.

The source of a name decides: the variable of the environment, the session that was opened there, the agent's
own, the agent's command.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_trace.analyze.facts import Facts
from acp_trace.compare.model_reader import ModelReader
from acp_trace.trace.jsontext import value_or_none

if TYPE_CHECKING:
    from acp_trace.normalize.moved_places import MovedPlaces


def places(readers: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts]) -> MovedPlaces:
    """Return which directory of the actual trace matches which of the expected one."""
    from acp_trace.normalize.moved_places import MovedPlaces

    return MovedPlaces.of(_pairs(readers, facts))


def of_variables(readers: tuple[ModelReader, ModelReader]) -> list[tuple[str, str]]:
    """Return the pairs of directories that variables name in both environments, such as `HOME`."""
    expected, actual = (reader.environment.directories for reader in readers)
    return [(expected[name], actual[name]) for name in expected if name in actual]


def call_sessions(facts: Facts) -> dict[int, int]:
    """Return the session of each call, if known: the number of sessions that were opened before it."""
    orders = {session.session_id: order for order, session in enumerate(facts.sessions)}
    found = ((call.call, orders.get(call.session_id or "")) for call in facts.model_calls)
    return {call: order for call, order in found if order is not None}


def _pairs(readers: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts]) -> Iterator[tuple[str, str]]:
    from acp_trace.normalize.programs import moved_programs

    opened = ([session.cwd for session in each.sessions] for each in facts)
    for expected, actual in zip(*opened, strict=False):
        if expected and actual:
            yield expected, actual
    agents = [each.trace.agent_cwd for each in facts]
    if all(agents):
        yield agents[0], agents[1]
    yield from of_variables(readers)
    yield from moved_programs(*(value_or_none(each.trace.agent_argv.encode()) or () for each in facts))
