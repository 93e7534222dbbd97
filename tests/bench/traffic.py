"""Traffic as agents make it, the same bytes in every run: no clock, and chance with a seed.

A turn is a prompt, a thousand updates of about 210 bytes (thoughts, then the answer word by word, with
tool calls and permissions in between) and the response. A session holds a hundred turns.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

Frame = tuple[str, bytes]  #: sender and text

_encode = msgspec.json.Encoder().encode
_TEXT = "the pars er read line ing — “na ïve” con but quick ; `t race/ py`, \n 日本 語 ed it is"
_WORDS = ["".join(pair) for pair in itertools.product(_TEXT.split(" "), repeat=2)]
_FILE = "".join(f"def step_{n}(value: int) -> int:\n\treturn value * {n}\n" for n in range(40))


def _client(**members: Any) -> Frame:
    return "client", _encode({"jsonrpc": "2.0", **members})


def _agent(**members: Any) -> Frame:
    return "agent", _encode({"jsonrpc": "2.0", **members})


def _update(session: str, update: str, **rest: Any) -> Frame:
    params = {"sessionId": session, "update": {"sessionUpdate": update, **rest}}
    return _agent(method="session/update", params=params)


def _tool_call(session: str, call: str, number: int) -> Iterator[Frame]:
    yield _update(session, "tool_call", toolCallId=call, title="Edit", kind="edit", status="pending")
    options = [{"optionId": "once", "name": "Allow once", "kind": "allow_once"}]
    params = {"sessionId": session, "toolCall": {"toolCallId": call}, "options": options}
    yield _agent(id=number, method="session/request_permission", params=params)
    yield _client(id=number, result={"outcome": {"outcome": "selected", "optionId": "once"}})
    content = [{"type": "content", "content": {"type": "text", "text": _FILE}}]
    yield _update(session, "tool_call_update", toolCallId=call, status="completed", content=content)


def _turn(session: str, turn: int) -> Iterator[Frame]:
    prompt = [{"type": "text", "text": f"go on with step {turn}"}]
    yield _client(id=turn + 10, method="session/prompt", params={"sessionId": session, "prompt": prompt})
    chance = random.Random(turn)
    for n in range(1000):
        if n % 125 == 100:
            yield from _tool_call(session, f"call_{turn}_{n}", turn * 10 + n // 125)
        content = {"type": "text", "text": " ".join(chance.choices(_WORDS, k=3))}
        kind = "agent_thought_chunk" if n < 90 else "agent_message_chunk"
        yield _update(session, kind, content=content, messageId=f"msg_{turn:06d}")
    yield _agent(id=turn + 10, result={"stopReason": "end_turn"})


def frames() -> Iterator[Frame]:
    """A connection without end."""
    who = {"name": "bench", "version": "1"}
    yield _client(id=0, method="initialize", params={"protocolVersion": 1, "clientInfo": who})
    yield _agent(id=0, result={"protocolVersion": 1, "agentInfo": who})
    for turn in itertools.count():
        session = f"ses_0c1f2d3e4f5a6b7c{turn // 100:04d}"
        if turn % 100 == 0:
            yield _client(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
            yield _agent(id=1, result={"sessionId": session})
        yield from _turn(session, turn)


def write_agent_side(path: Path, size: int) -> int:
    """Writes what an agent says, a line a frame, until that is `size` bytes; returns the exact size."""
    with open(path, "wb") as stream:
        said = (text for sender, text in frames() if sender == "agent")
        while stream.tell() < size:
            stream.write(next(said) + b"\n")
        return stream.tell()


def write_trace(path: Path, count: int) -> None:
    """Writes a whole trace of `count` frames, 21 µs apart."""
    sent = {"client": 0, "agent": 0}
    header = {"acp_trace": 1, "id": "20261120T130501Z-7f3a9c", "started_at": "2026-11-20T13:05:01.123456Z"}
    with open(path, "wb") as stream:
        stream.write(_encode({**header, "agent": {"argv": ["bench"], "cwd": "/w"}}) + b"\n")
        for number, (sender, text) in enumerate(itertools.islice(frames(), count), 1):
            sent[sender] += 1
            stream.write(b'{"t":%d,"from":"%b","frame":%b}\n' % (number * 21_000, sender.encode(), text))
        end = {"exit_code": 0, "signal": None, "frames": sent}
        stream.write(_encode({"t": (count + 1) * 21_000, "end": end}) + b"\n")
