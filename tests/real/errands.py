"""What an agent is asked to do beside `drive --all`: scripts of `acp-trace drive` (docs/drive.md). Data only.

    with mcp_server.serving() as servers:
        for name, script in scripts(servers).items():
            (directory / f"{name}.toml").write_text(script)

Run each with `--model`, so that the hosts of providers are mapped to the stand-in, whose orders (model.py) the
prompts are, and with `--workspace`, a directory with `notes.txt`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.real.mcp_server import NAME, Servers

#: The client: it offers everything, and agrees with everything.
_HEAD = """\
permission = "allow_once"
files = true
terminals = true
elicitation = "accept"
booleans = true
"""
#: Some agents open a session before its server is up, and declare no tool of it until then: the server that
#: they have to start gets time, and its tool is called once more at the end.
_SLOWEST = "stdio"
_CONNECT: Mapping[str, Any] = {"pause": "5s"}
_AGAIN: Mapping[str, Any] = {"pause": "10s"}
#: A method that does not exist, what an agent shows of its work, and a turn that is cancelled as a request.
_CHORES: tuple[Mapping[str, Any], ...] = (
    {"new": "main"},
    {"request": "_nosuch/method", "params": {}},
    {"prompt": "THINK of eggs"},
    {"prompt": "RUN ls"},
    {"prompt": "READ notes.txt"},
    {"prompt": "WRITE list.txt Eggs"},
    {"prompt": "PLAN"},
    {"prompt": "AGENT Say hello."},
    {"prompt": "COUNT 80"},  # 8 s
    {"cancel": True, "by": "request", "after": "1 updates"},
    {"prompt": "ASK Which colour do you like?"},  # last: an agent may wait for an answer that no client gives
)


def scripts(servers: Servers, *, login: str | None = None, mode: str | None = None) -> Mapping[str, str]:
    """The text of each script, by its name: a few letters, for names of files.

    Each is for an agent process of its own, so that an agent which fails in one is still seen in the other.
    An agent that does not announce a transport is asked to use it all the same: its refusal is data, and the
    prompt for that session is skipped.
    `login`: the method with which it logs in first. `mode`: the one in which it asks for permissions.
    """
    first = [] if login is None else [{"authenticate": login}]
    ready: list[Mapping[str, Any]] = [] if mode is None else [{"set_mode": mode}]
    calls: list[Mapping[str, Any]] = [
        step
        for kind, server in _servers(servers)
        for step in (
            {"new": kind, "mcp_servers": [server]},
            *ready,
            *([_CONNECT] if kind == _SLOWEST else ()),
            {"prompt": f"MCP {server['name']} Ada", "session": kind},
        )
    ]
    calls += [_AGAIN, {"prompt": f"MCP {NAME} Ada", "session": _SLOWEST}]
    return {
        "chores": _script([*first, *_CHORES[:1], *ready, *_CHORES[1:]]),
        "servers": _script([*first, *calls]),
    }


def _servers(servers: Servers) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The server as a session's parameters have it, by transport (session-setup, MCP servers).

    Each has a name of its own: fast-agent takes no second server of one name.
    """
    program, *arguments = servers.command
    yield "stdio", {"name": NAME, "command": program, "args": arguments, "env": []}
    for kind, url in servers.urls.items():
        yield kind, {"type": kind, "name": f"{NAME}-{kind}", "url": url, "headers": []}


def _script(steps: list[Mapping[str, Any]]) -> str:
    return _HEAD + "steps = [\n" + "".join(f"  {_toml(step)},\n" for step in steps) + "]\n"


def _toml(value: Any) -> str:
    """A value as TOML has it in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)  # texts, numbers and truth values are the same in both
