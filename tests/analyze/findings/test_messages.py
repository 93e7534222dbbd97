"""What findings say: one line that names what was seen, with the frames that belong to it."""

from __future__ import annotations

import pytest

from tests.analyze.findings.scenario import Scenario, hello, start
from tests.analyze.findings.test_codes import SCENARIOS
from tests.reading.talk import Said, answer, ask, cancel, prompt, refuse, reply, stop, tell, up, words
from tests.rows import each
from tests.support import analyzed

_ALL = [scenario for scenarios in SCENARIOS.values() for scenario in scenarios if scenario.raises]
_PROMPTED: list[Said] = [*start(), prompt(1)]


def _said(*said: Said) -> list[str]:
    scenario = Scenario("", "", list(said), (), raises=False, step=1000)
    return [one.message for one in analyzed(scenario.file)[0].findings]


_NO = "as of 2026-11-02 has no"
_NEWER = "newer than acp-trace, or not part of ACP"


def test_a_message_is_one_short_line() -> None:
    """Never empty, never a whole frame, no trace of Python's own words."""

    def check(scenario: Scenario) -> None:
        for one in analyzed(scenario.file)[0].findings:
            assert one.message
            assert len(one.message) <= 300
            assert not {"\n", "\r"} & set(one.message)
            assert "None" not in one.message

    each(_ALL, check, lambda one: f"{one.code}: {one.name}")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([*hello(), ("agent", b"npm WARN")], 'not JSON: "npm WARN"'),
        ([*hello(), ("agent", b"\xff")], 'not UTF-8 at byte 0: "\ufffd"'),
        ([*hello(), ("agent", {"jsonrpc": "2.0"})], "neither a method nor a result nor an error"),
        ([*hello(), ("agent", 5)], "not an object"),
        ([*hello(), ask(1, "x/y"), answer(1)], f'protocol 1 {_NO} method "x/y": {_NEWER}'),
        ([*hello(2), ask(1, "x/y"), answer(1)], f'draft 2 of the protocol {_NO} method "x/y": {_NEWER}'),
        ([*hello(3), ask(1, "x/y"), answer(1)], f'the protocol {_NO} method "x/y": {_NEWER}'),
        ([*hello(), ask(1, "auth/login"), answer(1)], 'protocol 1 has no method "auth/login" (another version has it)'),
        ([*start(), up("nonsense")], f"protocol 1 {_NO} update nonsense: {_NEWER}"),
        ([*start(), tell("agent", "session/update", sessionId="s")], "an update without a kind"),
        ([*hello(), answer(9)], "no request has the id 9"),
        ([*hello(), ("agent", {"jsonrpc": "2.0", "result": {}})], "a response without an id"),
        ([*hello(), ask(1, "_x"), reply(1), answer(1)], "no request has the id 1"),
        ([*_PROMPTED, stop(1, "done")], "unknown stop reason done"),
        ([*_PROMPTED, answer(1)], "no stop reason"),
        ([*_PROMPTED, cancel(), stop(1, "refusal")], "refusal, not cancelled, after session/cancel #6 and 0 updates"),
        ([*_PROMPTED, cancel(), words(), stop(1)], "end_turn, not cancelled, after session/cancel #6 and 1 update"),
        ([*_PROMPTED, cancel(), words(), words(), stop(1)], "end_turn, not cancelled, after session/cancel #6 and 2 updates"),
        ([*_PROMPTED, cancel(), refuse(1, -32603)], "error -32603 after session/cancel #6"),
        ([*_PROMPTED, tell("client", "$/cancel_request", requestId=1), words(), stop(1)], "1 update after $/cancel_request #6, then end_turn"),
        ([*start(), up("session_info_update", title="x" * 501)], "a title of 501 characters"),
    ],
)  # fmt: skip
def test_what_a_message_says(said: list[Said], message: str) -> None:
    """What was seen, and where to look."""
    assert _said(*said) == [message]


def test_what_no_version_has_is_a_warning() -> None:
    """It may be newer than our tables; what another version has is an error, and what is newer than npm's none."""
    said = [
        *start(),
        ask(1, "x/y"),
        answer(1),
        ask(2, "auth/login", methodId="m"),
        answer(2),
        prompt(3),
        up("nonsense"),
        up("agent_message"),
    ]
    said += [up("cursor_update"), up("prompt_suggestions_update"), stop(3)]
    scenario = Scenario("", "", said, (), raises=False, step=1000)
    found = [(one.code, one.severity) for one in analyzed(scenario.file)[0].findings]
    assert found == [
        ("unknown-method", "warning"),
        ("unknown-method", "error"),
        ("unknown-update", "warning"),
        ("unknown-update", "error"),
    ]
