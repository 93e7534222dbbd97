"""Which strings of an entry are pieces of a longer text."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.redact.pieces import parts
from acp_trace.redact.places import Places
from acp_trace.redact.rules import RULES, Rule
from acp_trace.trace import json_pointer
from acp_trace.trace.parse import Parser
from tests.support import line, request, trace, update


def texts(*lines: bytes, rules: tuple[Rule, ...] = RULES) -> list[tuple[object, str]]:
    """Key and text of each piece."""
    places = Places(rules)
    found: list[tuple[object, str]] = []
    for entry in Parser().feed(b"".join(lines)):
        if entry.sender or entry.kind == "log":
            made = parts(entry, places.of(entry) if entry.kind == "frame" else ())
            found += [(part.key, part.piece.text) for part in made]
    return found


def frame(message: Any) -> bytes:
    return trace(("agent", message), end=False)


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"])
def test_chunks_of_a_message(kind: str) -> None:
    """Told apart by session, kind and message."""
    chunk = update("s", kind, content={"type": "text", "text": "a"}, messageId="m")
    assert texts(frame(chunk)) == [(("agent", "s", kind, "m"), "a")]


@pytest.mark.parametrize("kind", [None, 3, [], {}, ["agent_message_chunk"]])
def test_an_update_of_an_odd_kind_has_no_pieces(kind: Any) -> None:
    """Whatever is in the place of the kind."""
    assert texts(frame(update("s", kind, content={"type": "text", "text": "a"}))) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"rawOutput": "a"},
        {"rawOutput": {"stdout": "a"}},
        {"content": [{"type": "content", "content": {"type": "text", "text": "a"}}]},
        {"_meta": {"terminal_output": {"data": "a"}}},
    ],
)
def test_output_of_tools(fields: Any) -> None:
    """Wherever an agent puts it; not ids, and not the protocol's words."""
    call = update("s", "tool_call_update", toolCallId="t", status="completed", **fields)
    assert [text for _, text in texts(frame(call))] == ["a"]


def test_lines() -> None:
    """Of stderr, and what is no JSON, from either side."""
    lines = [line(t=1, log="a"), line(t=1, **{"from": "agent"}, text="b")]
    assert [text for _, text in texts(*lines)] == ["a", "b"]
    assert len({key for key, _ in texts(*lines)}) == 2


@pytest.mark.parametrize(
    "message",
    [
        update("s", "plan", text="a"),
        update("s", "agent_message_chunk", content={"type": "image", "data": 5}),
        request(1, "fs/write_text_file", content="a"),
        {"jsonrpc": "2.0", "method": "session/update", "params": {"update": {"sessionUpdate": 5}}},
        {"jsonrpc": "2.0", "method": "session/update"},
    ],
)
def test_what_does_not_come_in_pieces(message: Any) -> None:
    """Is looked at by itself."""
    assert texts(frame(message)) == []


def test_rules_come_first() -> None:
    """A text that a rule of one's own names goes as a whole."""
    own = Rule("r", json_pointer.read("/params/update/content/text"), (), ("agent_message_chunk",))
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": "a"})
    assert texts(frame(chunk), rules=(own,)) == []


def test_a_chunk_in_an_envelope() -> None:
    """Of a proxy."""
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": "a"})
    message = {"jsonrpc": "2.0", "method": "proxy/successor", "params": chunk}
    assert [text for _, text in texts(frame(message))] == ["a"]
