"""Every rule, with a message that it is about."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.protocol.methods import BY_NAME
from acp_trace.redact.rules import NAMES, RULES, SERVERS, Rule
from acp_trace.trace import json_pointer
from tests.redact.redacting import frames, redacted
from tests.rows import each
from tests.support import request, trace

SECRET = "Zq9secretvalue"


def _filled(path: tuple[str, ...], leaf: Any) -> Any:
    """A value in which the path leads to the leaf."""
    for part in reversed(path):
        leaf = [leaf] if part == "*" else {part: leaf}
    return leaf


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.methods[0]}{rule.pointer}")
def test_every_rule_finds_its_secret(rule: Rule) -> None:
    """In every message that it names; in the message of another method only if it is about MCP servers."""
    argument = f"--api-key={SECRET}" if rule.how == "arguments" else SECRET
    made = _filled((*rule.path, "x") if rule.deep else rule.path, argument)
    for method in rule.methods:
        ask = request(7, method, **made.get("params", {}))
        answer = {"jsonrpc": "2.0", "id": 7, **{key: made[key] for key in ("result",) if key in made}}
        file = trace(("client", ask), ("agent", answer))
        out, redactor = redacted(file)
        assert SECRET.encode() not in out
        assert [row[1:] for row in redactor.rows() if row.rule == rule.name] == [(1, 1)]
        elsewhere = redacted(file.replace(method.encode(), b"x/y"))[0]
        assert (SECRET.encode() in elsewhere) == (SERVERS not in rule.path)


def test_every_rule_is_about_the_protocol() -> None:
    """Its methods are those of the protocol, its name is in the order of the report, and it has a source."""

    def check(rule: Rule) -> None:
        assert set(rule.methods) <= set(BY_NAME)
        assert rule.name in NAMES
        assert rule.path[0] in ("params", "result")
        assert rule.source

    each(RULES, check, lambda rule: f"{rule.methods[0]}{rule.pointer}")


_SERVER = {"env": {"A": SECRET}, "headers": {"B": SECRET}, "args": ["--token", SECRET]}


@pytest.mark.parametrize(
    "message",
    [
        request(1, "_x/session/new", mcpServers=[_SERVER]),
        request(1, "session/new", _meta={"x": {"mcpServers": {"a": _SERVER}}}),
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "", "data": {"mcpServers": [_SERVER]}}},
        [[request(1, "session/new", mcpServers=[_SERVER])]],
    ],
    ids=str,
)
def test_servers_are_seen_wherever_they_are_told(message: Any) -> None:
    """Whatever the method is, and however deep they stand."""
    assert SECRET.encode() not in redacted(trace(("client", message)))[0]


def test_pointers() -> None:
    """RFC 6901, and `*`."""
    assert json_pointer.read("/params/a~1b/~01/*") == ("params", "a/b", "~1", "*")
    assert Rule("n", ("params", "a/b", "~1", "*")).pointer == "/params/a~1b/~01/*"


def test_names_of_variables_and_headers_stay() -> None:
    """A reader sees which ones there were."""
    server = {
        "name": "x",
        "env": [{"name": "KEY", "value": SECRET}],
        "headers": [{"name": "X-A", "value": f"Token {SECRET}"}],
    }
    (frame,) = frames(redacted(trace(("client", request(0, "session/new", mcpServers=[server]))))[0])
    assert frame["params"]["mcpServers"] == [
        {
            "name": "x",
            "env": [{"name": "KEY", "value": "<secret:1>"}],
            "headers": [{"name": "X-A", "value": "Token <secret:1>"}],
        }
    ]
