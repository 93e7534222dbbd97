"""Lines that are no JSON, read with patience."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.redact.odd import Odd
from acp_trace.redact.rules import RULES

NEW: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "session/new",
    "params": {
        "cwd": "/w",
        "mcpServers": [
            {
                "name": "x",
                "args": ["--token", "argvalue1", "--quiet"],
                "env": [{"name": "A", "value": "envvalue1"}],
                "headers": [{"name": "B", "value": "Bearer headervalue1"}],
            },
            {"name": "y", "env": {"C": "envvalue2"}},
        ],
    },
}
TEXT = json.dumps(NEW)
SECRETS = ["argvalue1", "envvalue1", "headervalue1", "envvalue2"]


def taken(*lines: str) -> list[str | None]:
    """The secrets of these lines of one side; each stands where it is said to be."""
    odd = Odd(RULES)
    found: list[str | None] = []
    for text in lines:
        for one in odd.spans(text):
            assert one.secret is None or "\\" in text or text[one.start : one.end] == one.secret
            found.append(one.secret)
    return found


@pytest.mark.parametrize(
    "text",
    [
        TEXT[:-1] + ',"x":NaN}',
        "\ufeff" + TEXT,
        TEXT[:-5],
        TEXT + '{"jsonrpc":"2.0","method":"x"}',
        '{"jsonrpc":"2.0","method":"x"}' + TEXT,
        TEXT[:-1] + ',"x":' + "[" * 1100 + "NaN",
        TEXT[:-1] + ",}",
        "/* x */ " + TEXT,
        str(NEW),
        TEXT.replace("session/new", "session\\/new"),
        TEXT.replace("session/new", "x/y"),
        TEXT[20:],
    ],
    ids=range(12),
)
def test_a_session_that_is_no_json(text: str) -> None:
    """Nothing of it is left, whatever is wrong with it."""
    assert taken(text) == SECRETS


@pytest.mark.parametrize("indent", [0, 1, "\t"])
def test_a_message_over_several_lines(indent: int | str) -> None:
    """What is open goes on."""
    assert taken(*json.dumps(NEW, indent=indent).split("\n")) == SECRETS


def test_a_string_without_its_end() -> None:
    """To the end of the line; what comes next belongs to it, unless a message begins there."""
    at = TEXT.index("envvalue1") + 3
    assert taken(TEXT[:at]) == ["argvalue1", "env"]
    assert taken(TEXT[:at], TEXT[at:]) == ["argvalue1", "env", "value1", *SECRETS[2:]]
    assert taken(TEXT[:at], TEXT) == ["argvalue1", "env", *SECRETS]


def test_a_sound_line_ends_it() -> None:
    """Then what was open will not go on."""
    odd = Odd(RULES)
    odd.spans('{"env":{')
    odd.sound()
    assert odd.spans('"a":"b"') == []


@pytest.mark.parametrize(
    "message",
    [
        {"method": "authenticate", "params": {"methodId": "m", "_meta": {"a": ["secret99"], "n": 5}}},
        {"method": "providers/set", "params": {"apiKey": "secret99", "_meta": {"a": 5}}},
    ],
)
def test_other_methods(message: Any) -> None:
    """By the same rules; ids stay, numbers go."""
    assert set(taken(json.dumps(message)[:-1])) == {"secret99", None}


def test_an_answer_belongs_to_an_open_request() -> None:
    """If one is open whose answer is secret."""
    text = '{"id":1,"result":{"token":"secret99"},}'
    assert [one.secret for one in Odd(RULES).spans(text, ["authenticate"])] == ["secret99"]
    assert taken(text) == []


@pytest.mark.parametrize(
    "text", ["starting up", "don't [do] that", '{"a":"b"', "x = {1: 'y'}", '"method": "authenticate"']
)
def test_noise_stays(text: str) -> None:
    """No rule is about it."""
    assert taken(text) == []


@given(st.lists(st.text() | st.sampled_from([TEXT[:90], '"env":[', "{", "}", '"', "'", '"value":"x', "]"])))
def test_never_raises(lines: list[str]) -> None:
    """Spans are in order, and within the line."""
    odd = Odd(RULES)
    for text in lines:
        places = [at for one in odd.spans(text) for at in (one.start, one.end)]
        assert places == sorted(places)
        assert all(0 <= at <= len(text) for at in places)
