"""A written conversation is read, and what means nothing is refused in one line."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from acp_trace.replay import written
from acp_trace.replay.written import WrittenConversation, WrittenError, WrittenTurn, conversation


def test_a_prompt_is_a_text_or_a_table() -> None:
    """Both make a turn; what is not said is not there."""
    found = conversation({"prompts": ["Hello", {"text": "Go on", "permission": "no", "cancel_after": 0}]})
    assert found == WrittenConversation((WrittenTurn("Hello"), WrittenTurn("Go on", "no", 0)))


def test_all_can_be_said() -> None:
    """Answers may be a list, which becomes a tuple."""
    found = conversation({"prompts": ["x"], "permission": ["a", "b"], "files": True, "terminals": True})
    assert found == WrittenConversation((WrittenTurn("x"),), ("a", "b"), files=True, terminals=True)


@pytest.mark.parametrize(
    ("keys", "of"), [(written._KEYS, WrittenConversation), (written._TURN_KEYS, WrittenTurn)]
)
def test_each_field_has_its_key(keys: dict[str, Any], of: type) -> None:
    """Nothing can be said that is not kept, and the other way round."""
    assert {name for name, _ in keys.values()} == {field.name for field in fields(of)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Hello", "it is 'Hello': it must be a table with prompts, permission, files, terminals"),
        ({}, "it has no prompts"),
        ({"prompts": []}, "it has no prompts"),
        ({"prompts": "Hello"}, "prompts is 'Hello': it must be a list"),
        ({"prompts": [1]}, "a prompt is 1: it must be a table with text, permission, cancel_after"),
        ({"prompts": [""]}, "a prompt has no text"),
        ({"prompts": [{}]}, "a prompt has no text"),
        ({"prompts": [{"text": 1}]}, "text is 1: it must be a text"),
        ({"prompts": [{"text": "x", "cancel_afer": 1}]}, "no 'cancel_afer'; did you mean cancel_after?"),
        ({"prompts": [{"text": "x", "cancel_after": -1}]}, "cancel_after is -1: it must be a number"),
        ({"prompts": [{"text": "x", "cancel_after": True}]}, "cancel_after is True: it must be a number"),
        ({"prompts": ["x"], "permission": ""}, "permission is '': it must be an answer"),
        ({"prompts": ["x"], "permission": [1]}, "permission is [1]: it must be an answer"),
        ({"prompts": ["x"], "files": "yes"}, "files is 'yes': it must be true or false"),
    ],
)
def test_what_means_nothing_is_refused(given: object, said: str) -> None:
    """In one line."""
    with pytest.raises(WrittenError) as error:
        conversation(given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
