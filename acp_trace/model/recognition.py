"""Which wire form an exchange has, and which provider answers: two tables.

The form is recognised by shape: the end of the path and the keys of the request, or the keys alone if they
are distinctive. The host only names the provider: gateways, proxies and local servers speak the same forms.
`providers` decides what is recorded, which is more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from acp_trace.model import fields
from acp_trace.model.forms import (
    anthropic,
    bedrock,
    completions,
    gemini,
    ollama,
    openai_chat,
    openai_responses,
)
from acp_trace.model.forms.form import Form
from acp_trace.model.problems import Headers
from acp_trace.trace import jsontext


@dataclass(frozen=True, slots=True)
class Recognised:
    """A call of a model. `model` is from the path; in most forms the request body names it."""

    form: Form
    provider: str
    model: str | None = None
    #: The exchange has become a WebSocket: its messages hold calls (`sockets`).
    is_socket: bool = False


@dataclass(frozen=True, slots=True)
class _Shape:
    """A row: a form, the end of its path, and its keys in a request. `alone`: the keys are enough."""

    form: Form
    path: str
    has: Callable[[dict[str, Any]], bool]
    alone: Callable[[dict[str, Any]], bool] | None = None
    is_socket: bool = False


def _has(*keys: str) -> Callable[[dict[str, Any]], bool]:
    return lambda body: all(key in body for key in keys)


def _is_anthropic(body: dict[str, Any]) -> bool:
    """Whether a body has `system` beside the messages, or tools with `input_schema`, as only this form."""
    tool = fields.first(body.get("tools"))
    own = "anthropic_version" in body or "input_schema" in tool or ("system" in body and "max_tokens" in body)
    return "messages" in body and own and "inferenceConfig" not in body


def _is_converse(body: dict[str, Any]) -> bool:
    """Whether content blocks have no type."""
    block = fields.first(fields.first(body.get("messages")).get("content"))
    return bool(block) and "type" not in block


def _is_responses(body: dict[str, Any]) -> bool:
    own = ("instructions", "reasoning", "previous_response_id", "max_output_tokens", "store", "include")
    return "input" in body and "model" in body and any(key in body for key in own)


def _is_gemini(body: dict[str, Any]) -> bool:
    inner = fields.mapping(body.get("request")) or body
    return isinstance(inner.get("contents"), (list, dict, str))


#: The first row that fits decides the form.
_SHAPES = (
    _Shape(gemini.FORM, r":(streamG|g)enerateContent", _is_gemini, _is_gemini),
    _Shape(openai_responses.FORM, r"/responses(/compact)?", _has("input"), _is_responses, is_socket=True),
    _Shape(anthropic.FORM, r"(/invoke(-with-response-stream)?|:(streamR|r)awPredict)", _is_anthropic),
    _Shape(bedrock.FORM, r"/(converse(-stream)?|invoke(-with-response-stream)?)", _is_converse),
    _Shape(anthropic.FORM, r"/messages", _has("messages"), _is_anthropic),
    _Shape(ollama.FORM, r"/api/chat", _has("messages")),
    _Shape(completions.FORM, r"/(completions|api/generate)", _has("prompt"), _has("prompt", "model")),
    _Shape(
        openai_chat.FORM,
        r"(/chat/completions|/invoke(-with-response-stream)?|:(streamR|r)awPredict)",
        _has("messages"),
        _has("messages", "model"),
    ),
)
#: Requests that resemble calls but are not: they count, embed, judge, or look back.
_NO_CALL = re.compile(
    r"(count[-_]?tokens|/input_tokens|/(embed\w*|moderations|rerank|tokenize|batches|files))$",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"%([0-7][0-9A-Fa-f])")  #: of ASCII: some model names contain such escapes
#: The model in a path.
_MODEL = re.compile(r"/(?:models?|deployments)/([^/:]+(?::\d+)?)(?=[:/])")

#: The end of the host, and its provider.
HOSTS = (
    ("api.openai.com", "openai"),
    ("chatgpt.com", "openai"),
    ("openai.azure.com", "azure"),
    ("cognitiveservices.azure.com", "azure"),
    ("services.ai.azure.com", "azure"),
    ("anthropic.com", "anthropic"),
    ("claude.ai", "anthropic"),
    ("generativelanguage.googleapis.com", "google"),
    ("cloudcode-pa.googleapis.com", "google"),
    ("aiplatform.googleapis.com", "vertex"),
    ("amazonaws.com", "bedrock"),
    ("openrouter.ai", "openrouter"),
    ("githubcopilot.com", "github"),
    ("models.github.ai", "github"),
    ("api.mistral.ai", "mistral"),
    ("api.deepseek.com", "deepseek"),
    ("api.moonshot.ai", "moonshot"),
    ("api.moonshot.cn", "moonshot"),
    ("api.kimi.com", "moonshot"),
    ("dashscope.aliyuncs.com", "alibaba"),
    ("dashscope-intl.aliyuncs.com", "alibaba"),
    ("api.groq.com", "groq"),
    ("api.x.ai", "xai"),
    ("api.cerebras.ai", "cerebras"),
    ("api.together.xyz", "together"),
    ("api.fireworks.ai", "fireworks"),
    ("api.z.ai", "zhipu"),
    ("opencode.ai", "opencode"),
    ("router.huggingface.co", "huggingface"),
)


def recognise(method: str, host: str, target: str, headers: Headers, body: bytes) -> Recognised | None:
    """Return what model call a request is; None if it is not a call. `target` is its path with its query.

    The request that opens a WebSocket has no body: its path is enough.
    """
    path = target.partition("?")[0].rstrip("/")
    if _NO_CALL.search(path):
        return None
    is_socket = any(
        name.lower() == "upgrade" and (value or "").lower() == "websocket" for name, value in headers
    )
    value = jsontext.value_or_none(body) if method == "POST" else None
    shape = _shape(path, value if isinstance(value, dict) else None, is_socket=is_socket)
    if shape is None:
        return None
    return Recognised(shape.form, provider(host), _model(path), is_socket=is_socket)


def _shape(path: str, body: dict[str, Any] | None, *, is_socket: bool) -> _Shape | None:
    by_path = [shape for shape in _SHAPES if re.search(f"{shape.path}$", path)]
    if is_socket:
        return next((shape for shape in by_path if shape.is_socket), None)
    if body is None:
        return None
    fits = (shape for shape in by_path if shape.has(body))
    by_body = (shape for shape in _SHAPES if shape.alone is not None and shape.alone(body))
    return next(fits, None) or next(by_body, None)


def provider(host: str) -> str:
    """Return the provider at a host; for an unknown one, the host itself without its port."""
    name = host.lower()
    name = name.rpartition(":")[0] if re.search(r":\d+$", name) else name
    known = (who for end, who in HOSTS if name == end or name.endswith((f".{end}", f"-{end}")))
    return next(known, name)


def _model(path: str) -> str | None:
    match = _MODEL.search(_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), path))
    return match[1] if match else None
