"""What the two sides told each other in `initialize`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.analyze.handshake import Handshake
from acp_trace.protocol import capabilities
from acp_trace.protocol.message import Message, read
from tests.support import error, request, result


def _read(message: Any) -> Message:
    return read(json.dumps(message).encode())


def _shake(asked: dict[str, Any], answered: dict[str, Any]) -> Handshake:
    made = Handshake()
    made.request(_read(request(0, "initialize", **asked)))
    made.response(_read(result(0, **answered)))
    return made


def _announcing(said: Any) -> Handshake:
    return _shake({"clientCapabilities": said}, {"agentCapabilities": said, "protocolVersion": 1})


def test_before_anything_was_said() -> None:
    """Nothing is known, nothing announced."""
    made = Handshake()
    assert (made.asked, made.protocol_version, made.name("agent"), made.name("client")) == (
        False,
        None,
        {},
        {},
    )
    assert not made.announced("client", "terminal")


def test_the_version_is_what_the_agent_answers() -> None:
    """Not what the client asked for."""
    assert _shake({"protocolVersion": 2}, {"protocolVersion": 1}).protocol_version == 1


@pytest.mark.parametrize("version", [None, "1", 1.0, True, [1], 2**31, -(2**40)])
def test_a_version_of_another_type_is_none(version: Any) -> None:
    """Nor is a number that no column holds."""
    assert _shake({}, {"protocolVersion": version}).protocol_version is None


def test_names_by_the_words_of_both_versions() -> None:
    """AgentInfo and clientInfo; in draft 2 `info` both ways. What is no string is left out."""
    info = {"name": "n", "title": None, "version": 1, "other": "x"}
    one = _shake({"clientInfo": info}, {"agentInfo": {"name": "a", "title": "A", "version": "1"}})
    two = _shake({"info": info}, {"info": {"name": "a"}})
    assert one.name("client") == two.name("client") == {"name": "n", "other": "x"}
    assert one.name("agent") == {"name": "a", "title": "A", "version": "1"}
    assert two.name("agent") == {"name": "a"}
    assert _shake({"clientInfo": "n"}, {"info": None}).name("client") == {}


@pytest.mark.parametrize(
    ("said", "announced"),
    [
        ({"a": {"b": {}}}, True),
        ({"a": {"b": True}}, True),
        ({"a": {"b": {"c": False}}}, True),
        ({"a": {"b": []}}, True),
        ({"a": {"b": False}}, False),
        ({"a": {"b": None}}, False),
        ({"a": {}}, False),
        ({"a": True}, False),
        ({"a.b": {}}, False),
        ({}, False),
        (None, False),
        ("a", False),
    ],
)
def test_a_capability_is_a_member_that_is_there(said: Any, announced: bool) -> None:
    """And neither false nor null; omitted ones are unsupported."""
    made = _announcing(said)
    assert made.announced("client", "a.b") is announced
    assert made.announced("agent", "a.b") is announced


def test_draft_2_says_capabilities_both_ways() -> None:
    """Each side has its own."""
    made = _shake({"capabilities": {"a": {}}}, {"capabilities": {"b": {}}, "protocolVersion": 2})
    assert [made.announced(side, key) for side in ("client", "agent") for key in "ab"] == [
        True,
        False,
        False,
        True,
    ]


def test_methods_and_what_they_need() -> None:
    """Only those of the table need anything, of the side that handles them."""
    everyone, nobody = _announcing({"loadSession": True, "fs": {"readTextFile": True}}), _announcing({})
    assert everyone.missing("agent", "session/load") is None
    assert everyone.missing("client", "fs/read_text_file") is None
    assert everyone.missing("client", "fs/write_text_file") == "fs.writeTextFile"
    assert nobody.missing("agent", "session/load") == "loadSession"
    assert not any(
        nobody.missing("agent", name) for name in ("session/new", "session/prompt", "_x/y", "nonsense")
    )
    assert all(nobody.missing("agent", name) for name in capabilities.METHODS[1])


def test_the_last_initialize_counts() -> None:
    """Its capabilities replace the others'; a refusal leaves the version and what the agent said."""
    made = _announcing({"a": {"b": {}}})
    made.request(_read(request(1, "initialize", protocolVersion=2)))
    made.response(_read(error(1, -32602)))
    assert (made.asked, made.protocol_version) == (True, 1)
    assert not made.announced("client", "a.b")
    assert made.announced("agent", "a.b")
