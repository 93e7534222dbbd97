"""Names that decide."""

from __future__ import annotations

import pytest

from acp_trace.redact import names


@pytest.mark.parametrize(
    "name", ["token", "API_KEY", "apiKey", "X-Amz-Signature", "access%5Ftoken", "sig", "code"]
)
def test_parameters_of_urls(name: str) -> None:
    """In any spelling."""
    assert names.is_parameter(name)


@pytest.mark.parametrize("name", ["monkey", "tokens", "max_tokens", "keyword", "signal", "sessionId"])
def test_other_parameters(name: str) -> None:
    """A part of a name decides nothing."""
    assert not names.is_parameter(name)


@pytest.mark.parametrize(
    "name", ["--api-key", "-token", "--openai-api-key", "--dbPassword", "--client_secret"]
)
def test_options(name: str) -> None:
    """By their last words."""
    assert names.is_option(name)


@pytest.mark.parametrize("name", ["--max-tokens", "--key", "--sort-key", "--token-limit", "--passwordless"])
def test_other_options(name: str) -> None:
    """A key alone is most often none that opens anything."""
    assert not names.is_option(name)


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "PGPASSWORD", "openaiApiKey", "SENTRY_DSN"]
)
def test_variables(name: str) -> None:
    """By their last word."""
    assert names.is_variable(name)


@pytest.mark.parametrize("name", ["PATH", "KEY", "KEYBOARD", "TOKENIZERS_PARALLELISM", "PWD", "MONKEY"])
def test_other_variables(name: str) -> None:
    """Everything else."""
    assert not names.is_variable(name)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "1",
        "on",
        "8080",
        "TRUE",
        "en_US.UTF-8",
        "text/event-stream; x",
        "/usr/bin:/bin",
        r"C:\Windows\x;C:\Windows",
    ],
)
def test_common_values(value: str) -> None:
    """To look for them everywhere would ruin a trace and hide nothing."""
    assert names.is_common(value)


@pytest.mark.parametrize("value", ["pass", "12345678", "/data/x", "abc/def", "/usr/bin:secret", "swordfish"])
def test_other_values(value: str) -> None:
    """May be secrets."""
    assert not names.is_common(value)
