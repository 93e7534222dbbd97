"""Answers that list other choices, where the divergence stands at a later answer."""

from __future__ import annotations

from typing import Any

from acp_trace.report.page import alignment
from acp_trace.report.page.reported_elsewhere import reported_elsewhere
from tests.compare.conversation import compared
from tests.reading.talk import Said, answer, ask, hello, opened, prompt, stop
from tests.support import analyzed, trace


def _listing(*names: str) -> dict[str, Any]:
    choices = [{"value": name, "name": name} for name in names]
    return {
        "configOptions": [
            {"id": "model", "name": "Model", "type": "select", "currentValue": names[0], "options": choices}
        ]
    }


def _talk(*names: str) -> list[Said]:
    """Choices are listed by two answers: frames 4 and 6."""
    asked = ask(2, "session/set_config_option", sessionId="s", configId="model", value=names[0])
    return [*hello(), *opened(**_listing(*names)), asked, answer(2, **_listing(*names)), prompt(3), stop(3)]


def test_an_answer_that_lists_other_choices_leads_to_the_divergence() -> None:
    """It is reported once, of the last answer; the first one names it, with the member that differs."""
    files = trace(*_talk("a", "b", "c")), trace(*_talk("a", "b"))
    comparison = compared(*files, "semantic")
    sides = [list(analyzed(file)[1]) for file in files]
    rows = alignment.rows(sides[0], sides[1], comparison)
    assert [(each.code, each.frames) for each in comparison.divergences] == [
        ("choice-missing", [("actual", 6), ("expected", 6)])
    ]
    assert reported_elsewhere(sides, rows, comparison) == {"3": [(0, "/result/configOptions")]}


def test_answers_that_list_the_same_lead_nowhere() -> None:
    """Of traces without such a divergence, nothing is read."""
    file = trace(*_talk("a", "b"))
    comparison = compared(file, file, "semantic")
    sides = [list(analyzed(file)[1]) for _ in range(2)]
    assert reported_elsewhere(sides, alignment.rows(sides[0], sides[1], comparison), comparison) == {}
