"""Names that decide."""

from __future__ import annotations

import pytest

from acp_trace.redact import secret_names
from tests.rows import each


@pytest.mark.parametrize(
    "name", ["token", "API_KEY", "apiKey", "X-Amz-Signature", "access%5Ftoken", "sig", "code"]
)
def test_parameters_of_urls(name: str) -> None:
    """In any spelling."""
    assert secret_names.is_parameter(name)


@pytest.mark.parametrize("name", ["monkey", "tokens", "max_tokens", "keyword", "signal", "sessionId"])
def test_other_parameters(name: str) -> None:
    """A part of a name decides nothing."""
    assert not secret_names.is_parameter(name)


@pytest.mark.parametrize(
    "name", ["--api-key", "-token", "--openai-api-key", "--dbPassword", "--client_secret"]
)
def test_options(name: str) -> None:
    """By their last words."""
    assert secret_names.is_option(name)


@pytest.mark.parametrize("name", ["--max-tokens", "--key", "--sort-key", "--token-limit", "--passwordless"])
def test_other_options(name: str) -> None:
    """A key alone is most often none that opens anything."""
    assert not secret_names.is_option(name)


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "PGPASSWORD", "openaiApiKey", "SENTRY_DSN"]
)
def test_variables(name: str) -> None:
    """By their last word."""
    assert secret_names.is_variable(name)


#: Names that hold a secret, as headers and as variables; the last word is joined to others in all ways.
SECRET = """
    x-usertoken x-apikeyv2 xapikey MyApiToken x-pat x-my-pass x-api-key X-Api-Key-2 x-userpass dbpassword userSecret
    x-session-token accessToken ACCESS_TOKEN_1 x-oauth2 basicAuth github-pat adminCredentials x-jwt x-cookie
    OPENAI_API_KEYS clientSecretV3 my.private.key x-otp user-passcode DB_PWD AWS_CREDS refreshtoken2
"""
#: Headers of providers, of gateways and of libraries; names of variables, of members of JSON and of options.
HARMLESS = """
    x-request-id request-id x-pattern passthrough x-passthrough compass x-compass bypass x-bypass-cache author x-author
    authority tokenizer x-tokenizer max_tokens prompt_tokens completion_tokens total_tokens max-completion-tokens
    anthropic-ratelimit-tokens-limit anthropic-ratelimit-input-tokens-remaining x-ratelimit-reset-tokens
    x-ratelimit-remaining-tokens x-ratelimit-limit-project-tokens x-amzn-bedrock-input-token-count
    x-amzn-bedrock-cache-read-input-token-count keyboard keyword monkey hotkey x-monkey-id content-type content-length
    accept accept-encoding user-agent host connection date server via vary etag traceparent tracestate baggage cf-ray
    cf-cache-status alt-svc age cache-control expires last-modified location link referer origin transfer-encoding
    anthropic-version anthropic-beta anthropic-organization-id anthropic-dangerous-direct-browser-access
    openai-organization openai-processing-ms openai-version openai-project openai-beta x-stainless-lang
    x-stainless-package-version x-stainless-os x-stainless-arch x-stainless-runtime x-stainless-retry-count
    x-stainless-timeout x-goog-api-client x-goog-user-project x-goog-request-params x-amz-date x-amz-target
    x-amz-content-sha256 x-amzn-requestid x-amz-cf-id x-amz-cf-pop x-ms-region x-ms-client-request-id azureml-model-group
    x-github-api-version copilot-integration-id editor-version editor-plugin-version vscode-sessionid x-initiator
    x-app x-title http-referer x-envoy-upstream-service-time x-robots-tag x-content-type-options x-frame-options
    strict-transport-security content-security-policy access-control-allow-origin access-control-allow-credentials
    access-control-expose-headers sec-websocket-key sec-websocket-accept sec-websocket-version sec-websocket-extensions
    sec-fetch-site sec-fetch-mode sec-ch-ua idempotency-key x-idempotency-key www-authenticate proxy-authenticate
    session-id x-session-id x-session-affinity x-codex-turn-state conversation_id x-correlation-id x-b3-traceid
    llm_provider-x-request-id retry-after x-should-retry priority te trailer upgrade compat expat started-up-at
    x-last-stop-at format x-format config x-config design x-design sacred x-heartbeat nat x-chat stat threat spatial
    prompt_cache_key cacheKey sortKey primary_key nextPageToken page_token eos_token passive author-id
"""


@pytest.mark.parametrize("name", SECRET.split())
def test_words_that_are_joined(name: str) -> None:
    """The end of a word decides, in a header and in a variable, however its words are joined or numbered."""
    for spelt in (name, name.lower()) if "v" not in name.lower() else (name,):
        assert secret_names.is_header(spelt), spelt
        assert secret_names.is_variable(spelt.replace("-", "_")), spelt


def test_harmless_names() -> None:
    """What real headers, variables and members of JSON are called."""

    def check(name: str) -> None:
        assert not secret_names.is_header(name)
        assert not secret_names.is_variable(name)
        assert not secret_names.is_option(f"--{name}")
        assert not secret_names.is_parameter(name)

    each(HARMLESS.split(), check)


@pytest.mark.parametrize("name", ["x-token-raw", "x-auth-user", "authentication-info", "x-key-for-this"])
def test_headers_in_which_another_word_follows(name: str) -> None:
    """In a header, any of its words decides."""
    assert secret_names.is_header(name)


@pytest.mark.parametrize("name", ["--no-auth", "--skip-password", "--use-cookie", "--with-author"])
def test_options_that_switch(name: str) -> None:
    """They have no value: what follows is an argument of its own."""
    assert not secret_names.is_option(name)


@pytest.mark.parametrize("name", ["PATH", "KEY", "KEYBOARD", "TOKENIZERS_PARALLELISM", "PWD", "MONKEY"])
def test_other_variables(name: str) -> None:
    """Everything else."""
    assert not secret_names.is_variable(name)


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
    assert secret_names.is_common(value)


@pytest.mark.parametrize("value", ["pass", "12345678", "/data/x", "abc/def", "/usr/bin:secret", "swordfish"])
def test_other_values(value: str) -> None:
    """May be secrets."""
    assert not secret_names.is_common(value)
