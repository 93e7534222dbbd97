"""Small streams as the providers write them: one conversation, told in each wire form. Data and a few builders.

In each, the model thinks, says something, and asks for two tools at once; then come the stop reason and the tokens.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from acp_trace.model.forms import anthropic, bedrock, gemini, ollama, openai_chat, openai_responses
from acp_trace.model.forms.form import Form
from acp_trace.model.shapes import Part, Text, Thinking, Tokens, ToolUse

SSE = (("content-type", "text/event-stream; charset=utf-8"),)
JSON = (("content-type", "application/json"),)
LINES = (("content-type", "application/x-ndjson"),)
BINARY = (("content-type", "application/vnd.amazon.eventstream"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A response, and what it says."""

    form: Form
    headers: tuple[tuple[str, str], ...]
    body: bytes
    parts: tuple[Part, ...]
    stop_reason: str | None
    tokens: Tokens
    model: str | None = "m-1"
    id: str | None = "r-1"
    status: int = 200
    #: What stands in the first event with output.
    first: bytes = field(default=b"Look")


def sse(*events: Any, names: bool = False, done: bool = False) -> bytes:
    """Server-sent events; with the names that they have in their `type`."""
    texts = []
    for event in events:
        name = f"event: {event['type']}\n" if names else ""
        texts.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n")
    return "".join([*texts, "data: [DONE]\n\n" if done else ""]).encode()


def frame(payload: bytes, **headers: str) -> bytes:
    """A frame of Amazon's event stream; `_` in a name stands for `-`, and `:` comes before it."""
    head = b"".join(
        struct.pack(">B", len(name) + 1) + f":{name.replace('_', '-')}".encode()
        + struct.pack(">BH", 7, len(value)) + value.encode()
        for name, value in headers.items()
    )  # fmt: skip
    return message(head, payload)


def message(head: bytes, payload: bytes) -> bytes:
    """A frame with these headers, as they stand in it."""
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    whole = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return whole + struct.pack(">I", zlib.crc32(whole))


def frames(*events: tuple[str, Any]) -> bytes:
    """An event stream of `ConverseStream`."""
    return b"".join(
        frame(
            json.dumps(data).encode(), event_type=name, content_type="application/json", message_type="event"
        )
        for name, data in events
    )


def chunks(*events: Any) -> bytes:
    """An event stream of `InvokeModel`: each event once more in base64."""
    wrapped = (
        {"bytes": base64.b64encode(json.dumps(event).encode()).decode(), "p": "abc"} for event in events
    )
    return b"".join(
        frame(json.dumps(each).encode(), event_type="chunk", message_type="event") for each in wrapped
    )


THOUGHT, WORDS = "Look first.", "I read both — at once 🙂."
READ = ToolUse("c-1", "read", {"path": "a.txt"})
RUN = ToolUse("c-2", "run", {"cmd": "ls -l", "quiet": True})
PARTS = (Thinking(THOUGHT), Text(WORDS), READ, RUN)


def _chat(delta: Any, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "r-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice]}


def _call(index: int, **function: str) -> dict[str, Any]:
    head = {"id": f"c-{index + 1}", "type": "function"} if "name" in function else {}
    return {"tool_calls": [{"index": index, **head, "function": function}]}


_CHAT_USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 45,
    "total_tokens": 165,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 12},
}
CHAT = Stream(
    form=openai_chat.FORM,
    headers=SSE,
    body=b": PROCESSING\n\n"
    + sse(
        _chat({"role": "assistant", "content": ""}),
        _chat({"reasoning_content": "Look "}),
        _chat({"reasoning_content": "first."}),
        _chat({"content": WORDS[:5]}),
        _chat({"content": WORDS[5:]}),
        _chat(_call(0, name="read", arguments="")),
        _chat(_call(0, arguments='{"path":')),
        _chat(_call(0, arguments='"a.txt"}')),
        _chat(_call(1, name="run", arguments='{"cmd":"ls -l",')),
        _chat(_call(1, arguments='"quiet":true}')),
        _chat({}, "tool_calls"),
        {"id": "r-1", "object": "chat.completion.chunk", "model": "m-1", "choices": [], "usage": _CHAT_USAGE},
        done=True,
    ),
    parts=PARTS,
    stop_reason="tool_calls",
    tokens=Tokens(input=120, output=45, cached=64, reasoning=12, input_total=120, output_total=45),
)
CHAT_WHOLE = Stream(
    form=openai_chat.FORM,
    headers=JSON,
    body=json.dumps(
        {
            "id": "r-1",
            "object": "chat.completion",
            "model": "m-1",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "tool_calls",
                    "message": {
                        "role": "assistant",
                        "reasoning": THOUGHT,
                        "content": WORDS,
                        "refusal": None,
                        "tool_calls": [
                            {
                                "id": "c-1",
                                "type": "function",
                                "function": {"name": "read", "arguments": '{"path":"a.txt"}'},
                            },
                            {
                                "id": "c-2",
                                "type": "function",
                                "function": {"name": "run", "arguments": '{"cmd":"ls -l","quiet":true}'},
                            },
                        ],
                    },
                }
            ],
            "usage": _CHAT_USAGE,
        }
    ).encode(),
    parts=PARTS,
    stop_reason="tool_calls",
    tokens=CHAT.tokens,
)

_ITEM: dict[int, dict[str, Any]] = {
    0: {"id": "rs-1", "type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]},
    1: {
        "id": "ms-1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": WORDS}],
    },
    2: {
        "id": "fc-1",
        "type": "function_call",
        "call_id": "c-1",
        "name": "read",
        "arguments": '{"path":"a.txt"}',
    },
    3: {
        "id": "fc-2",
        "type": "function_call",
        "call_id": "c-2",
        "name": "run",
        "arguments": '{"cmd":"ls -l","quiet":true}',
    },
}


def _empty(index: int) -> dict[str, Any]:
    return {**_ITEM[index], **({"arguments": ""} if index > 1 else {"content": [], "summary": []})}


def _response(kind: str, **more: Any) -> dict[str, Any]:
    state: dict[str, Any] = {
        "id": "r-1",
        "object": "response",
        "model": "m-1",
        "status": "in_progress",
        "error": None,
        "output": [],
    }
    return {"type": kind, "response": {**state, **more}}


RESPONSES_DONE = {
    "status": "completed",
    "usage": {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 64},
        "output_tokens": 45,
        "output_tokens_details": {"reasoning_tokens": 12},
        "total_tokens": 165,
    },
}
RESPONSES_EVENTS: tuple[dict[str, Any], ...] = (
    _response("response.created"),
    _response("response.in_progress"),
    {"type": "response.output_item.added", "output_index": 0, "item": _empty(0)},
    {"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 0},
    {
        "type": "response.reasoning_summary_text.delta",
        "output_index": 0,
        "summary_index": 0,
        "delta": "Look ",
    },
    {
        "type": "response.reasoning_summary_text.delta",
        "output_index": 0,
        "summary_index": 0,
        "delta": "first.",
    },
    {"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 0, "text": THOUGHT},
    {"type": "response.output_item.done", "output_index": 0, "item": _ITEM[0]},
    {"type": "response.output_item.added", "output_index": 1, "item": _empty(1)},
    {
        "type": "response.content_part.added",
        "output_index": 1,
        "content_index": 0,
        "part": {"type": "output_text"},
    },
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": WORDS[:4]},
    {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": WORDS[4:]},
    {"type": "response.output_text.done", "output_index": 1, "content_index": 0, "text": WORDS},
    {"type": "response.output_item.done", "output_index": 1, "item": _ITEM[1]},
    {"type": "response.output_item.added", "output_index": 2, "item": _empty(2)},
    {"type": "response.output_item.added", "output_index": 3, "item": _empty(3)},
    {"type": "response.function_call_arguments.delta", "output_index": 3, "delta": '{"cmd":"ls -l",'},
    {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": '{"path":"a.txt"}'},
    {"type": "response.function_call_arguments.delta", "output_index": 3, "delta": '"quiet":true}'},
    {"type": "response.function_call_arguments.done", "output_index": 3, "arguments": _ITEM[3]["arguments"]},
    {"type": "response.output_item.done", "output_index": 2, "item": _ITEM[2]},
    {"type": "response.output_item.done", "output_index": 3, "item": _ITEM[3]},
)
RESPONSES = Stream(
    form=openai_responses.FORM,
    headers=SSE,
    body=sse(
        *RESPONSES_EVENTS,
        _response("response.completed", output=[*_ITEM.values()], **RESPONSES_DONE),
        names=True,
    ),
    parts=PARTS,
    stop_reason="completed",
    tokens=CHAT.tokens,
)
#: As codex's own service answers: the last event repeats nothing.
RESPONSES_BARE = Stream(
    form=openai_responses.FORM,
    headers=SSE,
    body=sse(*RESPONSES_EVENTS, _response("response.completed", **RESPONSES_DONE)),
    parts=PARTS,
    stop_reason="completed",
    tokens=CHAT.tokens,
)
RESPONSES_WHOLE = Stream(
    form=openai_responses.FORM,
    headers=JSON,
    body=json.dumps(_response("", output=[*_ITEM.values()], **RESPONSES_DONE)["response"]).encode(),
    parts=PARTS,
    stop_reason="completed",
    tokens=CHAT.tokens,
)

_CLAUDE_USAGE = {
    "input_tokens": 20,
    "cache_read_input_tokens": 90,
    "cache_creation_input_tokens": 10,
    "output_tokens": 1,
}
_CLAUDE_TOKENS = Tokens(input=20, output=45, cached=90, cache_written=10, input_total=120, output_total=45)


def _block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, kind: str, **delta: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def _stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


_CLAUDE_MESSAGE = {"id": "r-1", "type": "message", "role": "assistant", "model": "m-1"}
ANTHROPIC_EVENTS: tuple[dict[str, Any], ...] = (
    {
        "type": "message_start",
        "message": {**_CLAUDE_MESSAGE, "content": [], "stop_reason": None, "usage": _CLAUDE_USAGE},
    },
    {"type": "ping"},
    _block(0, type="thinking", thinking="", signature=""),
    _delta(0, "thinking_delta", thinking="Look "),
    _delta(0, "thinking_delta", thinking="first."),
    _delta(0, "signature_delta", signature="c2ln"),
    _stop(0),
    _block(1, type="text", text=""),
    _delta(1, "text_delta", text=WORDS[:7]),
    _delta(1, "text_delta", text=WORDS[7:]),
    _stop(1),
    _block(2, type="tool_use", id="c-1", name="read", input={}),
    _delta(2, "input_json_delta", partial_json=""),
    _delta(2, "input_json_delta", partial_json='{"path": "a.'),
    _delta(2, "input_json_delta", partial_json='txt"}'),
    _stop(2),
    _block(3, type="tool_use", id="c-2", name="run", input={}),
    _delta(3, "input_json_delta", partial_json='{"cmd": "ls -l", "quiet": true}'),
    _stop(3),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 45},
    },
    {
        "type": "message_stop",
        "amazon-bedrock-invocationMetrics": {"inputTokenCount": 20, "outputTokenCount": 45},
    },
)
ANTHROPIC = Stream(
    form=anthropic.FORM,
    headers=SSE,
    body=sse(*ANTHROPIC_EVENTS, names=True).replace(b"\n", b"\r\n"),
    parts=PARTS,
    stop_reason="tool_use",
    tokens=_CLAUDE_TOKENS,
)
ANTHROPIC_BEDROCK = Stream(
    form=anthropic.FORM,
    headers=BINARY,
    body=chunks(*ANTHROPIC_EVENTS),
    parts=PARTS,
    stop_reason="tool_use",
    tokens=_CLAUDE_TOKENS,
    first=base64.b64encode(json.dumps(ANTHROPIC_EVENTS[3]).encode()),
)
ANTHROPIC_WHOLE = Stream(
    form=anthropic.FORM,
    headers=JSON,
    body=json.dumps(
        {
            **_CLAUDE_MESSAGE,
            "content": [
                {"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"},
                {"type": "text", "text": WORDS},
                {"type": "tool_use", "id": "c-1", "name": "read", "input": READ.arguments},
                {"type": "tool_use", "id": "c-2", "name": "run", "input": RUN.arguments},
            ],
            "stop_reason": "tool_use",
            "usage": {**_CLAUDE_USAGE, "output_tokens": 45},
        },
        indent=1,
    ).encode(),
    parts=PARTS,
    stop_reason="tool_use",
    tokens=_CLAUDE_TOKENS,
)


def _candidate(*parts: Any, finish: str | None = None, **usage: int) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    counts = {"promptTokenCount": 120, "cachedContentTokenCount": 64, **usage}
    return {
        "candidates": [{**candidate, **({"finishReason": finish} if finish else {})}],
        "usageMetadata": counts,
        "modelVersion": "m-1",
        "responseId": "r-1",
    }


GEMINI_EVENTS = (
    _candidate({"text": "Look ", "thought": True}),
    _candidate({"text": "first.", "thought": True}, thoughtsTokenCount=12),
    _candidate({"text": WORDS[:3]}, candidatesTokenCount=3, thoughtsTokenCount=12),
    _candidate({"text": WORDS[3:]}),
    _candidate(
        {"functionCall": {"id": "c-1", "name": "read", "args": READ.arguments}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "c-2", "name": "run", "args": RUN.arguments}},
        candidatesTokenCount=33,
        thoughtsTokenCount=12,
    ),
    _candidate({"text": ""}, finish="STOP", candidatesTokenCount=33, thoughtsTokenCount=12),
)
_GEMINI_TOKENS = Tokens(input=120, output=33, cached=64, reasoning=12, input_total=120, output_total=45)
GEMINI = Stream(
    form=gemini.FORM,
    headers=SSE,
    body=sse(*GEMINI_EVENTS),
    parts=PARTS,
    stop_reason="STOP",
    tokens=_GEMINI_TOKENS,
)
GEMINI_ARRAY = Stream(
    form=gemini.FORM,
    headers=JSON,
    body=b"[" + b"\n,\r\n".join(json.dumps(event, indent=2).encode() for event in GEMINI_EVENTS) + b"\n]\n",
    parts=PARTS,
    stop_reason="STOP",
    tokens=_GEMINI_TOKENS,
)
CODE_ASSIST = Stream(
    form=gemini.FORM,
    headers=SSE,
    body=sse(*({"response": event, "traceId": "t"} for event in GEMINI_EVENTS)),
    parts=PARTS,
    stop_reason="STOP",
    tokens=_GEMINI_TOKENS,
)

CONVERSE_EVENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("messageStart", {"role": "assistant", "p": "ab"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Look "}}}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "first."}}}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "c2ln"}}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": WORDS[:9]}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": WORDS[9:]}}),
    ("contentBlockStop", {"contentBlockIndex": 1}),
    (
        "contentBlockStart",
        {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "c-1", "name": "read"}}},
    ),
    ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"path":"a.'}}}),
    ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": 'txt"}'}}}),
    ("contentBlockStop", {"contentBlockIndex": 2}),
    (
        "contentBlockStart",
        {"contentBlockIndex": 3, "start": {"toolUse": {"toolUseId": "c-2", "name": "run"}}},
    ),
    (
        "contentBlockDelta",
        {"contentBlockIndex": 3, "delta": {"toolUse": {"input": '{"cmd":"ls -l","quiet":true}'}}},
    ),
    ("contentBlockStop", {"contentBlockIndex": 3}),
    ("messageStop", {"stopReason": "tool_use"}),
    (
        "metadata",
        {
            "usage": {
                "inputTokens": 20,
                "outputTokens": 45,
                "cacheReadInputTokens": 90,
                "cacheWriteInputTokens": 10,
            },
            "metrics": {"latencyMs": 100},
        },
    ),
)
CONVERSE = Stream(
    form=bedrock.FORM,
    headers=BINARY,
    body=frames(*CONVERSE_EVENTS),
    parts=PARTS,
    stop_reason="tool_use",
    tokens=_CLAUDE_TOKENS,
    model=None,
    id=None,
)
NOVA = Stream(
    form=bedrock.FORM,
    headers=BINARY,
    body=chunks(*({name: data} for name, data in CONVERSE_EVENTS)),
    parts=PARTS,
    stop_reason="tool_use",
    tokens=_CLAUDE_TOKENS,
    model=None,
    id=None,
    first=base64.b64encode(json.dumps(dict(CONVERSE_EVENTS[1:2])).encode()),
)
CONVERSE_WHOLE = Stream(
    form=bedrock.FORM,
    headers=JSON,
    body=json.dumps(
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": "c2ln"}}},
                        {"text": WORDS},
                        {"toolUse": {"toolUseId": "c-1", "name": "read", "input": READ.arguments}},
                        {"toolUse": {"toolUseId": "c-2", "name": "run", "input": RUN.arguments}},
                    ],
                }
            },
            "stopReason": "tool_use",
            "usage": dict(CONVERSE_EVENTS)["metadata"]["usage"],
        }
    ).encode(),
    parts=PARTS,
    stop_reason="tool_use",
    tokens=_CLAUDE_TOKENS,
    model=None,
    id=None,
)


def _line(done: bool = False, **message: Any) -> dict[str, Any]:
    counts = {"done_reason": "stop", "prompt_eval_count": 120, "eval_count": 45} if done else {}
    return {"model": "m-1", "message": {"role": "assistant", **message}, "done": done, **counts}


OLLAMA = Stream(
    form=ollama.FORM,
    headers=LINES,
    body="\n".join(
        json.dumps(line, ensure_ascii=False)
        for line in (
            _line(content="", thinking="Look "),
            _line(content="", thinking="first."),
            _line(content=WORDS[:6]),
            _line(content=WORDS[6:]),
            _line(
                content="",
                tool_calls=[{"id": "c-1", "function": {"name": "read", "arguments": READ.arguments}}],
            ),
            _line(
                content="",
                tool_calls=[{"id": "c-2", "function": {"name": "run", "arguments": RUN.arguments}}],
            ),
            _line(done=True, content=""),
        )
    ).encode(),
    parts=PARTS,
    stop_reason="stop",
    tokens=Tokens(input=120, output=45, input_total=120, output_total=45),
    id=None,
)

STREAMS = {
    "chat": CHAT,
    "chat, whole": CHAT_WHOLE,
    "responses": RESPONSES,
    "responses, bare end": RESPONSES_BARE,
    "responses, whole": RESPONSES_WHOLE,
    "anthropic": ANTHROPIC,
    "anthropic at bedrock": ANTHROPIC_BEDROCK,
    "anthropic, whole": ANTHROPIC_WHOLE,
    "gemini": GEMINI,
    "gemini, array": GEMINI_ARRAY,
    "code assist": CODE_ASSIST,
    "converse": CONVERSE,
    "nova": NOVA,
    "converse, whole": CONVERSE_WHOLE,
    "ollama": OLLAMA,
}
