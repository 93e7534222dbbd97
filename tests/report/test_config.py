"""Configuration and metadata: told once in the timeline, as they change, and once as they are at the end."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console

from acp_trace.analyze.facts import Facts
from acp_trace.report.text.show import Page, show
from acp_trace.report.text.timeline import events
from tests.analyze.findings.scenario import hello, start
from tests.reading.talk import Said, answer, ask, opened, refuse, up
from tests.support import facts_of


def _option(value: str, id: str = "model", **more: Any) -> dict[str, Any]:
    choices = [{"value": one, "name": one} for one in ("a", "b")]
    return {"id": id, "name": id, "type": "select", "currentValue": value, "options": choices, **more}


def _set(number: int, value: str, **params: Any) -> Said:
    return ask(number, "session/set_config_option", sessionId="s", configId="model", value=value, **params)


def _mode(number: int, mode: str) -> Said:
    return ask(number, "session/set_mode", sessionId="s", modeId=mode)


def _timeline(found: Facts) -> list[tuple[str, str, str]]:
    return [(event.name, event.what, event.how) for _, event in events(found) if event.name != "new"]


def _screen(found: Facts, *sections: str, width: int = 80, all_: bool = False) -> list[str]:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    show(console, Page(found, [], False, width, all_), sections)
    return out.getvalue().splitlines()[1:]


def test_set_mode_reads_as_a_change() -> None:
    """Also if nobody has said what the mode was."""
    modes = {"currentModeId": "ask", "availableModes": []}
    assert _timeline(facts_of(*start(modes=modes), _mode(1, "code"), answer(1))) == [
        ("mode", "ask → code", "applied")
    ]
    assert _timeline(facts_of(*start(), _mode(1, "code"), answer(1))) == [("mode", "code", "applied")]


def test_what_came_of_a_config_change() -> None:
    """Applied, with the update that said so first; no change; not applied; an error; by the agent alone."""
    found = facts_of(
        *start(configOptions=[_option("a")]),
        _set(1, "b"),
        up("config_option_update", configOptions=[_option("b")]),
        answer(1, configOptions=[_option("b")]),
        _set(2, "b"),
        answer(2, configOptions=[_option("b")]),
        _set(3, "a"),
        answer(3, configOptions=[_option("b")]),
        _set(4, "c"),
        refuse(4, -32602),
        up("config_option_update", configOptions=[_option("a")]),
        _set(5, "b"),
        answer(5, configOptions=[_option("b")]),
    )
    assert _timeline(found) == [
        ("config", "model a → b", "by agent for #5"),
        ("config", "model b", "applied in #6"),
        ("config", "model b", "no change"),
        ("config", "model a", "not applied"),
        ("config", "model c", "error -32602"),
        ("config", "model b → a", "by agent"),
        ("config", "model a → b", "applied"),
    ]
    assert _screen(found, "config") == [
        "   model  b",
        "          a (#4 on opening) → b (#6 by agent) → a (#14 by agent) → b",
        "          (#16 by client) · not applied: a #11 · not applied: c #13",
    ]


def test_the_final_state_of_options() -> None:
    """In their order; then what was removed, and the legacy mode. A value that never changed has no history."""
    found = facts_of(
        *start(
            configOptions=[_option("a"), _option("a", "effort")],
            modes={"currentModeId": "ask", "availableModes": []},
        ),
        up("config_option_update", configOptions=[_option("a", options=[{"value": "a", "name": "a"}])]),
    )
    assert _screen(found, "config") == [
        "   model          a",
        "                  choices −b #5",
        "   effort         ∅",
        "                  a (#4 on opening) → ∅ (#5 by agent)",
        "   mode (legacy)  ask",
    ]


def test_a_long_history_is_counted() -> None:
    """And told whole with --all."""
    updates = [
        up("config_option_update", configOptions=[_option("ab"[number % 2])]) for number in range(1, 9)
    ]
    found = facts_of(*start(configOptions=[_option("a")]), *updates)
    assert _screen(found, "config") == ["   model  a", "          8 changes, the last in #12 by agent"]
    assert _screen(found, "config", all_=True)[1].startswith(
        "          a (#4 on opening) → b (#5 by agent) →"
    )


def test_the_final_state_of_metadata() -> None:
    """title, updatedAt and each leaf of _meta; several sessions stand under their heads."""
    found = facts_of(
        *hello(),
        *opened("s"),
        *opened("t"),
        up("session_info_update", title="A", updatedAt="2026-11-20T13:00:00Z", _meta={"a": {"b": [1]}}),
        up("session_info_update", title="B", _meta={"a": {"b": None}}),
    )
    assert _screen(found, "metadata") == [
        ' S1  "B"  /w',
        "   title      B",
        "              A (#7) → B (#8)",
        "   updatedAt  2026-11-20T13:00:00Z",
        "   _meta/a    {}",
    ]
    assert "              [1] (#7) → ∅ (#8)" in _screen(found, "metadata", all_=True)


def test_values_go_on_below_themselves() -> None:
    """None is cut."""
    found = facts_of(*start(), up("session_info_update", title="word " * 30))
    lines = _screen(found, "metadata", width=60)
    assert max(map(len, lines)) <= 60
    assert " ".join(lines).split() == ["title", *["word"] * 30]


def test_of_many_sessions_the_first_are_shown() -> None:
    """In each section that goes through them; all with --all."""
    said = [line for number in range(25) for line in opened(f"s{number}", configOptions=[_option("a")])]
    said += [up("session_info_update", session=f"s{number}", title="t") for number in range(25)]
    found = facts_of(*hello(), *said)
    for section in ("sessions", "timeline", "config", "metadata"):
        assert _screen(found, section)[-1] == " … and 5 more: show --all", section
        assert not any("more" in line for line in _screen(found, section, all_=True)), section
