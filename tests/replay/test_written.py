"""A written conversation is read, and what means nothing is refused in one line."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.protocol import methods
from acp_trace.replay.written.form import _READINGS, WrittenError, conversation, script
from acp_trace.replay.written.steps import COMMON, VERBS, After, WrittenConversation, WrittenStep

NEW = WrittenStep("new", "session")


def steps(*given: Any) -> tuple[WrittenStep, ...]:
    """What these steps of a script become, without the session that is opened for them."""
    return conversation({"steps": list(given)}).steps


def test_a_prompt_is_a_text_or_a_table() -> None:
    """Both make a step, in a session that is opened for them; what is not said is not there."""
    found = conversation({"prompts": ["Hello", {"text": "Go on", "permission": "no", "cancel_after": 0}]})
    assert found.steps == (
        NEW,
        WrittenStep("prompt", "Hello"),
        WrittenStep("prompt", "Go on", {"permission": "no", "cancel_after": 0}),
        WrittenStep("cancel", True, after=After(updates=0)),
    )
    assert found.prompts == 2


def test_all_can_be_said() -> None:
    """Answers may be a list, which becomes a tuple."""
    given = {
        "prompts": ["x"],
        "permission": ["a", "b"],
        "files": True,
        "terminals": True,
        "elicitation": "accept",
    }
    found = conversation(given)
    expected = (NEW, WrittenStep("prompt", "x"))
    assert found == WrittenConversation(
        expected, ("a", "b"), files=True, terminals=True, elicitation="accept"
    )


def test_each_step_can_be_read() -> None:
    """Every word that a step may have, has its reader."""
    for verb in VERBS.values():
        assert {verb.value, *verb.beside.values(), *COMMON.values()} <= _READINGS.keys()
        assert set(verb.params.values()) <= {"", *verb.beside}
        assert not verb.method or verb.method in methods.BY_NAME


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("200ms", After(ns=200_000_000)),
        ("1.5s", After(ns=1_500_000_000)),
        ("3 updates", After(updates=3)),
        ("1 update", After(updates=1)),
        ("tool_call", After(seen="tool_call")),
        ("1 update or 5s", After(updates=1, ns=5_000_000_000)),
    ],
)
def test_a_step_may_come_in_the_middle_of_a_turn(text: str, after: After) -> None:
    """By time, by number, or by kind."""
    assert steps({"new": "a"}, {"cancel": True, "after": text})[-1].after == after


def test_a_session_is_opened_for_the_first_step_that_needs_one() -> None:
    """Unless the script opens one itself."""
    assert [step.verb for step in steps({"list": True}, {"prompt": "x"}, {"prompt": "y"})] == [
        "list", "new", "prompt", "prompt",
    ]  # fmt: skip
    assert [step.verb for step in steps({"load": "x"}, {"set_mode": "m"})] == ["load", "set_mode"]


def test_a_script_may_name_the_agent() -> None:
    """A file of TOML."""
    assert script('agent = ["a", "--acp"]\nprompts = ["x"]')[0] == ("a", "--acp")
    assert script('steps = [{ prompt = "x" }]')[0] == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Hello", "it is 'Hello': it must be a table with prompts, steps, permission, files, terminals"),
        ({}, "it has no prompts"),
        ({"prompts": []}, "it has no prompts"),
        ({"prompts": "Hello"}, "prompts is 'Hello': it must be a list"),
        ({"prompts": [1]}, "a prompt is 1: it must be a table with text, permission, cancel_after"),
        ({"prompts": [""]}, "a prompt has no text"),
        ({"prompts": [{}]}, "a prompt has no text"),
        ({"prompts": [{"text": 1}]}, "text is 1: it must be a string"),
        ({"prompts": [{"text": "x", "cancel_afer": 1}]}, "no 'cancel_afer'; did you mean cancel_after?"),
        ({"prompts": [{"text": "x", "cancel_after": -1}]}, "cancel_after is -1: it must be a number"),
        ({"prompts": [{"text": "x", "cancel_after": True}]}, "cancel_after is True: it must be a number"),
        ({"prompts": ["x"], "permission": ""}, "permission is '': it must be an answer"),
        ({"prompts": ["x"], "permission": [1]}, "permission is [1]: it must be an answer"),
        ({"prompts": ["x"], "files": "yes"}, "files is 'yes': it must be true or false"),
        (
            {"prompts": ["x"], "elicitation": "ok"},
            "elicitation is 'ok': it must be accept or decline or cancel",
        ),
        ({"prompts": ["x"], "steps": [{"prompt": "x"}]}, "it has prompts and steps"),
        ({"steps": {}}, "steps is {}: it must be a list of tables"),
        ({"steps": [1]}, "step 1 is 1: it must be a table"),
        ({"steps": [{}]}, "step 1 has no verb: give one of authenticate"),
        ({"steps": [{"promt": "x"}]}, "step 1 has no verb (promt; did you mean prompt?)"),
        ({"steps": [{"prompt": "x", "list": True}]}, "step 1 has two verbs, prompt and list"),
        ({"steps": [{"list": False}]}, "step 1: list is False"),
        ({"steps": [{"prompt": "x", "sesion": "a"}]}, "step 1 has no 'sesion'; did you mean session?"),
        ({"steps": [{"set_option": "x"}]}, "step 1: set_option needs `value`"),
        ({"steps": [{"set_option": "x", "value": 1}]}, "value is 1: it must be a string, or true or false"),
        ({"steps": [{"pause": "2 hours"}]}, "pause is '2 hours': it must be a time up to an hour"),
        ({"steps": [{"cancel": True, "after": "soon!"}]}, "after is 'soon!': it must be 200ms, 3 updates"),
        ({"steps": [{"cancel": True, "after": "tool_cal"}]}, "after is 'tool_cal'"),
        ({"steps": [{"prompt": "x", "session": "a"}, {"new": "a"}]}, "no step before it opens session 'a'"),
        ({"steps": [{"cancel": True, "by": "x"}]}, "by is 'x': it must be notification or request"),
        ({"steps": [{"prompt": "x", "content": ["video"]}]}, "content has 'video': it must be image, audio"),
        ({"steps": [{"request": "x", "params": {"a": object}}]}, "which is not a JSON value"),
        ({"steps": [{"new": "a", "additional_directories": "x"}]}, "it must be a list of strings"),
        ({"steps": [{"new": "a", "mcp_servers": "x"}]}, "mcp_servers is 'x': it must be a list of tables"),
    ],
)
def test_what_means_nothing_is_refused(given: object, said: str) -> None:
    """In one line."""
    with pytest.raises(WrittenError) as error:
        conversation(given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["steps = [", "agent = 1\nprompts = ['x']", "x" * 10, "a = " + "[" * 9999])
def test_a_file_that_is_no_script_is_refused(text: str) -> None:
    """In one line, too."""
    with pytest.raises(WrittenError) as error:
        script(text)
    assert "\n" not in str(error.value)
