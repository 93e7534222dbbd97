"""Changes that keep a trace file nearly sound: of lines, of JSON values inside of lines, of single bytes.

A change of bytes alone nearly always gives a line that is not JSON, which the reader refuses at once; what is
behind the reader needs lines that are odd in what they say.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_WORDS = (
    "client", "agent", "frame", "text", "base64", "log", "gap", "end", "from", "t", "acp_trace", "id", "method",
    "params", "result", "error", "code", "message", "jsonrpc", "2.0", "initialize", "session/new", "session/load",
    "session/resume", "session/fork", "session/prompt", "session/cancel", "session/update", "session/close",
    "session/set_mode", "session/set_config_option", "session/request_permission", "fs/read_text_file",
    "fs/write_text_file", "terminal/create", "terminal/output", "terminal/wait_for_exit", "$/cancel_request",
    "requestId", "sessionId", "toolCallId", "terminalId", "messageId", "optionId", "cwd", "protocolVersion",
    "sessionUpdate", "tool_call", "tool_call_update", "agent_message_chunk", "session_info_update", "state_update",
    "config_option_update", "current_mode_update", "usage_update", "plan", "title", "status", "completed",
    "configOptions", "modes", "currentModeId", "availableModes", "currentValue", "options", "kind", "outcome",
    "selected", "cancelled", "stopReason", "end_turn", "idle", "running", "update", "content", "_meta", "updatedAt",
    "agentInfo", "clientInfo", "info", "name", "version", "labels", "argv", "exit_code", "signal", "partial",
    "locations", "path", "entries", "mcpServers", "env", "args", "command", "used", "size", "cost", "value",
)  # fmt: skip
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**400, 1e308, -0.0, 1.5,
    "", "/", "..", "/w/../..", "\0", "\n", "\x1b[31m", "\u202e", "\ud83d", "é" * 90, "x" * 5000, "::error::x",
    "[red]", "file:///%2e%2e", "2026-11-20T13:05:01Z", "9999999-99-99", [], {}, [[]], [None], {"": None}, {"id": {}},
    [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]],
)  # fmt: skip
_DEEP = (b"[" * 900 + b"]" * 900, b'{"a":' * 400 + b"1" + b"}" * 400, b"[" * 5000)
_TIMES = (0, 1, 10**6, 10**9, 2**63 - 1)


def mutated(data: bytes, dice: random.Random, others: Sequence[bytes], longest: int) -> bytes:
    """The data with one to four changes; `others`: files from which lines are taken over."""
    for _ in range(dice.choice((1, 1, 2, 4))):
        lines = data.split(b"\n")
        change = dice.choice(_CHANGES)
        data = b"\n".join(change(lines, dice, others))
    return data[:longest]


_Lines = list[bytes]


def _drop(lines: _Lines, dice: random.Random, _: Sequence[bytes]) -> _Lines:
    start = dice.randrange(len(lines))
    return lines[:start] + lines[start + dice.choice((1, 1, 3)) :]


def _double(lines: _Lines, dice: random.Random, _: Sequence[bytes]) -> _Lines:
    at, to = dice.randrange(len(lines)), dice.randrange(len(lines) + 1)
    return lines[:to] + [lines[at]] * dice.choice((1, 2, 20)) + lines[to:]


def _move(lines: _Lines, dice: random.Random, _: Sequence[bytes]) -> _Lines:
    at, to = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines.insert(to, lines.pop(at))
    return lines


def _foreign(lines: _Lines, dice: random.Random, others: Sequence[bytes]) -> _Lines:
    theirs = dice.choice(others).split(b"\n")
    start, to = dice.randrange(len(theirs)), dice.randrange(len(lines) + 1)
    return lines[:to] + theirs[start : start + dice.choice((1, 2, 8))] + lines[to:]


def _cut(lines: _Lines, dice: random.Random, _: Sequence[bytes]) -> _Lines:
    return [b"\n".join(lines)[: dice.randrange(len(b"\n".join(lines)) + 1)]]


def _bytes(lines: _Lines, dice: random.Random, _: Sequence[bytes]) -> _Lines:
    data = bytearray(b"\n".join(lines))
    for _many in range(dice.choice((1, 1, 4))):
        at = dice.randrange(len(data) + 1)
        data[at : at + dice.choice((0, 1, 1, 3))] = dice.choice(
            (dice.randbytes(1), b'"', b"\\", b"\n", b"{", b"]", b"\xff", b"\\ud83d", b"\r", b"0", *_DEEP)
        )
    return [bytes(data)]


def _value(lines: _Lines, dice: random.Random, _: Sequence[bytes]) -> _Lines:
    """Another value, key or type somewhere in one line."""
    at = dice.randrange(len(lines))
    start = 1 if lines[at][:1].isdigit() else 0  # a line of the engine's target, with its time before it
    try:
        found = json.loads(lines[at][start:])
    except (ValueError, RecursionError):
        return lines
    made = json.dumps(
        _edited(found, dice),
        ensure_ascii=dice.random() < 0.5,
        separators=dice.choice(((",", ":"), (", ", ": "))),
    )
    if dice.random() < 0.05:
        made = made.replace("null", dice.choice(_DEEP).decode(), 1)
    return [*lines[:at], lines[at][:start] + made.encode("utf-8", "replace"), *lines[at + 1 :]]


def _edited(value: Any, dice: random.Random) -> Any:
    """The value with something in it changed; further in is likelier."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        made = dict(value)
        what = dice.random()
        if what < 0.7:
            made[key] = _edited(made[key], dice)
        elif what < 0.8:
            del made[key]
        elif what < 0.9:
            made[dice.choice(_WORDS)] = made.pop(key)
        else:
            made[dice.choice(_WORDS)] = _new(dice)
        return made
    if isinstance(value, list) and value and dice.random() < 0.9:
        at = dice.randrange(len(value))
        what = dice.random()
        if what < 0.7:
            return [*value[:at], _edited(value[at], dice), *value[at + 1 :]]
        return value[:at] + value[at + 1 :] if what < 0.8 else [*value, *value[at:]]
    if isinstance(value, int) and dice.random() < 0.5:
        return value + dice.choice((-1, 1, *_TIMES))
    if isinstance(value, str) and dice.random() < 0.3:
        at = dice.randrange(len(value) + 1)
        return value[:at] + dice.choice(("\x1b", "/..", "\0", "x", " ", "\u2028", "~1")) + value[at:]
    return _new(dice)


def _new(dice: random.Random) -> Any:
    what = dice.random()
    if what < 0.5:
        return dice.choice(_ODD)
    return dice.choice(_WORDS) if what < 0.9 else {dice.choice(_WORDS): dice.choice(_ODD)}


_CHANGES: tuple[Callable[[_Lines, random.Random, Sequence[bytes]], _Lines], ...] = (
    *[_value] * 8, _drop, _double, _move, _foreign, _foreign, _cut, _bytes, _bytes,
)  # fmt: skip
