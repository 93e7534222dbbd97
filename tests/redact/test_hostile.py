"""Traces made to be slow to redact: time grows with what there is, not with its square.

Nothing here is timed. A count of lines of Python stands for time; where the work is done in C, a count of the
characters that were looked at.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from acp_trace.redact import finder, pem, scan
from acp_trace.redact.views import views
from tests.counting import executed_lines
from tests.redact.redacting import redacted
from tests.support import header, line, request, trace, update


def _chunk(text: str) -> tuple[str, Any]:
    return "agent", update("s", "agent_message_chunk", content={"type": "text", "text": text})


def _secrets(count: int) -> bytes:
    env = [{"name": "A", "value": f"x{number * 7919 % 99991:05}-secret"} for number in range(count)]
    said = [_chunk(f"it is {one['value']}") for one in env]
    return trace(("client", request(1, "session/new", mcpServers=[{"env": env}])), *said)


_BEGIN = "-----BEGIN RSA PRIVATE KEY-----"
_SCENARIOS: dict[str, Callable[[int], bytes]] = {
    "different secrets": _secrets,
    "different homes": lambda n: trace(
        *(("client", request(m, "session/new", cwd=f"/home/u{m}/w")) for m in range(n)),
        *(_chunk(f" /home/u{m}/x ") for m in range(n)),
    ),
    "keys that begin": lambda n: header() + line(t=1, log=f"{_BEGIN}\n" * n),
    "keys that begin, line by line": lambda n: header() + line(t=1, log=_BEGIN) * n,
    "a key without an end, in chunks": lambda n: trace(_chunk(_BEGIN + "\n"), *[_chunk("A1b2C3d4")] * n),
    "a token without an end, in chunks": lambda n: trace(_chunk("sk-ant-"), *[_chunk("A1b2C3d4")] * n),
    "messages of one chunk": lambda n: trace(
        *(("agent", update(f"s{m}", "agent_message_chunk", content={"text": "a"})) for m in range(n))
    ),
    "lines that are no JSON": lambda n: (
        header()
        + line(t=1, **{"from": "client"}, text='{"env":[')
        + line(t=1, **{"from": "client"}, text='{"a":[') * n
    ),
}


def _steps(file: bytes) -> int:
    """Lines of Python that the redaction of this file executes."""
    return executed_lines(lambda: redacted(file))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", _SCENARIOS)
def test_four_times_as_much_takes_four_times_as_long(scenario: str) -> None:
    """Not sixteen times."""
    small, large = _SCENARIOS[scenario](150), _SCENARIOS[scenario](600)
    redacted(small)  # what is made once, such as regular expressions, is not counted
    assert _steps(large) < 6 * _steps(small)


def test_the_number_of_secrets_does_not_count_for_a_text() -> None:
    """The same text among ten times the secrets takes the same steps, and most of its places none."""
    text = "nothing is in here at all " * 40

    def steps(count: int) -> int:
        found = finder.Finder(f"x{number:05}-secret" for number in range(count))
        return sum(1 for _ in found._places(text))

    assert steps(20_000) == steps(100) == 0


@pytest.mark.parametrize(
    "text", [f"{_BEGIN}\n", "sk-", "_eyJ", "://", "\\", "%25", "\x1b[", "-home-", "bearer ", "&#"]
)
def test_a_sign_that_is_repeated(text: str) -> None:
    """Has few views, none longer than the text, and each is read once."""
    whole = text * (100_000 // len(text))
    assert sum(len(view.text) for view in views(whole)) <= 4 * len(whole)
    assert len(scan.secrets(whole)) <= 1
    assert sum(end - start for start, end in pem.spans(whole)) <= len(whole)


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["\\", '\\"', "%25", "&#38;"])
def test_escapes_are_light(sign: str) -> None:
    """What has nothing in it costs its text and no table of its escapes."""
    text = sign * (150_000 // len(sign)) + "\\u0041"
    tracemalloc.start()
    try:
        assert scan.secrets(text) == []
        assert tracemalloc.get_traced_memory()[1] < 8 * len(text)
    finally:
        tracemalloc.stop()
