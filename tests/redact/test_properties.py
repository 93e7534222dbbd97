"""What holds for any secret and any conversation."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.redact.rules import Rule
from acp_trace.trace import json_pointer
from tests.reading.chance import conversation
from tests.redact.redacting import assert_same_facts, frames, redacted
from tests.support import header, line, request, result, trace, update

#: Nothing of a trace begins so by chance.
_MARK = "Zq9"
_SECRETS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=5, max_size=30).map(
        lambda text: _MARK + text.replace(_MARK, "")
    ),
    min_size=1,
    max_size=4,
    unique_by=str.strip,
)
_PLACES = ("env", "map", "header", "auth", "password", "parameter", "argument", "variable", "terminal", "own")
_OWN = (Rule("own", json_pointer.read("/params/_meta/mine"), ("session/prompt",)),)


def _told(place: str, secret: str) -> tuple[str, Any]:
    """A message that holds a secret at a place that a rule names."""
    url = quote(secret, safe="")
    servers: dict[str, Any] = {
        "env": {"env": [{"name": "A", "value": secret}]},
        "map": {"env": {"A": secret}},
        "header": {"headers": [{"name": "Authorization", "value": f"Bearer {secret}"}]},
        "password": {"url": f"https://user:{url}@host/x"},
        "parameter": {"url": f"https://host/x?a=b&api_key={url}#f"},
        "argument": {"args": ["--api-key", secret]},
        "variable": {"args": ["-e", f"API_KEY={secret}"]},
    }
    if place in servers:
        return "client", request(1, "session/new", mcpServers=[servers[place]])
    if place == "terminal":
        return "agent", request(1, "terminal/create", env=[{"name": "A", "value": secret}])
    if place == "auth":
        return "client", request(1, "authenticate", methodId="m", _meta={"api": [secret]})
    return "client", request(1, "session/prompt", _meta={"mine": secret})


def _repeated(secret: str) -> list[tuple[str, Any]]:
    """Messages that hold it anywhere."""
    return [
        (
            "agent",
            update("s", "agent_message_chunk", content={"type": "text", "text": f"it is {secret}, is it?"}),
        ),
        (
            "agent",
            update("s", "tool_call", toolCallId="t", title=secret, rawInput={secret: {"type": [secret]}}),
        ),
        ("agent", request(9, "_x/y", id=secret, text=f"x{secret}y")),
        ("client", result(9, text=json.dumps({"inner": secret}))),
    ]


def _lines(secret: str) -> bytes:
    """Log lines and noise that hold it."""
    return line(t=1, log=f"log {secret}") + line(t=2, **{"from": "agent"}, text=f"noise {secret}")


@st.composite
def _traces(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """A trace with secrets in it, each at one place at least, and the secrets."""
    secrets = draw(_SECRETS)
    said = [_told(draw(st.sampled_from(_PLACES)), secret) for secret in secrets]
    said += [_told(draw(st.sampled_from(_PLACES)), draw(st.sampled_from(secrets))) for _ in range(3)]
    said += [one for secret in secrets for one in _repeated(secret)]
    said = draw(st.permutations(said))
    body = trace(*said, end=False).partition(b"\n")[2]
    if draw(st.booleans()):
        body = b"".join(
            json.dumps(json.loads(one)).encode() + b"\n" for one in body.splitlines()
        )  # white space and `\u` escapes
    return header() + b"".join(map(_lines, secrets)) + body, secrets


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for pair in value.items() for inner in pair for one in _strings(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in _strings(inner)]
    return [value] if isinstance(value, str) else []


@given(_traces())
def test_no_secret_is_left(made: tuple[bytes, list[str]]) -> None:
    """In no string of the trace, whatever rule found it, and wherever else it stood."""
    file, secrets = made
    out, _ = redacted(file, _OWN)
    assert _MARK.encode() not in out
    strings = [text for one in out.splitlines() for text in _strings(json.loads(one))]
    assert [text for text in strings for secret in secrets if secret.strip() in text] == []


@given(_traces())
def test_redacting_twice_changes_nothing(made: tuple[bytes, list[str]]) -> None:
    """Placeholders are no secrets."""
    once, _ = redacted(made[0], _OWN)
    twice, again = redacted(once, _OWN)
    assert twice == once
    assert [row for row in again.rows() if row.replaced] == []


@given(_traces())
def test_the_analysis_says_the_same(made: tuple[bytes, list[str]]) -> None:
    """But for strings with placeholders."""
    assert_same_facts(made[0], redacted(made[0], _OWN)[0])


@given(_SECRETS, st.lists(st.integers(0, 9), min_size=1, max_size=12))
def test_equal_secrets_stay_equal_and_others_different(secrets: list[str], picks: list[int]) -> None:
    """One placeholder a secret, one secret a placeholder."""
    values = [secrets[pick % len(secrets)] for pick in picks]
    env = [{"name": f"N{at}", "value": value} for at, value in enumerate(values)]
    out, _ = redacted(trace(("client", request(1, "session/new", mcpServers=[{"env": env}]))))
    after = [one["value"] for one in frames(out)[0]["params"]["mcpServers"][0]["env"]]
    pairs = set(zip(values, after, strict=True))
    assert len(pairs) == len(set(values)) == len(set(after))
    assert list(dict.fromkeys(after)) == [f"<secret:{number}>" for number in range(1, len(set(after)) + 1)]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
_METHODS = st.sampled_from(
    ["session/new", "authenticate", "initialize", "proxy/successor", "terminal/create", "x"]
)


@given(st.lists(st.tuples(st.sampled_from(["client", "agent"]), _METHODS, _JSON, st.booleans()), max_size=6))
def test_any_json_at_all_never_raises(said: list[tuple[str, str, Any, bool]]) -> None:
    """Frames stay frames, in their order and number, and a second pass finds nothing."""
    messages = [
        (sender, {"id": 1, "method": method, "params": value} if asks else {"id": 1, "result": value})
        for sender, method, value, asks in said
    ]
    out, _ = redacted(trace(*messages))
    assert len(frames(out)) == len(messages)
    assert redacted(out)[0] == out


@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([b"{", b'{"t":1}', b'{"frame":', b'"://@<secret:9>']),
        max_size=8,
    )
)
def test_any_bytes_never_raise(lines: list[bytes]) -> None:
    """What cannot be read is left out."""
    file = trace(end=False) + b"\n".join(lines)
    redacted(file)


@pytest.mark.parametrize("seed", range(12))
def test_conversations_without_secrets_stay(seed: int) -> None:
    """All but the header, byte for byte."""
    file = conversation(seed)
    out, redactor = redacted(file)
    assert out.partition(b"\n")[2] == file.partition(b"\n")[2]
    assert redactor.rows() == []


@pytest.mark.parametrize("seed", range(12))
def test_conversations_whose_words_are_secrets_analyse_the_same(seed: int) -> None:
    """Even where an agent is told values that are ids, modes and words of the protocol elsewhere."""
    words = [
        "agent_message_chunk",
        "cancelled",
        "tool_call",
        "end_turn",
        "session/prompt",
        "model",
        "sessionId",
        "rfd-9",
    ]
    env = [{"name": word, "value": word} for word in words]
    lines = conversation(seed).splitlines(keepends=True)
    new = line(
        t=1, **{"from": "client"}, frame=request("n", "session/new", cwd="/w", mcpServers=[{"env": env}])
    )
    file = b"".join([*lines[:3], new, *lines[3:]])
    assert_same_facts(file, redacted(file)[0])
