"""Every code: what raises it does, what comes near does not, and both are there."""

from __future__ import annotations

import pytest

from acp_trace.analyze.findings.codes import CODES, GROUPS, SEVERITIES
from tests.analyze.findings import (
    scenarios_cancellation,
    scenarios_configuration,
    scenarios_connection,
    scenarios_contradictions,
    scenarios_jsonrpc,
    scenarios_metadata,
    scenarios_payloads,
    scenarios_turns,
    scenarios_wire,
)
from tests.analyze.findings.scenario import Scenario, found_in
from tests.rows import each

SCENARIOS: dict[str, list[Scenario]] = {
    "wire": [*scenarios_jsonrpc.SCENARIOS, *scenarios_wire.SCENARIOS],
    "payloads": scenarios_payloads.SCENARIOS,
    "connection": scenarios_connection.SCENARIOS,
    "turns": scenarios_turns.SCENARIOS,
    "cancellation": scenarios_cancellation.SCENARIOS,
    "configuration": scenarios_configuration.SCENARIOS,
    "metadata": scenarios_metadata.SCENARIOS,
}
for _group, _scenarios in scenarios_contradictions.SCENARIOS.items():
    SCENARIOS[_group] = [*SCENARIOS.get(_group, []), *_scenarios]
_ALL = [scenario for scenarios in SCENARIOS.values() for scenario in scenarios]


@pytest.mark.parametrize("scenario", _ALL, ids=lambda one: f"{one.code}: {one.name}")
def test_a_scenario_raises_what_it_says_and_nothing_else(scenario: Scenario) -> None:
    """Code, blame, frame, session and count of every finding; the scenario's own code among them, or not."""
    assert (scenario.code in {one.code for one in scenario.found}) == scenario.raises
    assert found_in(scenario) == list(scenario.found)


def test_a_code_has_a_scenario_that_raises_it_and_a_near_miss() -> None:
    """A new code needs both, in the table of its group."""

    def check(code: str) -> None:
        told = [scenario.raises for scenario in SCENARIOS[CODES[code].group] if scenario.code == code]
        assert set(told) == {True, False}

    each(CODES, check)


def test_scenarios_are_about_codes_that_exist() -> None:
    """Each group has its table, no scenario is in a foreign one, and no name stands twice."""
    assert set(SCENARIOS) == set(GROUPS)
    names = [(scenario.code, scenario.name) for scenario in _ALL]
    assert len(set(names)) == len(names)
    for group, scenarios in SCENARIOS.items():
        assert {CODES[scenario.code].group for scenario in scenarios} == {group}


def test_a_code_is_counted_once_a_session_or_trace_as_its_row_says() -> None:
    """Codes that may stand many times in a trace are listed each time, others are counted; lines of one message are, too."""
    for scenario in _ALL:
        for one in scenario.found:
            assert one.count == 1 or CODES[one.code].once is not None or one.code == "not-json"


def test_a_row_explains_its_code() -> None:
    """Each has a known severity, a meaning, the rule behind it, and whose rule that is."""

    def check(code: str) -> None:
        row = CODES[code]
        assert row.code == code
        assert row.severity in SEVERITIES
        blamed = {one.blame for scenario in _ALL for one in scenario.found if one.code == code}
        assert blamed <= ({"client", "agent"} if row.side == "either" else {row.side})
        assert row.meaning
        assert row.rule
        assert row.source

    each(CODES, check)
