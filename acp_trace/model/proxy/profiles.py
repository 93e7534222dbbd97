"""Base URLs that an agent's environment has already, and how they lead through the proxy. Tables; no I/O.

Agents do not use a proxy for a model on this machine (Ollama, a gateway, a stand-in), because their own
servers are local too. A variable tells its agents the address, so the variable gets another value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from acp_trace.model.proxy.settings import Base
from acp_trace.trace import json_pointer

#: Variables whose value is a base URL, and who reads them.
VARIABLES = {
    "OPENAI_BASE_URL": "opencode, qwen-code, OpenAI's libraries",
    "OPENAI_API_BASE": "older libraries, LiteLLM",
    "AZURE_OPENAI_ENDPOINT": "OpenAI's libraries, for Azure",
    "ANTHROPIC_BASE_URL": "claude-agent-acp, Anthropic's libraries",
    "ANTHROPIC_BEDROCK_BASE_URL": "claude-agent-acp, behind a gateway to Bedrock",
    "ANTHROPIC_VERTEX_BASE_URL": "claude-agent-acp, behind a gateway to Vertex",
    "GOOGLE_GEMINI_BASE_URL": "gemini-cli",
    "GOOGLE_VERTEX_BASE_URL": "gemini-cli, for Vertex",
    "COPILOT_PROVIDER_BASE_URL": "copilot",
    "GENERIC_BASE_URL": "fast-agent",
    "KIMI_BASE_URL": "kimi",
    "OLLAMA_BASE_URL": "libraries that ask Ollama",
    "OLLAMA_API_BASE": "LiteLLM, for Ollama",
    "OLLAMA_HOST": "Ollama's own libraries",
    "LITELLM_BASE_URL": "agents behind a gateway of LiteLLM",
}
#: Variables whose value is a configuration in JSON, and the agents that read them.
DOCUMENTS = {"OPENCODE_CONFIG_CONTENT": "opencode", "CODEX_CONFIG": "codex-acp"}
#: Where base URLs are in these, as the agents document it; `*` is the name of a provider.
PLACES = {
    "OPENCODE_CONFIG_CONTENT": ("/provider/*/options/baseURL",),
    "CODEX_CONFIG": ("/openai_base_url", "/chatgpt_base_url", "/model_providers/*/base_url"),
}
#: Names of providers. Names with a meaning in every JavaScript object are excluded.
_PROVIDER = re.compile(r"(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
#: The keys of base URLs anywhere in a document of the user.
_KEYS = {"baseURL", "base_url", "openai_base_url", "chatgpt_base_url"}
#: Where Ollama is, and its port if only a host is given (Ollama's documentation, "FAQ").
_OLLAMA, _OLLAMA_PORT = "OLLAMA_HOST", 11434
_HERE = {"localhost", "::1", "0.0.0.0"}  # noqa: S104  (nobody listens there; some write it for this machine)


def found(given: Mapping[str, str], named: Container[str]) -> Iterator[Base]:
    """Return the base URLs on this machine in the environment `given`, except those of `named` variables."""
    for name in VARIABLES:
        url = _with_scheme(given.get(name, ""), name)
        if name not in named and _is_here(url):
            yield Base(name, url, is_found=True)
    for name in DOCUMENTS:
        for place, url in _urls(_document(given.get(name)), ()):
            if (variable := f"{name}#{json_pointer.written(place)}") not in named:
                yield Base(variable, url, is_found=True)


def _with_scheme(value: str, name: str) -> str:
    """Return a base URL. Ollama's own variable may have a host alone, or a host and a port."""
    if name != _OLLAMA or not value or "://" in value:
        return value
    has_port = value.rpartition(":")[2].isdecimal() and not value.endswith("::1")
    return f"http://{value}" if has_port else f"http://{value}:{_OLLAMA_PORT}"


def is_known(name: str) -> bool:
    """Whether the tables have this name of a base URL: `OPENAI_BASE_URL`, `CODEX_CONFIG#/openai_base_url`.

    A replay takes only these names from a recording, because anyone may have written that.
    """
    variable, hash_, pointer = name.partition("#")
    if not hash_:
        return variable in VARIABLES
    return any(_is_at(pointer.split("/"), place.split("/")) for place in PLACES.get(variable, ()))


def _is_at(pointer: Sequence[str], place: Sequence[str]) -> bool:
    return len(pointer) == len(place) and all(
        bool(_PROVIDER.fullmatch(word)) if known == "*" else word == known
        for word, known in zip(pointer, place, strict=True)
    )


def led(given: Mapping[str, str], base: Base, url: str) -> tuple[str, str]:
    """Return a base URL's variable and its new value, with `url` in it. `given`: the environment so far."""
    name, hash_, pointer = base.variable.partition("#")
    if not hash_:
        return name, url
    document = _document(given.get(name))
    *way, last = json_pointer.read(pointer)
    inner: Any = document
    for key in way:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else {}
    if isinstance(inner, dict):
        inner[last] = url
    return name, json.dumps(document)


def _document(text: str | None) -> dict[str, Any]:
    try:
        document = json.loads(text or "{}")
    except ValueError:  # it may have comments: it stays as it is
        return {}
    return document if isinstance(document, dict) else {}


def _urls(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the base URLs of a document on this machine, with their places."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield from _urls(inner, (*place, key))
        elif key in _KEYS and isinstance(inner, str) and _is_here(inner):
            yield (*place, key), inner


def _is_here(url: str | None) -> bool:
    """Whether a URL leads to this machine."""
    try:
        parts = urlsplit(url or "")
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return False
    is_here = host in _HERE or host.startswith("127.") or host.endswith(".localhost")
    return parts.scheme in ("http", "https") and is_here
