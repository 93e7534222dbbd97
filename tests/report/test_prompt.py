"""One call as a person reads it: everything that was said, under who said it, and nothing that is obeyed."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.analyze import facts
from acp_trace.model.calls import ModelCall, model_calls
from acp_trace.model.exchange import Chunk, ModelExchange
from acp_trace.report.safe import HARMFUL
from acp_trace.report.text.prompt import prompt
from tests.handmade import made
from tests.model import streams
from tests.model.streams import sse


def _exchange(number: int, path: str, body: Any, answer: bytes = b"") -> ModelExchange:
    return ModelExchange(
        number,
        number * 10,
        method="POST",
        host="api.openai.com",
        path=path,
        request_body=json.dumps(body).encode(),
        status=200,
        response_headers=streams.SSE,
        chunks=[Chunk(number * 10 + 5, answer)] if answer else [],
        ended_ns=number * 10 + 9,
    )


def _lines(call: ModelCall, *, all_: bool = False, **more: Any) -> list[str]:
    fact = made(facts.ModelCall, call=call.call, model="m", **more)
    return [line.plain for text in prompt(call, fact, all_=all_) for line in text.split("\n")]


def _chat(*messages: Any, **more: Any) -> list[str]:
    body = {"model": "m", "messages": messages, **more}
    return _lines(model_calls([_exchange(1, "/v1/chat/completions", body)])[0])


def test_it_goes_on_from_what_an_earlier_call_told() -> None:
    """Also without a WebSocket; where that is not in the trace, this is said."""
    first = {"model": "m", "input": "Go.", "instructions": "Be brief."}
    second = {"model": "m", "input": "On.", "previous_response_id": "r-1"}
    answer = sse(*streams.RESPONSES_EVENTS, streams._response("response.completed", **streams.RESPONSES_DONE))
    exchanges = [_exchange(1, "/v1/responses", first, answer), _exchange(2, "/v1/responses", second)]
    lines = _lines(model_calls(exchanges)[1])
    assert " continues call 1: the messages of that call are included" in lines
    for words in ("  Be brief.", "1  user", "  Go.", "2  assistant", "  tool call  read  c-1", "  On."):
        assert words in lines
    alone = _lines(model_calls(exchanges[1:])[0])
    assert " continues r-1, which is not in the trace: earlier messages are missing" in alone


def test_each_part_says_what_it_is() -> None:
    """Media are mentioned; arguments that are no JSON, results that are errors, what nobody knows."""
    lines = _chat(
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://h/a.png"}}]},
        {"role": "user", "content": [{"type": "odd", "x": 1}]},
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "function": {"name": "run", "arguments": "{broken"}}],
        },
    )
    text = "\n".join(lines)
    assert "https://h/a.png" in text
    assert "  odd  " in text
    assert "  tool call  run  1\n    {broken" in text


def test_schemas_that_are_none() -> None:
    """A tool may have anything for a schema: its name is shown, and what can be read."""
    tools = [
        {"type": "function", "function": {"name": name, "parameters": schema}}
        for name, schema in {
            "none": None,
            "list": [1],
            "odd": {"properties": {"a": 1, "b": {"type": ["string", "null"]}, "c": {"enum": ["x", 2]}}},
            "deep": {
                "properties": {"d": {"type": "array", "items": {"type": "array", "items": {"enum": [1, 2]}}}},
                "required": 3,
            },
        }.items()
    ]
    lines = _chat(tools=tools)
    for words in ("  none", "  list", '    a?, b?: string | null, c?: "x" | 2', "    d?: (1 | 2)[][]"):
        assert words in lines


def test_where_a_call_belongs() -> None:
    """Its session and turn, how they were found, and that nobody waited for it."""
    call = model_calls([_exchange(1, "/v1/chat/completions", {"model": "m", "messages": []})])[0]
    assert " of        turn 3, session s  (header x)" in _lines(
        call, session_id="s", turn=3, joined_by="header x"
    )
    assert " of        turn 3, beside it, session s" in _lines(call, session_id="s", turn=3, beside=True)
    assert not [line for line in _lines(call) if line.startswith(" of ")]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("\x1b[31m\x9b\u202e"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "name",
                    "function",
                    "arguments",
                    "parameters",
                    "id",
                    "properties",
                    "required",
                    "enum",
                    "items",
                    "tool_calls",
                    "parts",
                    "input",
                    "\x1b",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
_PATHS = ("/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1beta/models/m:generateContent")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(_PATHS), _JSON, _JSON, _JSON)
def test_any_request_is_shown(path: str, said: Any, tools: Any, system: Any) -> None:
    """Whatever stands in it: no exception, and nothing that a terminal obeys."""
    body = {
        "model": "m", "messages": [said], "input": [said], "contents": [said], "system": system,
        "tools": [tools], "systemInstruction": system, "max_tokens": 1,
    }  # fmt: skip
    for call in model_calls([_exchange(1, path, body)]):
        for line in _lines(call, all_=True):
            assert HARMFUL.search(line) is None
