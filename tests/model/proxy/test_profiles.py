"""Base URLs on this machine that an agent's environment has already."""

from __future__ import annotations

import json

import pytest

from acp_trace.model.proxy import profiles, settings
from acp_trace.model.proxy.settings import Base


def _found(*named: str, **given: str) -> list[tuple[str, str]]:
    bases = list(profiles.found(given, set(named)))
    assert all(base.is_found for base in bases)
    return [(base.variable, base.url) for base in bases]


def test_only_what_is_on_this_machine_is_found() -> None:
    """All else is behind the proxy anyway; what was named is led as it was said."""
    here = "http://127.0.0.1:11434/v1"
    given = {
        "OPENAI_BASE_URL": here,
        "ANTHROPIC_BASE_URL": "https://gateway.example",
        "GOOGLE_GEMINI_BASE_URL": "http://localhost:4000",
        "COPILOT_PROVIDER_BASE_URL": "http://[::1]:1",
        "GENERIC_BASE_URL": "unix:///127.0.0.1",
        "KIMI_BASE_URL": "http://127.0.0.1:x",
        "OPENAI_API_BASE": "",
        "APP_BASE_URL": here,
    }
    assert _found("COPILOT_PROVIDER_BASE_URL", **given) == [
        ("OPENAI_BASE_URL", here),
        ("GOOGLE_GEMINI_BASE_URL", "http://localhost:4000"),
    ]


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("localhost:9000", "http://localhost:9000"),
        ("http://127.0.0.1:9000/x", "http://127.0.0.1:9000/x"),
        ("0.0.0.0", "http://0.0.0.0:11434"),
        ("ollama.example:11434", None),
        ("", None),
    ],
)
def test_the_host_of_ollama(value: str, url: str | None) -> None:
    """It may be a host and a port, or a host alone."""
    assert _found(OLLAMA_HOST=value) == ([("OLLAMA_HOST", url)] if url else [])


def test_a_base_url_in_a_document() -> None:
    """Of opencode and codex-acp: each is led for itself, and all else stays."""
    config = {
        "openai_base_url": "http://127.0.0.1:1/v1",
        "model": "m",
        "model_providers": {
            "a/b": {"base_url": "http://127.0.0.1:2"},
            "c": {"base_url": "https://c"},
            "d": 1,
        },
    }
    given = {"CODEX_CONFIG": json.dumps(config), "OPENCODE_CONFIG_CONTENT": "{ // a comment\n}"}
    bases = list(profiles.found(given, ()))
    names = ["CODEX_CONFIG#/openai_base_url", "CODEX_CONFIG#/model_providers/a~1b/base_url"]
    assert [base.variable for base in bases] == names
    assert [settings.base(f"{base.variable}={base.url}") for base in bases] == [
        Base(base.variable, base.url) for base in bases
    ]
    for base, url in zip(bases, ("http://l:1", "http://l:2"), strict=True):
        name, value = profiles.led(given, base, url)
        given[name] = value
    config["openai_base_url"] = "http://l:1"
    config["model_providers"]["a/b"]["base_url"] = "http://l:2"  # type: ignore[index]
    assert json.loads(given["CODEX_CONFIG"]) == config


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", {"a": {"b": "http://l"}}),
        ("no json", {"a": {"b": "http://l"}}),
        ('{"a":1}', {"a": 1}),
        ('{"a":{"b":2,"c":3}}', {"a": {"b": "http://l", "c": 3}}),
    ],
)
def test_a_place_that_is_not_there_is_made(before: str, after: object) -> None:
    """A replay leads a base URL that its user has not set; where something else stands, that stays."""
    name, value = profiles.led({"X": before}, Base("X#/a/b", "http://h"), "http://l")
    assert (name, json.loads(value)) == ("X", after)


def test_what_of_a_url_stays() -> None:
    """Its login, its path behind the word, and its query."""
    url = Base("X", "https://me:pw@h:1/v1?a=b").at("127.0.0.1", 9, "/w")
    assert url == "http://me:pw@127.0.0.1:9/w/v1?a=b"
    assert Base("X", "http://localhost").at("127.0.0.1", 9, "/w") == "http://127.0.0.1:9/w"
