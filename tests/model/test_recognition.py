"""Which requests are calls of a model, in which form, and who answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.model.recognition import provider, recognise
from tests.model.test_prompts import ANTHROPIC, CHAT, CONVERSE, GEMINI, OLLAMA, RESPONSES

_NOVA = {**CONVERSE, "schemaVersion": "messages-v1"}
_VERTEX = {
    **{key: value for key, value in ANTHROPIC.items() if key != "model"},
    "anthropic_version": "vertex-2023-10-16",
}
_BEDROCK = {**_VERTEX, "anthropic_version": "bedrock-2023-05-31"}
CALLS: tuple[tuple[str, str, dict[str, Any], str, str, str | None], ...] = (
    ("api.openai.com", "/v1/completions", {"prompt": "x"}, "completions", "openai", None),
    ("127.0.0.1:11434", "/api/generate", {"model": "m", "prompt": "x"}, "completions", "127.0.0.1", None),
    ("api.openai.com", "/v1/chat/completions", CHAT, "openai-chat", "openai", None),
    ("localhost:8000", "/v1/chat/completions", CHAT, "openai-chat", "localhost", None),
    (
        "x.openai.azure.com",
        "/openai/deployments/gpt-5/chat/completions?api-version=1",
        CHAT,
        "openai-chat",
        "azure",
        "gpt-5",
    ),
    ("gateway.example", "/llm", CHAT, "openai-chat", "gateway.example", None),
    (
        "gateway.example",
        "/llm",
        {"model": "m", "messages": [], "max_tokens": 7},
        "openai-chat",
        "gateway.example",
        None,
    ),
    (
        "gateway.example",
        "/llm",
        {"model": "m", "messages": [], "max_tokens": 7, "system": ""},
        "anthropic",
        "gateway.example",
        None,
    ),
    (
        "gateway.example",
        "/llm",
        {"model": "m", "messages": [], "tools": ANTHROPIC["tools"]},
        "anthropic",
        "gateway.example",
        None,
    ),
    ("api.openai.com", "/v1/responses", RESPONSES, "openai-responses", "openai", None),
    ("chatgpt.com", "/backend-api/codex/responses", {"input": "Hi"}, "openai-responses", "openai", None),
    ("gateway.example", "/llm", RESPONSES, "openai-responses", "gateway.example", None),
    ("api.anthropic.com", "/v1/messages?beta=true", ANTHROPIC, "anthropic", "anthropic", None),
    ("api.kimi.com", "/coding/v1/messages", {"messages": []}, "anthropic", "moonshot", None),
    ("gateway.example", "/llm", ANTHROPIC, "anthropic", "gateway.example", None),
    (
        "us-east5-aiplatform.googleapis.com",
        "/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@2025:streamRawPredict",
        _VERTEX,
        "anthropic",
        "vertex",
        "claude-x@2025",
    ),
    (
        "bedrock-runtime.us-east-1.amazonaws.com",
        "/model/us.anthropic.claude-v1%3A0/invoke-with-response-stream",
        _BEDROCK,
        "anthropic",
        "bedrock",
        "us.anthropic.claude-v1:0",
    ),
    (
        "bedrock-runtime.us-east-1.amazonaws.com",
        "/model/amazon.nova-pro-v1:0/converse-stream",
        CONVERSE,
        "bedrock-converse",
        "bedrock",
        "amazon.nova-pro-v1:0",
    ),
    (
        "bedrock-runtime.us-east-1.amazonaws.com",
        "/model/amazon.nova-pro-v1:0/invoke",
        _NOVA,
        "bedrock-converse",
        "bedrock",
        "amazon.nova-pro-v1:0",
    ),
    (
        "generativelanguage.googleapis.com",
        "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
        GEMINI,
        "gemini",
        "google",
        "gemini-2.5-pro",
    ),
    (
        "cloudcode-pa.googleapis.com",
        "/v1internal:generateContent",
        {"model": "g", "request": GEMINI},
        "gemini",
        "google",
        None,
    ),
    ("127.0.0.1:11434", "/api/chat", OLLAMA, "ollama-chat", "127.0.0.1", None),
)
OTHERS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/v1/messages/count_tokens", ANTHROPIC),
    ("POST", "/v1beta/models/g:countTokens", GEMINI),
    ("POST", "/v1/embeddings", {"model": "m", "input": "x"}),
    ("POST", "/v1/responses/input_tokens", RESPONSES),
    ("GET", "/v1/models", None),
    ("GET", "/v1/responses/resp_1", None),
    ("POST", "/rpc", {"method": "initialize", "id": 0}),
    ("POST", "/slack/messages", {"text": "hi"}),
    ("POST", "/v1/chat/completions", [1]),
    ("POST", "/log", {"events": [], "model": "x"}),
)


@pytest.mark.parametrize("row", CALLS, ids=[f"{host} {path}" for host, path, *_ in CALLS])
def test_calls_are_known_by_their_shape(row: tuple[str, str, dict[str, Any], str, str, str | None]) -> None:
    """The form by path and body; the provider by the host; the model by the path, if it is there."""
    host, path, body, form, who, model = row
    found = recognise("POST", host, path, (), json.dumps(body).encode())
    assert found is not None
    assert (found.form.name, found.provider, found.model, found.is_socket) == (form, who, model, False)


@pytest.mark.parametrize("row", OTHERS, ids=[f"{method} {path}" for method, path, _ in OTHERS])
def test_what_is_no_call(row: tuple[str, str, Any]) -> None:
    """Requests that count, embed or list, and those that only look alike."""
    method, path, body = row
    assert recognise(method, "h", path, (), b"" if body is None else json.dumps(body).encode()) is None


def test_a_websocket_is_known_by_its_path() -> None:
    """Its calls are in its messages; other WebSockets are none of ours."""
    upgrade = (("Upgrade", "websocket"), ("authorization", None))
    found = recognise("GET", "api.openai.com", "/v1/responses", upgrade, b"")
    assert found is not None
    assert (found.form.name, found.is_socket) == ("openai-responses", True)
    assert recognise("GET", "api.openai.com", "/v1/chat/completions", upgrade, b"") is None


def test_a_provider_is_the_end_of_a_host() -> None:
    """Not a part of a name."""
    assert provider("API.OpenAI.com:443") == "openai"
    assert provider("notopenrouter.ai") == "notopenrouter.ai"
    assert provider("eu.openrouter.ai") == "openrouter"
    assert provider("[::1]:8080") == "[::1]"
