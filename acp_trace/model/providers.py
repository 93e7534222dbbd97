"""Which requests go to a language model, and to which kind of provider: by their shape. Tables.

Hosts decide nothing: a company's gateway, or a stand-in, has any name and the same paths and bodies.
`recognition` has similar tables for readers: which requests are calls, and in which form. Because what is not
recorded is lost, these tables include more (embeddings, token counts), if possible before a body.
"""

from __future__ import annotations

import re
from typing import Any

from acp_trace.trace.jsontext import value_or_none

#: The end of a request's path, without its query, and the kind of provider that it means.
PATHS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "openai",
        re.compile(r"/(?:chat/completions|completions|responses(?:/compact)?|realtime|embeddings)/?$"),
    ),
    ("anthropic", re.compile(r"/v1/messages(?:/count_tokens)?/?$")),
    ("gemini", re.compile(r":(?:streamGenerateContent|generateContent|countTokens|embedContent)$")),
    ("bedrock", re.compile(r"/model/[^/]+/(?:invoke|converse)(?:-with-response-stream|-stream)?$")),
    ("vertex", re.compile(r":(?:stream)?[rR]awPredict$")),
    ("ollama", re.compile(r"/api/(?:chat|generate)/?$")),
)
#: The end of the path of a request for the list of models. It is not a call, but agents show users the
#: answer, so a replay has to give it. OpenAI, Anthropic, Gemini and most gateways; Ollama; LiteLLM; Bedrock.
_LISTS = re.compile(r"/(?:models(?:/[^/]+)?|api/tags|model/info|foundation-models)/?$")
#: The members, with their types, of a body that asks a model for something, whatever its host.
_BODIES: tuple[tuple[str, tuple[tuple[str, type | tuple[type, ...]], ...]], ...] = (
    ("anthropic", (("anthropic_version", str), ("messages", list))),
    ("openai", (("model", str), ("messages", list))),
    ("openai", (("model", str), ("input", (str, list)))),
    ("openai", (("type", str), ("response", dict))),
    ("gemini", (("contents", list),)),
    ("gemini", (("request", dict), ("model", str))),
    ("openai", (("model", str), ("prompt", (str, list)))),
)
#: A body that does not begin like this is not examined.
_OBJECT = re.compile(rb"\s*\{")


def by_path(method: str, target: str) -> str | None:
    """Return the kind of provider that a request goes to, if its path shows it. `target`: path and query."""
    if method not in ("POST", "GET"):
        return None
    path = target.partition("?")[0]
    kind = next((kind for kind, pattern in PATHS if pattern.search(path)), None)
    # Only the upgrade to a WebSocket is a GET; other GET requests do not hold a conversation.
    return kind if method != "GET" or kind == "openai" else None


def lists_models(method: str, target: str) -> bool:
    """Whether a request asks for the list of models. `target`: path and query."""
    return method == "GET" and _LISTS.search(target.partition("?")[0]) is not None


def by_body(body: bytes) -> str | None:
    """Return the kind of provider that a request with this body goes to, if that shows."""
    if not _OBJECT.match(body):
        return None
    value: Any = value_or_none(body)
    if not isinstance(value, dict):
        return None
    for kind, members in _BODIES:
        if all(isinstance(value.get(name), type_) for name, type_ in members):
            return kind
    return None
