"""What the scripted agent does to a client in a turn, as data. Each behaviour is one run of the client.

    {"say": TEXT}                    a piece of a message
    {"update": {…}}                  this update, as it is
    {"ask": METHOD, "params": {…}}   a request of the client, and waits for its answer; with `if`, only if the
                                     client announced that capability
    {"mark": true}                   tells `drive_client` that it is time to interrupt the client
    {"hold_s": N}                    waits for a cancel, at most so long
    {"error": [CODE, TEXT]}          answers the prompt with an error
    {"exit": CODE}                   ends in the middle of the turn

In texts, `{cwd}` is the session's directory. A turn without an end of its own ends with `end_turn`, or with
`cancelled` if it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from acp_trace.conform.checks import UNKNOWN
from acp_trace.conform.evidence import UNKNOWN_UPDATE
from acp_trace.protocol import methods
from acp_trace.replay.faults.agents import AGENTS

#: A file that `drive_client` puts into the client's directory, and its lines.
FILE, LINES = "acp-trace-conform.txt", ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One behaviour; `about` says in words what it is.

    `opened`: what it does when a session was opened. `faults`: what is wrong in what it sends, as texts.
    """

    name: str
    about: str
    turn: tuple[Mapping[str, Any], ...]
    opened: tuple[Mapping[str, Any], ...] = ()
    faults: tuple[str, ...] = ()
    has_uuids: bool = False  #: as the ids of its requests


_CALL = {"toolCallId": "acp-trace-1", "title": "Edit a file", "kind": "edit"}
_DONE = {"sessionUpdate": "tool_call_update", "toolCallId": "acp-trace-1", "status": "completed"}
_START = {"update": {"sessionUpdate": "tool_call", **_CALL, "status": "pending"}}
_OPTIONS = [
    {"optionId": "acp-trace-allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "acp-trace-reject", "name": "Reject", "kind": "reject_once"},
]
_COMMANDS = [{"name": "help", "description": "Says what it can do"}]
_ASK = {"ask": methods.PERMISSION, "params": {"toolCall": _CALL, "options": _OPTIONS}}

_TURN = ({"say": "Hello "}, _START, {"update": _DONE}, {"say": "there."})

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour("normal", "a message and a tool call", _TURN),
    Behaviour(
        "permission",
        "a permission request",
        (
            _START,
            _ASK,
            {"update": _DONE},
            {"say": "Done."},
        ),
    ),
    Behaviour(
        "files",
        "a request to read a part of a file, if the client announces that it can read files",
        (
            {
                "ask": methods.READ_FILE,
                "params": {"path": f"{{cwd}}/{FILE}", "line": 2, "limit": 1},
                "if": "fs.readTextFile",
            },
            {"say": "Read."},
        ),
    ),
    Behaviour(
        "unknown-update",
        "an update of a kind that no client knows, then a permission request",
        (
            {"update": {"sessionUpdate": UNKNOWN_UPDATE, "content": {"text": "?"}}},
            _START,
            _ASK,  # so that the client has to show that it is still there
            {"say": "Still here."},
        ),
    ),
    Behaviour(
        "unknown-request",
        "a request that no client knows",
        ({"ask": f"{UNKNOWN}unknown", "params": {}}, {"say": "Still here."}),
    ),
    Behaviour(
        "error", "an error in place of a result", ({"error": [-32603, "acp-trace: an error on purpose"]},)
    ),
    Behaviour(
        "cancel",
        "a slow answer; meanwhile the client gets SIGINT, as from Ctrl-C",
        ({"say": "One moment "}, {"mark": True}, {"hold_s": 10}),
    ),
    Behaviour(
        "early-end",
        "the beginning of a message; then the agent ends in the middle of the turn",
        ({"say": "One moment "}, {"exit": 0}),
    ),
)
#: What only agents do that went wrong somewhere.
_OTHERS = (
    Behaviour(
        "commands",
        "commands that it announces when a session opens",
        _TURN,
        opened=({"update": {"sessionUpdate": "available_commands_update", "availableCommands": _COMMANDS}},),
    ),
)
BY_NAME = {each.name: each for each in (*BEHAVIOURS, *_OTHERS)}
BY_NAME |= {
    name: replace(
        BY_NAME[row.behaviour], name=name, about=row.about, faults=row.faults, has_uuids=row.has_uuids
    )
    for name, row in AGENTS.items()
}
