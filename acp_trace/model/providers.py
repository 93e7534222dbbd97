"""Which requests go to a language model, and to which kind of provider: by their shape. Tables.

Hosts decide nothing: a company's gateway, or a stand-in, has any name and the same paths and bodies.
`recognition` has tables like these for readers: which requests are calls, and of which form. What is not
recorded can never be read, so these take in more (embeddings, counts of tokens), if possible before a body.
"""

from __future__ import annotations

import re
from typing import Any

from acp_trace.trace.jsontext import value_or_none

#: How the path of a request ends, without its query, and what kind of provider is asked that way.
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
#: How the path of a request ends that asks which models there are: no call, and agents show their users the
#: answer, so a replay has to give it. OpenAI, Anthropic, Gemini and most gateways; Ollama; LiteLLM; Bedrock.
_LISTS = re.compile(r"/(?:models(?:/[^/]+)?|api/tags|model/info|foundation-models)/?$")
#: What a body has that asks a model for something, wherever it goes: these members, of these types.
_BODIES: tuple[tuple[str, tuple[tuple[str, type | tuple[type, ...]], ...]], ...] = (
    ("anthropic", (("anthropic_version", str), ("messages", list))),
    ("openai", (("model", str), ("messages", list))),
    ("openai", (("model", str), ("input", (str, list)))),
    ("openai", (("type", str), ("response", dict))),
    ("gemini", (("contents", list),)),
    ("gemini", (("request", dict), ("model", str))),
    ("openai", (("model", str), ("prompt", (str, list)))),
)
#: The first bytes in which a body has to begin to be looked at.
_OBJECT = re.compile(rb"\s*\{")


def by_path(method: str, target: str) -> str | None:
    """The kind of provider that a request goes to, if its path says so. `target`: path and query."""
    if method not in ("POST", "GET"):
        return None
    path = target.partition("?")[0]
    kind = next((kind for kind, pattern in PATHS if pattern.search(path)), None)
    # Only the upgrade to a WebSocket is a GET; what is read in that way else holds no conversation.
    return kind if method != "GET" or kind == "openai" else None


def lists_models(method: str, target: str) -> bool:
    """Whether a request asks which models there are. `target`: path and query."""
    return method == "GET" and _LISTS.search(target.partition("?")[0]) is not None


def by_body(body: bytes) -> str | None:
    """The kind of provider that a request with this body goes to, if that shows."""
    if not _OBJECT.match(body):
        return None
    value: Any = value_or_none(body)
    if not isinstance(value, dict):
        return None
    for kind, members in _BODIES:
        if all(isinstance(value.get(name), type_) for name, type_ in members):
            return kind
    return None
