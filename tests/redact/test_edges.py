"""Parts of secrets at the edges of texts."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from acp_trace.redact.edges import Edges
from acp_trace.trace.capture_lines import LONGEST_LOG
from tests.redact.redacting import redacted
from tests.support import line, request, result, trace, update

SECRET = "Zq9xV4tR8mK2wP6nB3cD"


@pytest.mark.parametrize("many", [0, 100])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"x {SECRET[:8]}", [(2, 10, SECRET)]),
        (f"x{SECRET[:19]}", [(1, 20, SECRET)]),
        (f"{SECRET[9:]} x", [(0, 11, SECRET)]),
        (f"x {SECRET[:7]}", []),
        (f"x {SECRET[:9]} x", []),
        ("x production-database", []),
        ("", []),
    ],
)
def test_the_edges_of_a_text(text: str, found: list[tuple[int, int, str]], many: int) -> None:
    """Eight characters or more that look like a token, among few secrets and many."""
    words = [SECRET, "production-database-1", *(f"{number:03}-A1b2C3d4" for number in range(many))]
    edges = Edges(words)
    assert list(edges.spans(text)) == found
    assert not found or any(sign in text for sign in edges.signs())


def _updates(texts: list[str]) -> list[tuple[str, Any]]:
    return [
        ("agent", update("s", "tool_call_update", toolCallId="t", rawOutput={"output": text}))
        for text in texts
    ]


def _answers(texts: list[str]) -> list[tuple[str, Any]]:
    return [
        one
        for number, text in enumerate(texts, 10)
        for one in (
            ("agent", request(number, "terminal/output", sessionId="s", terminalId="t")),
            ("client", result(number, output=text, truncated=True)),
        )
    ]


@pytest.mark.parametrize("told", [_updates, _answers])
def test_output_that_grows_or_forgets(told: Any) -> None:
    """No part of eight characters is left, wherever the output was cut."""
    whole = f"the key is {SECRET}, it was said"
    texts = [whole[:end] for end in range(len(whole))] + [whole[start:] for start in range(len(whole))]
    server = {"name": "x", "env": [{"name": "A", "value": SECRET}]}
    opened = ("client", request(1, "session/new", cwd="/w", mcpServers=[server]))
    out = redacted(trace(opened, *told(texts)))[0].decode()
    assert not [at for at in range(len(SECRET) - 7) if SECRET[at : at + 8] in out]
    assert "the key is <secret:1>, it was said" in out
    assert redacted(out.encode())[0].decode() == out


def test_a_line_that_was_cut_in_two() -> None:
    """As the recorder cuts what an agent writes to stderr without a newline."""
    server = {"name": "x", "env": [{"name": "A", "value": SECRET}]}
    opened = trace(("client", request(1, "session/new", mcpServers=[server])), end=False)
    out = redacted(opened + line(t=2, log=f"x{SECRET[:10]}") + line(t=2, log=f"{SECRET[10:]}y"))[0]
    assert out.endswith(b'"log":"x<secret:1>"}\n{"t":2,"log":"<secret:1>y"}\n')


@pytest.mark.parametrize("secret", ["pw-Zq9x7", "correct-horse-battery-staple", "Zq9xV4tR8mK2wP6nB3cD"])
def test_a_long_line_that_was_cut_anywhere(secret: str) -> None:
    """The recorder cuts a line of stderr after 65,536 bytes: no character of a secret is left of it."""
    server = {"name": "x", "env": [{"name": "A", "value": secret}]}
    opened = trace(("client", request(1, "session/new", mcpServers=[server])), end=False)
    for at in (1, 4, len(secret) // 2, len(secret) - 1):
        begun, rest = LONGEST_LOG * "." + secret[:at], f"{secret[at:]} it said"
        out = redacted(opened + line(t=2, log=begun) + line(t=3, log=rest) + line(t=4, log="next"))[0]
        logs = [msgspec.json.decode(each)["log"] for each in out.splitlines() if b'"log"' in each]
        assert logs == [f"{LONGEST_LOG * '.'}<secret:1>", " it said", "next"]


def test_a_token_over_the_end_of_a_long_line() -> None:
    """It is known from nowhere else."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    begun, rest = f"{LONGEST_LOG * '.'} {token[:20]}", f"{token[20:]} it said"
    out = redacted(trace(end=False) + line(t=2, log=begun) + line(t=3, log=rest) + line(t=4, log=token))[0]
    assert out.count(b"<secret:1>") == 2
    assert token[20:].encode() not in out


def test_two_lines_are_not_one() -> None:
    """A short line was not cut: what only its end and the next line say together is no secret."""
    server = {"name": "x", "env": [{"name": "A", "value": "pw-Zq9x7"}]}
    opened = trace(("client", request(1, "session/new", mcpServers=[server])), end=False)
    out = redacted(opened + line(t=2, log="pw-") + line(t=3, log="Zq9x7"))[0]
    assert out.endswith(b'"log":"pw-"}\n{"t":3,"log":"Zq9x7"}\n')
