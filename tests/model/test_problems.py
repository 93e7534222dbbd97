"""What providers say when something goes wrong: in a response, in a stream, in front of the provider."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.model.forms import anthropic, bedrock, gemini, ollama, openai_chat, openai_responses
from acp_trace.model.forms.form import Form
from acp_trace.model.reading import read_answer
from acp_trace.model.shapes import Problem
from tests.model import streams
from tests.model.streams import sse

_LIMIT = {"message": "Slow down.", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}
RESPONSES: tuple[tuple[str, Form, int, dict[str, str], Any, Problem], ...] = (
    (
        "openai, a limit, in seconds",
        openai_chat.FORM,
        429,
        {"retry-after": "7"},
        {"error": _LIMIT},
        Problem(type="tokens", message="Slow down.", code="rate_limit_exceeded", status=429, retry_after_s=7),
    ),
    (
        "openai, a limit, in milliseconds",
        openai_responses.FORM,
        429,
        {"retry-after": "1", "retry-after-ms": "250"},
        {"error": _LIMIT},
        Problem(
            type="tokens", message="Slow down.", code="rate_limit_exceeded", status=429, retry_after_s=0.25
        ),
    ),
    (
        "anthropic, overloaded",
        anthropic.FORM,
        529,
        {},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "r"},
        Problem(type="overloaded_error", message="Overloaded", status=529),
    ),
    (
        "gemini, a quota, with the time in the details",
        gemini.FORM,
        429,
        {},
        [
            {
                "error": {
                    "code": 429,
                    "message": "Quota.",
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [{"@type": "RetryInfo", "retryDelay": "34.5s"}],
                }
            }
        ],
        Problem(type="RESOURCE_EXHAUSTED", message="Quota.", status=429, retry_after_s=34.5),
    ),
    (
        "bedrock, the type in a header",
        bedrock.FORM,
        400,
        {"x-amzn-errortype": "ValidationException:http://x"},
        {"message": "No such model."},
        Problem(type="ValidationException", message="No such model.", status=400),
    ),
    (
        "ollama, a text",
        ollama.FORM,
        404,
        {},
        {"error": "model not found"},
        Problem(message="model not found", status=404),
    ),
    (
        "vllm, beside it",
        openai_chat.FORM,
        400,
        {},
        {"object": "error", "message": "Too long.", "type": "BadRequestError", "code": 400},
        Problem(type="BadRequestError", message="Too long.", status=400),
    ),
    (
        "a framework",
        openai_chat.FORM,
        422,
        {},
        {"detail": "Not Found"},
        Problem(message="Not Found", status=422),
    ),
    (
        "a gateway's page",
        openai_chat.FORM,
        502,
        {},
        b"<html><title>502\n Bad Gateway</title>x</html>",
        Problem(message="502 Bad Gateway", status=502),
    ),
    (
        "a gateway's words",
        openai_chat.FORM,
        503,
        {},
        b"upstream connect error",
        Problem(message="upstream connect error", status=503),
    ),
    ("nothing", openai_chat.FORM, 500, {}, b"", Problem(message="Internal Server Error", status=500)),
    ("nothing, with an unknown status", openai_chat.FORM, 599, {}, {}, Problem(message="", status=599)),
    (
        "a date",
        openai_chat.FORM,
        503,
        {"retry-after": "Sun, 22 Nov 2026 10:00:30 GMT", "date": "Sun, 22 Nov 2026 10:00:00 GMT"},
        {},
        Problem(message="Service Unavailable", status=503, retry_after_s=30),
    ),
    (
        "a date from nowhere",
        openai_chat.FORM,
        503,
        {"retry-after": "soon"},
        {},
        Problem(message="Service Unavailable", status=503),
    ),
)


@pytest.mark.parametrize("row", RESPONSES, ids=[row[0] for row in RESPONSES])
def test_a_response_with_an_error(row: tuple[str, Form, int, dict[str, str], Any, Problem]) -> None:
    """Its type, its message, and how long to wait; such an answer is complete, even under the type of a stream."""
    _, form, status, headers, body, problem = row
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    for content_type in ("application/json", "text/event-stream"):
        answer = read_answer(form, [(1, data)], status, (*headers.items(), ("content-type", content_type)))
        assert answer.error == problem
        assert (answer.is_complete, answer.parts, answer.unreadable) == (True, (), 0)


_FAILED = {"id": "r", "status": "failed", "error": {"code": "server_error", "message": "Oh."}}
IN_STREAMS: tuple[tuple[str, Form, Any, Problem], ...] = (
    ("anthropic", anthropic.FORM, {"type": "error", "error": {"type": "overloaded_error", "message": "Oh."}}, Problem(type="overloaded_error", message="Oh.")),
    ("openrouter", openai_chat.FORM, {"id": "r", "error": {"code": 502, "message": "Oh."}, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]}, Problem(message="Oh.", status=502)),
    ("responses, failed", openai_responses.FORM, {"type": "response.failed", "response": _FAILED}, Problem(message="Oh.", code="server_error")),
    ("responses, error", openai_responses.FORM, {"type": "error", "code": "server_error", "message": "Oh.", "param": None}, Problem(message="Oh.", code="server_error")),
    ("codex", openai_responses.FORM, {"type": "error", "status": 429, "error": {"type": "usage_limit_reached", "message": "Oh."}}, Problem(type="usage_limit_reached", message="Oh.", status=429)),
    ("gemini", gemini.FORM, {"error": {"code": 503, "message": "Oh.", "status": "UNAVAILABLE"}}, Problem(type="UNAVAILABLE", message="Oh.", status=503)),
    ("ollama", ollama.FORM, {"error": "Oh."}, Problem(message="Oh.")),
)  # fmt: skip


@pytest.mark.parametrize("row", IN_STREAMS, ids=[row[0] for row in IN_STREAMS])
def test_an_error_in_the_middle_of_a_stream(row: tuple[str, Form, Any, Problem]) -> None:
    """The status was 200 long ago. What came before stays."""
    _, form, event, problem = row
    answer = read_answer(form, [(1, sse(event))], 200, streams.SSE)
    assert (answer.error, answer.is_complete) == (problem, True)


def test_an_exception_of_an_event_stream() -> None:
    """Its name is its type; what came before stays."""
    exception = streams.frame(
        b'{"message":"Too many tokens"}', message_type="exception", exception_type="throttlingException"
    )
    body = streams.frames(*streams.CONVERSE_EVENTS[:3]) + exception
    answer = read_answer(bedrock.FORM, [(1, body)], 200, streams.BINARY)
    assert answer.error == Problem(type="throttlingException", message="Too many tokens")
    assert (answer.thinking, answer.is_complete) == (streams.THOUGHT, True)
    bare = streams.frame(b"", message_type="error", error_code="InternalError", error_message="Oh.")
    assert read_answer(bedrock.FORM, [(1, bare)], 200, streams.BINARY).error == Problem(
        type="InternalError", message="Oh."
    )
