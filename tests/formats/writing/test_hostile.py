"""Whatever a trace holds, every writer writes a file that can be read, and takes no more time than for what is there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given as any_of
from hypothesis import settings
from hypothesis import strategies as st

from acp_trace.formats.writing.formats import WRITERS
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.protocol.methods import METHODS
from tests.counting import executed_lines
from tests.formats.writing.exporting import SAMPLES, given, written
from tests.support import header, line, request, result, trace, update

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_KEYS = (
    "sessionId",
    "prompt",
    "update",
    "toolCall",
    "toolCallId",
    "title",
    "kind",
    "status",
    "used",
    "stopReason",
    "rawInput",
    "content",
    "outcome",
)
_PARTS = st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=5)
_UPDATES = st.builds(
    lambda session, kind, fields: update(session, kind, **fields),
    st.sampled_from(["s", "t", "\ud800"]), st.sampled_from(["tool_call", "tool_call_update", "usage_update", "agent_message_chunk", "\x00"]),
    _PARTS.map(lambda parts: {key: value for key, value in parts.items() if key not in ("sessionId", "update")}),
)  # fmt: skip
_MESSAGES = st.one_of(
    st.builds(lambda id_, method, params: {"jsonrpc": "2.0", "id": id_, "method": method, "params": params},
              st.integers(0, 3) | st.text(max_size=2), st.sampled_from([row.name for row in METHODS]), _PARTS | _VALUES),
    st.builds(lambda id_, value: {"jsonrpc": "2.0", "id": id_, "result": value}, st.integers(0, 3), _PARTS | _VALUES),
    st.builds(lambda id_, value: {"jsonrpc": "2.0", "id": id_, "error": value}, st.integers(0, 3), _VALUES),
    _UPDATES,
    _VALUES,
)  # fmt: skip
_HEADERS = st.fixed_dictionaries(
    {}, optional={"id": _VALUES, "started_at": _VALUES, "labels": _VALUES, "agent": _VALUES, "imported": st.just({"times": False}) | _VALUES}
)  # fmt: skip


def _readable(format: str, file: bytes) -> None:
    text = file.decode()
    if format in ("perfetto", "har"):
        json.loads(text)
    elif format in ("jsons", "otlp"):
        for each in text.split("\n")[:-1]:
            json.loads(each)


def _encoded(sender: str, t: int, message: Any) -> bytes:
    """A line of a trace as json writes it: also with halves of characters."""
    frame = json.dumps(message)
    return f'{{"t":{t},"from":"{sender}","frame":{frame}}}\n'.encode()


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@any_of(
    _HEADERS,
    st.lists(st.tuples(st.sampled_from(["client", "agent"]), st.integers(-5, 2**63), _MESSAGES), max_size=12),
)
@settings(max_examples=30)
def test_any_messages(format: str, changes: dict[str, Any], frames: list[tuple[str, int, Any]]) -> None:
    """Odd types, ids, times and texts are written as far as they can be."""
    first = json.dumps({**json.loads(header()), **changes}).encode() + b"\n"
    file = first + b"".join(_encoded(sender, t, message) for sender, t, message in frames)
    _readable(format, written(format, given(file, content=format == "otlp")))


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@any_of(st.data())
@settings(max_examples=8)
def test_any_damage(format: str, data: st.DataObject) -> None:
    """A trace with a model's side, of which any lines are gone, cut or doubled."""
    lines = (SAMPLES / "gemini-model.jsonl").read_bytes().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(lines) - 1))
        how = data.draw(st.sampled_from(["gone", "cut", "doubled", "moved"]))
        whole = lines.pop(at)
        if how == "cut":
            lines.insert(at, whole[: data.draw(st.integers(0, len(whole)))] + b"\n")
        elif how == "doubled":
            lines[at:at] = [whole, whole]
        elif how == "moved":
            lines.insert(data.draw(st.integers(0, len(lines))), whole)
    _readable(format, written(format, given(b"".join(lines), content=True)))


def _open(count: int) -> bytes:
    return trace(
        *[("client", request(n, "session/prompt", sessionId=f"s{n % 3}", prompt=[])) for n in range(count)]
    )


def _tools(count: int) -> bytes:
    tools = [("agent", update("s", "tool_call", toolCallId=str(n), status="pending")) for n in range(count)]
    done = [
        ("agent", update("s", "tool_call_update", toolCallId=str(n), status="completed"))
        for n in range(count)
    ]
    return trace(
        ("client", request(0, "session/prompt", sessionId="s", prompt=[])),
        *tools,
        *done,
        ("agent", result(0)),
    )


def _findings(count: int) -> bytes:
    return header() + b"".join(line(t=n, **{"from": "agent"}, text="no JSON") for n in range(count))


def _steps(format: str, exported: ExportedTrace) -> int:
    return executed_lines(lambda: written(format, exported))


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("made", [_open, _tools, _findings])
def test_time_grows_with_the_trace(format: str, made: Any) -> None:
    """Four times as much takes about four times as many steps."""
    few, many = (_steps(format, given(made(count))) for count in (50, 200))
    assert many < 6 * few
