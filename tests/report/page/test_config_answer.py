"""What is said of config changes."""

from __future__ import annotations

from typing import Any

from acp_trace.report.page.config_answer import config_answer
from tests.reading.talk import Said, answer, ask, hello, opened, up
from tests.support import facts_of

_CHOICES = [{"value": value, "name": value} for value in ("big", "small", "high", "low")]


def _options(model: str, effort: str) -> list[dict[str, Any]]:
    return [
        {"id": id_, "name": id_, "type": "select", "currentValue": value, "options": _CHOICES}
        for id_, value in (("model", model), ("effort", effort))
    ]  # fmt: skip


def _lines(*said: Said) -> list[tuple[str, int, dict[str, str]]]:
    found = config_answer(facts_of(*hello(), *opened(configOptions=_options("big", "high")), *said))
    assert all(line.view == "state" for line in found.lines)
    return [(line.text, line.frame, line.at) for line in found.lines]


def test_a_change_says_how_long_it_took_and_what_went_with_it() -> None:
    """It leads to State: another option that the same answer changed is told there, too."""
    change = ask(5, "session/set_config_option", sessionId="s", configId="model", value="small")
    assert _lines(change, answer(5, configOptions=_options("small", "low"))) == [
        ("model = small: applied after 1 µs; with it effort high → low", 5, {"frame": "6"})
    ]


def test_a_change_by_the_agent_is_named() -> None:
    """Which option, from what to what."""
    assert _lines(up("config_option_update", configOptions=_options("small", "high"))) == [
        ("changed by the agent itself: model big → small", 5, {"frame": "5"})
    ]
