"""The rules: in which message, at which JSON path, a secret is, and what it is. A table.

Paths, never parts of a key's name: `sessionId` and `loadSession` stay, `env` of an MCP server does not.
From the ACP schemas (npm `@agentclientprotocol/sdk` 2.4.0) and from what agents are known to read.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from acp_trace.protocol.methods import INITIALIZE, OPENERS, TERMINAL_CREATE
from acp_trace.trace import json_pointer

#: What is taken of a string at a rule's place: all of it; all except the scheme (`Bearer …`); what names of
#: options and variables point at.
How = Literal["value", "header", "arguments"]


class Rule(NamedTuple):
    """One place. A path that ends at an object or an array means everything in it, if `deep`."""

    name: str  #: the name in the report
    path: tuple[str, ...]  #: from the message: `params`, `result` or `error`, then keys; `*` is any
    methods: tuple[str, ...] = ()  #: of the request, also for its response; `*` is any
    updates: tuple[str, ...] = ()  #: kinds of session/update
    how: How = "value"
    deep: bool = True
    source: str = ""

    @property
    def pointer(self) -> str:
        """Return the path in its usual notation."""
        return json_pointer.written(self.path)


ENV, HEADERS, LOGIN = "env values", "headers", "authentication"
ACCOUNTS, ARGUMENTS = "accounts", "arguments"
#: Rules without a path: they examine every string that is not kept.
USERINFO, PARAMETERS, SHAPES, HOME = "userinfo of URLs", "tokens in URLs", "token shapes", "home folder"

_SETUP = tuple(OPENERS)
_LOGIN = ("authenticate", "auth/login")


def _row(
    name: str, methods: tuple[str, ...], pointer: str, source: str, *, how: How = "value", deep: bool = True
) -> Rule:
    return Rule(name, json_pointer.read(pointer), methods, (), how, deep, source)


def _env(above: str, methods: tuple[str, ...], source: str) -> tuple[Rule, ...]:
    """Return rules for the variables of a started program, as a list (`name`, `value`) and as an object."""
    return (
        _row(ENV, methods, f"{above}/env/*/value", source),
        _row(ENV, methods, f"{above}/env/*", source, deep=False),
    )


def _headers(above: str, methods: tuple[str, ...], source: str) -> tuple[Rule, ...]:
    """Return the same for headers."""
    return (
        _row(HEADERS, methods, f"{above}/headers/*/value", source, how="header"),
        _row(HEADERS, methods, f"{above}/headers/*", source, how="header", deep=False),
    )


def _arguments(above: str, methods: tuple[str, ...], source: str) -> Rule:
    return _row(ARGUMENTS, methods, f"{above}/args/*", source, how="arguments", deep=False)


def _servers(above: str, source: str) -> tuple[Rule, ...]:
    """Return rules for MCP servers, at the methods that open sessions."""
    server = f"{above}/mcpServers/*"
    return (
        *_env(server, _SETUP, source),
        *_headers(server, _SETUP, source),
        _arguments(server, _SETUP, source),
    )


_CLAUDE, _TERMINAL_AUTH = "/params/_meta/claudeCode/options", "/result/authMethods/*/_meta/terminal-auth"

RULES = (
    *_servers("/params", "session-setup, MCP servers"),
    *_servers(_CLAUDE, "claude-agent-acp"),
    _row(ENV, _SETUP, f"{_CLAUDE}/env/*", "claude-agent-acp"),
    *_env("/params", (TERMINAL_CREATE,), "terminals"),
    _arguments("/params", (TERMINAL_CREATE,), "terminals"),
    _row(ARGUMENTS, (TERMINAL_CREATE,), "/params/command", "terminals", how="arguments", deep=False),
    *_env("/result/authMethods/*", (INITIALIZE,), "RFD auth-methods"),
    _arguments("/result/authMethods/*", (INITIALIZE,), "RFD auth-methods"),
    *_env(_TERMINAL_AUTH, (INITIALIZE,), "kimi-code"),
    _arguments(_TERMINAL_AUTH, (INITIALIZE,), "kimi-code"),
    _row(LOGIN, _LOGIN, "/params", "initialization; all but the method's id"),
    _row(LOGIN, _LOGIN, "/result", "initialization"),
    *_headers("/params", ("providers/set",), "RFD custom-llm-endpoint"),
    _row(LOGIN, ("providers/set",), "/params/apiKey", "RFD custom-llm-endpoint"),
    _row(LOGIN, ("providers/set",), "/params/_meta", "RFD custom-llm-endpoint"),
    *(
        _row(
            ACCOUNTS,
            (method,),
            f"/{part}/accounts/*/{key}",
            "RFD get-auth-state: accounts are not to be logged",
        )
        for method, part in (("auth/status", "result"), ("auth/status_update", "params"))
        for key in ("name", "email", "organization")
    ),
)

#: Below a member of this name, anywhere: what agents echo, pass on, and read from files.
SERVERS = "mcpServers"
ANYWHERE = (
    *_env(f"/{SERVERS}/*", ("*",), "MCP servers, in any message"),
    *_headers(f"/{SERVERS}/*", ("*",), "MCP servers, in any message"),
    _arguments(f"/{SERVERS}/*", ("*",), "MCP servers, in any message"),
)

#: The names of all built-in rules, in report order; if two find a secret, the first counts.
NAMES = (ENV, HEADERS, LOGIN, ACCOUNTS, ARGUMENTS, USERINFO, PARAMETERS, SHAPES, HOME)
