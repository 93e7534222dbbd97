"""Secrets in command lines."""

from __future__ import annotations

import pytest

from acp_trace.redact.arguments import header_start, spans


def found(*arguments: str) -> list[str]:
    """The secrets of a command line, argument by argument."""
    return [
        argument[start:end]
        for before, argument in zip((None, *arguments), arguments, strict=False)
        for start, end in spans(argument, before)
    ]


@pytest.mark.parametrize(
    ("arguments", "secrets"),
    [
        (["agent", "--api-key", "K", "acp"], ["K"]),
        (["agent", "--api-key=K", "--apiKey", "L", "--openai-api-key", "M"], ["K", "L", "M"]),
        (["agent", "--token", "--verbose"], []),
        (["agent", "--token", ""], []),
        (["agent", "--max-tokens", "100", "--key-file", "f", "--key", "f"], []),
        (["env", "OPENAI_API_KEY=K", "PATH=/bin", "GITHUB_TOKEN=a b", "agent"], ["K", "a b"]),
        (["docker", "run", "-e", "API_KEY=K", "--env=DB_PASSWORD=L", "x"], ["K", "L"]),
        (["codex", "-c", "x.bearer_token=K"], ["K"]),
        (
            ["sh", "-c", "export API_KEY='a b'; TOKEN=T agent --password=\"P\" --secret S&&x"],
            ["a b", "T", "P", "S"],
        ),
        (["sh", "-lc", "API_KEY=K agent acp"], ["K"]),
        (["mcp", "--header", "Authorization: Bearer T", "-H", "X-Any:V"], ["T", "V"]),
        (["sh", "-c", "curl -H 'Authorization: Basic T' --header='X: Y'"], ["T", "Y"]),
        (["mcp", "--header", "no colon"], []),
        (["mcp", "--token='K'", '--secret="L"', "--password:M"], ["K", "L", "M"]),
        (["mcp", "-HX-Key: K", "-u", "ann:L", "--user=ann:M", "-u", "1000:1000"], ["K", "L", "M"]),
        (["mcp", "--config", '{"braveApiKey":"K","name":"n","env":{"A":"L"}}'], ["K", "L"]),
        (["mcp", "--config", '"{\\"apiKey\\":\\"K\\"}"'], ["K"]),
        (["codex", "-c", 'x.http_headers={"X-A"="K","Authorization"="Bearer L"}'], ["K", "L"]),
        (["mcp", "--jwt", "J", "--private-key", "K", "--ssh-private-key=L"], ["J", "K", "L"]),
        (["x", "https://h/?a=b", "monkey=1", "KEY_WORDS=1"], []),
    ],
)
def test_secrets_of_command_lines(arguments: list[str], secrets: list[str]) -> None:
    """Options and variables, by the table of names; headers, whatever their names."""
    assert found(*arguments) == secrets


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ("Bearer abc", 7),
        ("bearer  abc", 8),
        ("Basic abc", 6),
        ("abc", 0),
        ("Bearer", 0),
        ("Bearer ", 0),
        ("Other abc", 0),
    ],
)
def test_the_scheme_of_a_header_is_no_secret(value: str, start: int) -> None:
    """So that its token is the same secret as elsewhere."""
    assert header_start(value) == start
