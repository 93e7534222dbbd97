"""The config ledger: who changed what, and whether a set was honoured (docs/report.md, Configuration)."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.facts import ConfigEntry, Facts
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, answer, ask, opened, prompt, refuse, stop, up
from tests.support import facts_of


def _option(id: str = "model", value: Any = "a", **more: Any) -> dict[str, Any]:
    choices = [{"value": one, "name": one} for one in "abc"]
    return {"id": id, "name": id, "type": "select", "currentValue": value, "options": choices, **more}


def _set(number: int, value: Any, option: Any = "model") -> Said:
    return ask(number, "session/set_config_option", sessionId="s", configId=option, value=value)


def _listed(number: int, *options: Any) -> Said:
    return answer(number, configOptions=list(options))


def _told(*options: Any) -> Said:
    return up("config_option_update", configOptions=list(options))


def _of(*said: Said, options: Any = None) -> Facts:
    return facts_of(*start(configOptions=[_option()] if options is None else options), *said)


def _entry(found: Facts, at: int = -1) -> ConfigEntry:
    return found.config_entries[at]


def _changed(found: Facts, frame: int) -> list[tuple[str | None, str, str | None, str | None]]:
    return [
        (one.option, one.change, one.before, one.after) for one in found.config_changes if one.frame == frame
    ]


def test_setup_is_the_first_state() -> None:
    """Everything was added, by the response that opened the session."""
    found = _of(options=[_option("z", "b"), _option("a", "c")])
    (entry,) = found.config_entries
    assert (entry.session_id, entry.frame, entry.t_ns, entry.cause, entry.legacy) == (
        "s",
        4,
        4000,
        "setup",
        False,
    )
    assert (entry.requested_id, entry.asked_frame, entry.honoured, entry.turn) == (None, None, None, None)
    assert _changed(found, 4) == [("z", "added", None, '"b"'), ("a", "added", None, '"c"')]
    assert found.sessions[0].config == '{"z":"b","a":"c"}'


@pytest.mark.parametrize("said", [{}, {"configOptions": None}])
def test_a_setup_that_says_nothing_is_no_entry(said: dict[str, Any]) -> None:
    """Absent or null: unknown, which is not empty."""
    found = facts_of(*start(**said))
    assert (found.config_entries, found.config_changes, found.sessions[0].config) == ([], [], "{}")


def test_a_later_setup_without_options_leaves_the_state() -> None:
    """session/load says nothing of them; session/resume replaces all."""
    found = _of(
        ask(1, "session/load", sessionId="s"), answer(1),
        ask(2, "session/resume", sessionId="s"), _listed(2, _option("model", "b")),
    )  # fmt: skip
    assert [(one.frame, one.cause) for one in found.config_entries] == [(4, "setup"), (8, "setup")]
    assert _changed(found, 8) == [("model", "value", '"a"', '"b"')]


def test_a_set_that_is_honoured() -> None:
    """The entry's frame is the response; it knows the request."""
    found = _of(prompt(1), _set(2, "b"), _listed(2, _option(value="b")), stop(1))
    entry = _entry(found)
    assert (entry.frame, entry.cause, entry.requested_id, entry.requested_value) == (7, "set", "model", '"b"')
    assert (entry.asked_frame, entry.honoured, entry.error_code, entry.turn) == (6, True, None, 0)
    assert _changed(found, 7) == [("model", "value", '"a"', '"b"')]


@pytest.mark.parametrize(
    ("value", "now", "honoured"),
    [
        ("b", "b", True),
        ("a", "a", True),
        ("b", "a", False),
        (True, True, True),
        (1, True, False),
        (1, 1.0, False),
        ("1", 1, False),
    ],
)
def test_honoured_means_the_value_that_was_asked_for(value: Any, now: Any, honoured: bool) -> None:
    """Compared as JSON: a value is not its spelling."""
    found = _of(_set(1, value), _listed(1, _option(value=now)))
    assert _entry(found).honoured is honoured
    assert ("set-not-honoured" in [one.code for one in found.findings]) is not honoured


def test_an_option_that_is_gone_is_not_honoured() -> None:
    """And a cascade tells what else went."""
    found = _of(_set(1, "b"), _listed(1, _option("other")), options=[_option(), _option("effort")])
    assert _entry(found).honoured is False
    assert _changed(found, 6) == [
        ("model", "removed", '"a"', None),
        ("effort", "removed", '"a"', None),
        ("other", "added", None, '"a"'),
    ]


def test_a_set_that_fails_changes_nothing() -> None:
    """An entry with its error, whatever the state is."""
    found = _of(_set(1, "z"), refuse(1, -32602), _set(2, "b"), _listed(2, _option(value="b")))
    failed = _entry(found, 1)
    assert (failed.frame, failed.cause, failed.honoured, failed.error_code) == (6, "set", False, -32602)
    assert (failed.requested_value, failed.asked_frame) == ('"z"', 5)
    assert _changed(found, 6) == []
    assert found.sessions[0].config == '{"model":"b"}'


@pytest.mark.parametrize("listed", [{}, {"configOptions": None}, {"configOptions": {"model": "b"}}])
def test_a_response_without_a_list_cannot_say(listed: dict[str, Any]) -> None:
    """The set is an entry, honoured is unknown, the state stays."""
    found = _of(_set(1, "b"), answer(1, **listed))
    entry = _entry(found)
    assert (entry.frame, entry.cause, entry.honoured, entry.error_code) == (6, "set", None, None)
    assert [one.code for one in found.findings] == ["option-malformed"]
    assert found.sessions[0].config == '{"model":"a"}'


def test_an_update_without_a_list_is_no_entry() -> None:
    """There is no state in it."""
    found = _of(up("config_option_update"), up("config_option_update", configOptions="x"))
    assert [one.frame for one in found.config_entries] == [4]
    (finding,) = found.findings
    assert (finding.code, finding.frame, finding.count) == ("option-malformed", 5, 2)


def test_the_agent_changes_it_by_itself() -> None:
    """In a turn or out of one; also where nothing is different."""
    found = _of(_told(_option()), prompt(1), _told(_option(value="c")), stop(1))
    unchanged, changed = found.config_entries[1:]
    assert (unchanged.cause, unchanged.turn, changed.cause, changed.turn) == ("agent", None, "agent", 0)
    assert unchanged.honoured is changed.honoured is None
    assert (_changed(found, 5), _changed(found, 7)) == ([], [("model", "value", '"a"', '"c"')])


def test_an_update_that_holds_what_is_being_asked_for_knows_the_request() -> None:
    """While the set is open, and only if it is that value; the agent's update is still the agent's."""
    found = _of(
        _set(1, "b"),
        _told(_option(value="c")),
        _told(_option(value="b")),
        _listed(1, _option(value="b")),
        _told(_option(value="b")),
    )
    assert [(one.frame, one.cause, one.asked_frame) for one in found.config_entries[1:]] == [
        (6, "agent", None),
        (7, "agent", 5),
        (8, "set", 5),
        (9, "agent", None),
    ]
    assert _changed(found, 8) == []


def test_an_update_may_answer_a_set_mode() -> None:
    """The option of category `mode` is what the legacy request changes."""
    mode = _option("permission", category="mode")
    found = _of(
        ask(1, "session/set_mode", sessionId="s", modeId="b"),
        _told({**mode, "currentValue": "b"}),
        answer(1),
        options=[mode],
    )
    (entry,) = [one for one in found.config_entries if one.frame == 6]
    assert entry.asked_frame == 5


def test_two_sets_at_once_are_answered_each_by_its_response() -> None:
    """States apply in the order of the wire."""
    found = _of(
        _set(1, "b"), _set(2, "x", "effort"),
        _listed(2, _option(), _option("effort", "x")), _listed(1, _option(value="b"), _option("effort", "x")),
        options=[_option(), _option("effort")],
    )  # fmt: skip
    assert [
        (one.frame, one.asked_frame, one.requested_id, one.honoured) for one in found.config_entries[1:]
    ] == [
        (7, 6, "effort", True),
        (8, 5, "model", True),
    ]
    assert (_changed(found, 7), _changed(found, 8)) == (
        [("effort", "value", '"a"', '"x"')],
        [("model", "value", '"a"', '"b"')],
    )


def test_a_fork_has_a_ledger_of_its_own() -> None:
    """The state of the copied session stays where it is."""
    found = _of(
        ask(1, "session/fork", sessionId="s"), answer(1, sessionId="f", configOptions=[_option(value="c")])
    )
    assert {one.session_id: one.config for one in found.sessions} == {
        "s": '{"model":"a"}',
        "f": '{"model":"c"}',
    }


def test_sessions_do_not_mix() -> None:
    """A set names its session; the other one's update is not its answer."""
    found = _of(
        *opened("t", configOptions=[_option()]),
        ask(1, "session/set_config_option", sessionId="t", configId="model", value="b"),
        _told(_option(value="b")),
        _listed(1, _option(value="b")),
    )
    told = {(one.session_id, one.frame, one.asked_frame) for one in found.config_entries}
    assert told == {("s", 4, None), ("t", 6, None), ("s", 8, None), ("t", 9, 7)}


def test_a_set_that_names_no_option_is_an_entry_all_the_same() -> None:
    """What was asked for is unknown, and not honoured."""
    found = _of(_set(1, "b", option=5), _listed(1, _option()))
    entry = _entry(found)
    assert (entry.requested_id, entry.requested_value, entry.honoured) == (None, '"b"', False)
