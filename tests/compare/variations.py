"""Harmless variations of the conversation, which no code tells."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.compare.conversation import (
    COMMANDS,
    DIFF,
    OPTIONS,
    PLAN,
    READ,
    Edit,
    Named,
    asks,
    both,
    chunk,
    config,
    drop,
    every,
    instead,
    later,
    order,
    permission,
    prompts,
    put,
    texts,
    tool,
)
from tests.reading.talk import answer, chosen, reply, up
from tests.support import END


@dataclass(frozen=True)
class Variation:
    """One variation. `more`: changes of the trace around the frames; `base`: of both sides, first.

    `shows`: it shows something else, so that `content` tells it.
    """

    what: str
    edit: Edit
    more: dict[str, Any] = field(default_factory=dict)
    base: Edit = lambda named: named
    shows: bool = False


def _texts(old: str, new: str) -> Edit:
    """Another text wherever it stands, in values and keys: what a rename in an editor would do."""
    return every(lambda message: json.loads(json.dumps(message).replace(json.dumps(old), json.dumps(new))))


def _ids(message: Any) -> Any:
    """JSON-RPC ids as other SDKs make them."""
    if isinstance(message, dict) and "id" in message:
        return {**message, "id": f"uuid-{message['id']}"}
    return message


def _same(named: Named) -> Named:
    return named


#: Two files that are read at once.
_AT_ONCE = both(
    put("fs read", asks(9, "fs/read_text_file", path="/w/b.txt")), put("fs text", reply(9, content=""))
)
#: Two tool calls with permissions, both announced before either is asked for.
_PARALLEL = put(
    "edit",
    tool("c5", "pending", kind="delete", title="Remove"),
    permission(8, "c5"),
    chosen(8, optionId="no"),
)

VARIATIONS = [
    Variation("nothing changed", _same),
    Variation("one chunk more", put("hello 1", chunk("really ")), shows=True),
    Variation("one chunk fewer", drop("hello 2"), shows=True),
    Variation("another text", both(instead("hello 1", chunk("Now I ")), instead("bye", chunk("Finished"))), shows=True),
    Variation("one message id in place of another", instead("bye", chunk("Done", messageId="msg-77"))),
    Variation("a slower agent", _same, {"step": 10**9}),
    Variation("another session id", _texts("s", "sess-1f0c")),
    Variation("other tool call ids", both(_texts("c1", "call_9"), _texts("c2", "call_8"), _texts("c3", "x"))),
    Variation("another terminal id", _texts("t1", "term-0")),
    Variation("other JSON-RPC ids", every(_ids)),
    Variation("other option ids", both(_texts("yes", "opt-1"), _texts("no", "opt-2"))),
    Variation("options in another order", instead("permission", permission(1, "c2", options=OPTIONS[::-1])),
              shows=True),
    Variation("a figure of usage that is near", instead("usage", up("usage_update", used=9, size=100))),
    Variation("a title of a tool call that is written", put("web", tool("c3", title="We"), tool("c3", title="Web"))),
    Variation("another folder", both(_texts("/w", "/tmp/x"), _texts("/w/a.txt", "/tmp/x/a.txt")),
              {"agent": {"argv": ["agent"], "cwd": "/tmp/x"}}),
    Variation("another title and time",
              instead("title", up("session_info_update", title="Files", updatedAt="2027-01-01T00:00:00Z")), shows=True),
    Variation("a title that is set again", put("usage", up("session_info_update", title="A better one")), shows=True),
    Variation("a title that comes later", later("title", "slow")),
    Variation("two parallel tool calls in another order",
              order("fetch", "web", "fetch end", "web end")),
    Variation("a parallel tool call that ends first", order("web", "fetch", "fetch end", "web end")),
    Variation("a tool call with more updates", put("read on", tool("c1", "in_progress"), tool("c1"))),
    Variation("a tool call without `pending`",
              instead("web", tool("c3", kind="search", title="Web"))),
    Variation("another title of a tool call", instead("read", tool("c1", "pending", **{**READ, "title": "Look"})),
              shows=True),
    Variation("another content of a tool call", instead("read end", tool("c1", "completed", content=texts("new text"))),
              shows=True),
    Variation("another input, and a tool that puts out nothing then", both(
        instead("read", tool("c1", "pending", **{**READ, "rawInput": {"path": "/w/b.txt"}, "locations": []})),
        instead("read end", tool("c1", "completed"))), shows=True),
    Variation("an empty list in place of nothing", instead("fetch end", tool("c4", "failed", content=[], locations=[]))),
    Variation("another plan", instead("plan", up("plan", entries=[PLAN[0] | {"content": "Write"}, PLAN[0]])), shows=True),
    Variation("a plan that is emptied at the end", put("plan", up("plan", entries=[]))),
    Variation("a new command", put("commands", up("available_commands_update", availableCommands=[*COMMANDS, {"name": "redo", "description": ""}])),
              shows=True),
    Variation("a tool call that shows more", instead("web end", tool(
        "c3", "completed", content=[{"type": "terminal", "terminalId": "t0"}, *texts("found")])), shows=True),
    Variation("another terminal of a tool call",
              instead("web end", tool("c3", "completed", content=[{"type": "terminal", "terminalId": "t9"}]))),
    Variation("another content of a file", both(
        instead("fs text", reply(0, content="new text")),
        instead("fs write", asks(2, "fs/write_text_file", path="/w/a.txt", content="newer text")),
        instead("edit end", tool("c2", "completed", content=[{**DIFF, "newText": "newer text"}]))), shows=True),
    Variation("another text of a prompt", instead("prompt 1", prompts(3, "read, then edit")), shows=True),
    Variation("another text of an error", instead(
        "no mode", ("agent", {"jsonrpc": "2.0", "id": 6, "error": {"code": -32602, "message": "?"}})), shows=True),
    Variation("other figures in a result", instead("stop 3", answer(5, stopReason="end_turn", _meta={"n": 7}))),
    Variation("usage told twice, and later",
              both(put("usage", up("usage_update", used=11, size=100)), later("usage", "stop 1"))),
    Variation("commands that come later", later("commands", "set")),
    Variation("commands that come after the next answer", later("commands", "was set")),
    Variation("a plan at another moment of the turn", later("plan", "fs text")),
    Variation("a thought among the chunks of a message", order("hello 1", "thought", "hello 2")),
    Variation("a thought after the message", order("hello 1", "hello 2", "thought")),
    Variation("a config change with an update first", put("set", up("config_option_update", configOptions=config("small")))),
    Variation("a set told by an update after the answer",
              put("was set", up("config_option_update", configOptions=config("small")))),
    Variation("more work before a cancel arrives",
              put("slow", tool("c8", "pending", kind="read", title="x"), chunk("hm", "agent_thought_chunk"))),
    Variation("a cancel that comes earlier", later("cancel", "prompt 2"),
              base=put("slow", tool("c8", "pending", kind="read"), tool("c8", "in_progress"),
                       permission(9, "c8"), chosen(9, "cancelled"))),
    Variation("a cancel that comes later", later("cancel", "slow +1"),
              base=put("slow", tool("c8", "pending", kind="read"), tool("c8", "in_progress"))),
    Variation("work that came after the stop, and now comes before it", later("stop 3", "stop 3 +2"),
              base=put("stop 3", tool("c9", "completed", kind="think"), up("plan", entries=[]),
                       chunk("hm", "agent_thought_chunk"))),
    Variation("a tool call that was not announced, and now is", instead("web", tool("c3", "pending", kind="search", title="Web")),
              base=instead("web", tool("c3", "pending", title="Web"))),
    Variation("a message that goes on after a request of the agent", later("hello 2", "fs text")),
    Variation("a message that went on after a request of the agent", later("hello 2", "hello 1"),
              base=later("hello 2", "fs text")),
    Variation("less work after a cancel", _same,
              base=put("cancel", tool("c8", "failed", kind="read"), up("plan", entries=[]))),
    Variation("another name and version of the agent", instead("initialized", answer(
        0, protocolVersion=1,
        agentCapabilities={"promptCapabilities": {"image": True, "audio": False}, "loadSession": True},
        authMethods=[{"id": "key", "name": "API key"}], agentInfo={"name": "agent", "version": "2"}))),
    Variation("another name of a way to authenticate", instead("initialized", answer(
        0, protocolVersion=1,
        agentCapabilities={"promptCapabilities": {"image": True, "audio": False}, "loadSession": True},
        authMethods=[{"id": "key", "name": "A key"}], agentInfo={"name": "agent", "version": "1"})), shows=True),
    Variation("a new capability", instead("initialized", answer(
        0, protocolVersion=1, agentCapabilities={"loadSession": True, "sessionCapabilities": {"list": {}},
                                                 "promptCapabilities": {"image": True, "audio": True}},
        authMethods=[{"id": "key", "name": "API key"}, {"id": "web", "name": "Web"}], agentInfo={"name": "agent", "version": "1"}))),
    Variation("a new option", both(
        instead("session", answer("new s", sessionId="s", configOptions=config("big", "effort", "speed"))),
        instead("was set", answer(2, configOptions=config("small", "effort", "speed"))))),
    Variation("an agent that its client ends by a signal", _same, {"end": {**END, "exit_code": None, "signal": 15}}),
    Variation("two files at once, asked for in another order", order("fs read +0", "fs read"), base=_AT_ONCE),
    Variation("two files at once, answered in another order", order("fs text +0", "fs text"), base=_AT_ONCE),
    Variation("two permissions of parallel tool calls in another order",
              order("edit +1", "edit +2", "permission", "allowed"), base=_PARALLEL),
    Variation("a client that answers at once where another took its time",
              both(drop("fs read +0"), put("fs text", asks(9, "fs/read_text_file", path="/w/b.txt"))),
              base=_AT_ONCE),
    Variation("a terminal that is polled more often", put(
        "wait", *[one for n in range(3) for one in (asks(20 + n, "terminal/output", terminalId="t1"), reply(20 + n))]),
        base=put("wait", asks(20, "terminal/output", terminalId="t1"), reply(20))),
    Variation("less noise", drop("found +0"), base=put("found", ("agent", "a line"))),
    Variation("the same noise", _same, base=put("found", ("agent", "a line"))),
    Variation("the same message after the stop", _same, base=put("stop 1", chunk("P.S."))),
    Variation("work after the stop no more", drop("stop 1 +0"), base=put("stop 1", chunk("P.S."))),
]  # fmt: skip
