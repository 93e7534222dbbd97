"""Which of several readings of a log is taken, and which results are doubted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.formats.reading.groups import explained, readers_for, readings
from acp_trace.formats.reading.log import File, Log, Sent
from acp_trace.formats.reading.sense import sense_of
from acp_trace.trace.entries import Sender
from tests.reading.talk import Said, answer, ask, prompt, stop, words

_TALK: list[Said] = [
    ask(0, "initialize", protocolVersion=1),
    answer(0, protocolVersion=1, agentCapabilities={}),
    ask(1, "session/new", cwd="/w", mcpServers=[]),
    answer(1, sessionId="s"),
    prompt(2),
    words(),
    stop(2),
]


def _log(said: list[Said], **more: Any) -> Log:
    senders: dict[str, Sender] = {"client": "client", "agent": "agent"}
    return Log([Sent(json.dumps(it).encode(), senders[side]) for side, it in said], **more)


def test_the_reading_with_the_most_sense_is_taken() -> None:
    """Toad's reader recognises these lines, but not the first of them, which begins otherwise."""
    lines = [f"[{side}] {it if side == 'client' else json.dumps(it)}\n" for side, it in _TALK]
    files = [File("log", f"12:00 {''.join(lines)}".encode())]
    assert [one.format for one in readings(files, readers_for(None))] == ["toad", "text"]
    best = explained(files, readers_for(None)).best
    assert best is not None
    assert (best.format, best.sense.messages) == ("text", len(_TALK))


def test_a_whole_conversation_is_perfect() -> None:
    """No other reading can be better."""
    made = sense_of([_log(_TALK)])
    assert (made.messages, made.score, made.is_perfect, made.doubts()) == (7, 7, True, None)


@pytest.mark.parametrize(
    ("said", "doubts"),
    [
        ([*_TALK, *_TALK], "6 of 14 messages are in it twice"),
        ([one for one in _TALK if one[0] == "client"] + [prompt(3)], "all 4 messages are from the client"),
        (
            [_TALK[0], *(ask(n, "session/list") for n in range(1, 4)), words()],
            "4 of 4 requests have no response in it",
        ),
        (
            [_TALK[0], *(answer(n, stopReason="end_turn") for n in range(3, 6))],
            "3 of 3 responses are to no request in it",
        ),
        (_TALK[3:], None),
    ],
)
def test_what_is_doubted(said: list[Said], doubts: str | None) -> None:
    """Twice, one side, no responses, no requests; a small part of a log is only a part."""
    assert sense_of([_log(said)]).doubts() == doubts


_MCP = {"protocolVersion": "2025-06-18", "capabilities": {}}
_TOOLS: list[Said] = [ask(1, "tools/list"), answer(1, tools=[])]


@pytest.mark.parametrize(
    ("said", "protocol"),
    [
        (_TALK, "ACP"),
        ([*_TALK, *_TOOLS], "ACP"),
        (_TOOLS, "MCP"),
        ([ask(0, "initialize", **_MCP), answer(0, **_MCP, serverInfo={}), ask(1, "ping")], "MCP"),
        ([ask(0, "initialize", **_MCP), answer(0, protocolVersion=1, agentCapabilities={}), *_TOOLS], "ACP"),
        ([ask(0, "initialize", processId=1, capabilities={}), answer(0, capabilities={})], "LSP"),
        ([ask(0, "initialize")], "ACP"),
        ([], "ACP"),
    ],
)
def test_which_protocol_a_log_is_of(said: list[Said], protocol: str) -> None:
    """The first message that says something decides; a handshake as a whole."""
    assert sense_of([_log(said)]).protocol == protocol


def test_what_a_log_lacks_by_its_nature_is_not_doubted() -> None:
    """Toad logs no response of the client."""
    asked: list[Said] = [("agent", ask(n, "fs/read_text_file", path="/a")[1]) for n in range(4)]
    log = _log([*_TALK, *asked], lacks=("client_responses",))
    assert sense_of([log]).unanswered == 0
    assert sense_of([_log([*_TALK, *asked])]).unanswered == 4
