"""Legacy modes: a ledger like that of options, and where the two disagree (docs/report.md, Configuration)."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.facts import ConfigEntry, Facts
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, answer, ask, prompt, refuse, stop, up
from tests.support import facts_of


def _modes(current: Any = "ask", *ids: str) -> dict[str, Any]:
    return {
        "currentModeId": current,
        "availableModes": [{"id": one, "name": one} for one in ids or ("ask", "code")],
    }


def _option(value: str, id: str = "mode", category: str = "mode") -> dict[str, Any]:
    choices = [{"value": one, "name": one} for one in ("ask", "code", "plan")]
    return {
        "id": id,
        "name": id,
        "type": "select",
        "category": category,
        "currentValue": value,
        "options": choices,
    }


def _set(number: int, mode: Any) -> Said:
    return ask(number, "session/set_mode", sessionId="s", modeId=mode)


def _update(mode: Any, key: str = "currentModeId") -> Said:
    return up("current_mode_update", **{key: mode})


def _of(*said: Said, **result: Any) -> Facts:
    return facts_of(*start(**{"modes": _modes(), **result}), *said)


def _legacy(found: Facts) -> list[ConfigEntry]:
    return [one for one in found.config_entries if one.legacy]


def _changed(found: Facts) -> list[tuple[int, str | None, str, str | None, str | None]]:
    return [
        (one.frame, one.option, one.change, one.before, one.after)
        for one in found.config_changes
        if one.legacy
    ]


def _disagreements(found: Facts) -> list[int]:
    return [one.frame for one in found.findings if one.code == "modes-disagree"]


def test_setup_is_the_first_mode() -> None:
    """An entry under the option `mode`, with `legacy` set."""
    found = _of()
    (entry,) = _legacy(found)
    assert (entry.frame, entry.cause, entry.requested_id, entry.honoured, entry.turn) == (
        4,
        "setup",
        None,
        None,
        None,
    )
    assert _changed(found) == [(4, "mode", "added", None, '"ask"')]
    assert (found.sessions[0].mode, found.sessions[0].config) == ("ask", "{}")


@pytest.mark.parametrize(
    "modes", [None, {}, "ask", {"currentModeId": None}, {"currentModeId": 5}, {"availableModes": []}]
)
def test_modes_without_a_current_one_say_nothing(modes: object) -> None:
    """No entry, no mode."""
    found = _of(modes=modes)
    assert (_legacy(found), found.sessions[0].mode) == ([], None)


def test_a_set_that_succeeds() -> None:
    """Success says nothing more, so that whether it was honoured is unknown; the mode is the one asked for."""
    found = _of(prompt(1), _set(2, "code"), answer(2), stop(1))
    entry = _legacy(found)[-1]
    assert (entry.frame, entry.cause, entry.requested_id, entry.requested_value) == (
        7,
        "set",
        "mode",
        '"code"',
    )
    assert (entry.asked_frame, entry.honoured, entry.error_code, entry.turn) == (6, None, None, 0)
    assert _changed(found)[1:] == [(7, "mode", "value", '"ask"', '"code"')]
    assert found.sessions[0].mode == "code"


def test_a_set_that_fails() -> None:
    """The mode stays."""
    found = _of(_set(1, "code"), refuse(1, -32602))
    entry = _legacy(found)[-1]
    assert (entry.frame, entry.honoured, entry.error_code) == (6, False, -32602)
    assert found.sessions[0].mode == "ask"
    assert len(_changed(found)) == 1


def test_an_update_by_the_agent() -> None:
    """By the schema's name; by another one, or of another type, it says nothing."""
    found = _of(_update("code"), _update("ask", "modeId"), _update(5), up("current_mode_update"))
    assert [(one.frame, one.cause, one.asked_frame) for one in _legacy(found)[1:]] == [
        (5, "agent", None),
    ]
    assert [one[2:] for one in _changed(found)[1:]] == [
        ("value", '"ask"', '"code"'),
    ]


def test_an_update_that_holds_what_is_being_asked_for_knows_the_request() -> None:
    """While the set is open, and only if it is that mode."""
    found = _of(_set(1, "code"), _update("plan"), _update("code"), answer(1), _update("code"))
    assert [(one.frame, one.asked_frame) for one in _legacy(found)[1:]] == [
        (6, None),
        (7, 5),
        (8, 5),
        (9, None),
    ]


def test_an_unchanged_mode_is_an_entry_without_changes() -> None:
    """As with options."""
    found = _of(_update("ask"), _set(1, "ask"), answer(1))
    assert (len(_legacy(found)), len(_changed(found))) == (3, 1)


def test_other_modes_to_choose_from_are_a_change() -> None:
    """When the session is opened again."""
    again = [ask(1, "session/load", sessionId="s"), answer(1, modes=_modes("ask", "ask", "code", "plan"))]
    found = _of(*again)
    assert _changed(found)[1:] == [(6, "mode", "choices", '["ask","code"]', '["ask","code","plan"]')]
    assert _changed(_of(ask(1, "session/load", sessionId="s"), answer(1, modes=_modes())))[1:] == []


def test_the_first_mode_may_come_by_an_update() -> None:
    """Nothing was there before it."""
    assert _changed(_of(_update("code"), modes=None)) == [(5, "mode", "added", None, '"code"')]


def test_modes_and_the_option_have_a_ledger_each() -> None:
    """Both entries of one response, told apart by `legacy`."""
    found = _of(configOptions=[_option("ask")])
    assert [(one.frame, one.legacy) for one in found.config_entries] == [(4, False), (4, True)]
    assert (found.sessions[0].config, found.sessions[0].mode) == ('{"mode":"ask"}', "ask")


def test_a_disagreement_counts_where_it_lasts() -> None:
    """At the next prompt, and at the end; the frame is the one since which it is so."""
    both = {"configOptions": [_option("ask")]}
    assert _disagreements(_of(_update("code"), **both)) == [5]
    assert _disagreements(_of(_update("code"), up("usage_update"), prompt(1), stop(1), **both)) == [5]
    assert _disagreements(_of(_update("code"), _update("ask"), **both)) == []


def test_a_disagreement_is_looked_for_by_category() -> None:
    """The first option of category `mode`, whatever its id; without one nothing can disagree."""
    assert _disagreements(_of(configOptions=[_option("code", id="permission")])) == [4]
    assert _disagreements(_of(configOptions=[_option("code", category="model")])) == []
    assert _disagreements(_of(configOptions=[_option("ask"), _option("code", id="second")])) == []
    assert _disagreements(_of(configOptions=[_option("code")], modes=None)) == []


def test_a_failed_set_leaves_the_agreement() -> None:
    """Of the mode, and of the option."""
    option = ask(2, "session/set_config_option", sessionId="s", configId="mode", value="code")
    found = _of(_set(1, "code"), refuse(1, -32603), option, refuse(2, -32603), configOptions=[_option("ask")])
    assert _disagreements(found) == []
