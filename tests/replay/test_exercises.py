"""What an agent announces becomes a script that tries it; what a trace has tried of it is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.replay.plan.recording import Recording, read
from acp_trace.replay.written.announced import OfferedOption, announced, exercised
from acp_trace.replay.written.exercises import DriveWish, conversation, exercises, other_values
from acp_trace.replay.written.form import script
from acp_trace.replay.written.spelling import spelled, step_text
from acp_trace.replay.written.steps import VERBS, After, WrittenStep
from acp_trace.trace.parse import Parser
from tests.support import error, request, result, trace

_OPTION: dict[str, Any] = {
    "id": "model", "name": "Model", "type": "select", "currentValue": "b",
    "options": [{"value": each, "name": each} for each in "abcdef"],
}  # fmt: skip
_CAN = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "audio": False},
    "sessionCapabilities": {"list": {}, "close": {}, "fork": None},
}
_OPENED: dict[str, Any] = {
    "sessionId": "s",
    "modes": {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    },
    "configOptions": [_OPTION, {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False}],
}


def recording(*frames: Any, can: Any = None) -> Recording:
    """A trace in which a session was opened, and then these frames."""
    about = {"name": "tester", "version": "1.2"}
    began = [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1, agentCapabilities=_CAN if can is None else can, agentInfo=about,
                         authMethods=[{"id": "key", "name": "Key"}])),
        ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(1, **_OPENED)),
    ]  # fmt: skip
    return read(list(Parser().feed(trace(*began, *frames))))


def test_what_is_announced() -> None:
    """Capabilities, modes, options with their values, logins; null announces nothing."""
    said = announced(recording())
    assert (said.agent, said.modes, said.mode, said.logins) == (
        "tester 1.2",
        ("ask", "code"),
        "ask",
        ("key",),
    )
    assert [(option.id, option.current, option.values) for option in said.options] == [
        ("model", "b", tuple("abcdef")), ("fast", False, (True, False)),
    ]  # fmt: skip
    paths = [
        "loadSession",
        "sessionCapabilities.list",
        "promptCapabilities.audio",
        "sessionCapabilities.fork",
    ]
    assert [said.has(path) for path in paths] == [True, True, False, False]


@pytest.mark.parametrize("can", [[], "x", {"sessionCapabilities": []}, {"promptCapabilities": None}])
def test_odd_announcements_announce_nothing(can: Any) -> None:
    """And raise nothing."""
    said = announced(recording(can=can))
    assert not said.has("sessionCapabilities.list")
    assert exercises(said, DriveWish())
    assert announced(Recording()).agent == ""


def test_all_of_it_is_tried() -> None:
    """Other values, and back; nothing that is not announced; sessions of its own alone are closed."""
    parts = exercises(announced(recording()), DriveWish(prompts=["Hi"], login="key"))
    told = [step_text(step) for part in parts for step in part.steps]
    assert told[0] == '{ authenticate = "key" }'
    assert [text for text in told if "set_option" in text] == [
        *(f'{{ set_option = "model", value = "{value}", session = "main" }}' for value in "acdb"),
        '{ set_option = "fast", value = true, session = "main" }',
        '{ set_option = "fast", value = false, session = "main" }',
    ]
    assert [text for text in told if "set_mode" in text] == [
        '{ set_mode = "code", session = "main" }', '{ set_mode = "ask", session = "main" }',
    ]  # fmt: skip
    assert [*other_values(OfferedOption("x", "gone", ()), "main")] == []
    verbs = {step.verb for part in parts for step in part.steps}
    assert {"load", "list", "close"} <= verbs
    assert not verbs & {"fork", "resume", "delete", "logout"}
    assert any('content = ["image"]' in text for text in told)
    assert not any("audio" in text for text in told)


def test_a_script_says_what_it_does() -> None:
    """As it is printed, it is read again; each part has its comment."""
    wanted = DriveWish(cancel_prompt='Say "no"\n\x7f\x9b\u202e\U000e0001', permission="allow_once")
    parts = exercises(announced(recording()), wanted)
    written = conversation(parts, wanted)
    text = spelled(["node", "a b.js"], written, parts)
    assert script(text) == (("node", "a b.js"), written)
    assert text.replace("\n", "").isprintable()
    assert text.count("\n  # ") == len(parts)
    elsewhere = spelled(["node", "a b.js"], written, parts, "/a b")
    assert elsewhere.startswith('agent = ["node", "a b.js"]  # start it with --agent-cwd "/a b"\n')
    assert script(elsewhere) == script(text)


@given(
    st.lists(
        st.builds(
            WrittenStep,
            st.sampled_from(
                [verb for verb, row in VERBS.items() if row.value == "text" and verb != "set_option"]
            ),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
            st.just({}),
            st.none(),
            st.booleans(),
            st.one_of(
                st.none(),
                st.integers(1, 9).map(lambda seconds: After(ns=seconds * 1_000_000_000)),
                st.integers(0, 99).map(lambda number: After(updates=number)),
                st.sampled_from(["tool_call", "permission", "fs/read_text_file", "_own/kind"]).map(
                    lambda kind: After(seen=kind)
                ),
            ),
        ),
        max_size=4,
        min_size=1,
    )
)
def test_any_step_is_read_as_it_was_written(steps: list[WrittenStep]) -> None:
    """Whatever its text has in it."""
    first = WrittenStep("new", "a")
    text = "steps = [" + ", ".join(step_text(step) for step in (first, *steps)) + "]"
    assert script(text)[1].steps == (first, *steps)


def test_what_was_tried_is_told() -> None:
    """One success is enough; an error is told with its words; what nobody tried is told, too."""
    image = {"type": "image", "mimeType": "image/png", "data": ""}
    found = recording(
        ("client", request(2, "session/set_mode", sessionId="s", modeId="code")),
        ("agent", error(2, -32603, "No")),
        (
            "client",
            request(
                3, "session/set_config_option", sessionId="s", configId="fast", value=True, type="boolean"
            ),
        ),
        ("agent", error(3, -32603, "Not now")),
        (
            "client",
            request(
                4, "session/set_config_option", sessionId="s", configId="fast", value=True, type="boolean"
            ),
        ),
        ("agent", result(4, configOptions=[])),
        ("client", request(5, "session/prompt", sessionId="s", prompt=[image])),
    )
    told = {feature.name: (feature.status, feature.why) for feature in exercised(found, announced(found))}
    assert told == {
        "session/new": ("done", ""),
        "session/prompt": ("unanswered", ""),
        "session/cancel": ("not exercised", ""),
        "session/load": ("not exercised", ""),
        "session/list": ("not exercised", ""),
        "session/close": ("not exercised", ""),
        "prompt with image": ("unanswered", ""),
        "mode ask": ("not exercised", ""),
        "mode code": ("refused", "No (-32603)"),
        "option model": ("not exercised", ""),
        "option fast": ("done", ""),
        "login key": ("not exercised", ""),
    }
