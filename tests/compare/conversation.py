"""A conversation in which everything happens, frame by frame with names, and words to change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare, read
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.compare.run_order import is_left_open
from acp_trace.normalize.masks import parse
from acp_trace.story.reader import EventReader
from acp_trace.trace.entries import AFTER_ALL
from acp_trace.trace.parse import Parser
from tests.reading.talk import Said, answer, ask, call, cancel, chosen, opened, refuse, reply, stop, tell, up
from tests.support import trace

Named = list[tuple[str, Said]]
Edit = Callable[[Named], Named]

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]

COMMANDS = [{"name": "plan", "description": "Makes a plan"}, {"name": "undo", "description": "Goes back"}]
PLAN = [{"content": "Read", "priority": "high", "status": "pending"}]
#: What the tool call that reads shows.
READ = {
    "kind": "read",
    "title": "Read a.txt",
    "locations": [{"path": "/w/a.txt"}],
    "rawInput": {"path": "/w/a.txt"},
}
DIFF = {"type": "diff", "path": "/w/a.txt", "oldText": "some text", "newText": "other text"}


def config(model: str = "big", *more: str, choices: str = "big small tiny") -> list[dict[str, Any]]:
    """A list of options: the model, and others that have one value."""
    values = [{"value": one, "name": one.title()} for one in choices.split()]
    found = [{"id": "model", "name": "Model", "type": "select", "currentValue": model, "options": values}]
    for one in more or ("effort",):
        lone = [{"value": "high", "name": "High"}]
        found.append(
            {"id": one, "name": one.title(), "type": "select", "currentValue": "high", "options": lone}
        )
    return found


def chunk(text: str, kind: str = "agent_message_chunk", **more: Any) -> Said:
    """A chunk of a message."""
    return up(kind, content={"type": "text", "text": text}, **more)


def tool(id: str, status: str | None = None, **more: Any) -> Said:
    """A tool_call, where it has a kind; else an update of one."""
    said = {"status": status} if status else {}
    return up("tool_call" if "kind" in more else "tool_call_update", toolCallId=id, **said, **more)


def texts(*shown: str) -> list[dict[str, Any]]:
    """What a tool call shows: blocks of text."""
    return [{"type": "content", "content": {"type": "text", "text": text}} for text in shown]


def asks(id: Any, method: str, **params: Any) -> Said:
    """A request of the agent in the session."""
    return call(id, method, sessionId="s", **params)


def prompts(id: Any, text: str = "go") -> Said:
    """A prompt with its text."""
    return ask(id, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": text}])


def sets(id: Any, option: str, value: str) -> Said:
    """A set request."""
    return ask(id, "session/set_config_option", sessionId="s", configId=option, value=value)


def permission(id: Any, of: str, **more: Any) -> Said:
    """A permission."""
    return asks(id, "session/request_permission", toolCall={"toolCallId": of}, **{"options": OPTIONS, **more})


def base() -> Named:
    """The conversation: three turns, the second cancelled, the third with two tool calls at once."""
    hello, welcome = (
        ask(0, "initialize", protocolVersion=1, clientInfo={"name": "editor", "version": "1"}),
        answer(
            0,
            protocolVersion=1,
            agentCapabilities={"loadSession": True, "promptCapabilities": {"image": True, "audio": False}},
            authMethods=[{"id": "key", "name": "API key"}],
            agentInfo={"name": "agent", "version": "1"},
        ),
    )
    new, session = opened(configOptions=config())
    return [
        ("initialize", hello),
        ("initialized", welcome),
        ("new", new),
        ("session", session),
        ("commands", up("available_commands_update", availableCommands=COMMANDS)),
        ("set", sets(2, "model", "small")),
        ("was set", answer(2, configOptions=config("small"))),
        ("prompt 1", prompts(3, "read and edit")),
        ("thought", chunk("hm", "agent_thought_chunk")),
        ("hello 1", chunk("I ")),
        ("hello 2", chunk("shall read")),
        ("plan", up("plan", entries=PLAN)),
        ("read", tool("c1", "pending", **READ)),
        ("read on", tool("c1", "in_progress")),
        ("fs read", asks(0, "fs/read_text_file", path="/w/a.txt")),
        ("fs text", reply(0, content="some text")),
        ("read end", tool("c1", "completed", content=texts("some text"))),
        ("edit", tool("c2", "pending", kind="edit", title="Edit a.txt")),
        ("permission", permission(1, "c2")),
        ("allowed", chosen(1, optionId="yes")),
        ("fs write", asks(2, "fs/write_text_file", path="/w/a.txt", content="other text")),
        ("fs done", reply(2)),
        ("edit end", tool("c2", "completed", content=[DIFF])),
        ("title", up("session_info_update", title="A file", updatedAt="2026-11-20T13:05:01Z")),
        ("bye", chunk("Done", messageId="m1")),
        ("usage", up("usage_update", used=10, size=100)),
        ("stop 1", stop(3)),
        ("prompt 2", prompts(4, "be slow")),
        ("slow", chunk("Let me think")),
        ("cancel", cancel()),
        ("stop 2", stop(4, "cancelled")),
        ("prompt 3", prompts(5, "search")),
        ("web", tool("c3", "pending", kind="search", title="Web")),
        ("fetch", tool("c4", "in_progress", kind="fetch", title="Page")),
        ("web end", tool("c3", "completed", content=[{"type": "terminal", "terminalId": "t0"}])),
        ("fetch end", tool("c4", "failed")),
        ("shell", asks(3, "terminal/create", command="ls", args=["-l", "/w"])),
        ("terminal", reply(3, terminalId="t1")),
        ("wait", asks(4, "terminal/wait_for_exit", terminalId="t1")),
        ("exit", reply(4, exitCode=0, signal=None)),
        ("release", asks(5, "terminal/release", terminalId="t1")),
        ("released", reply(5)),
        ("found", chunk("Found it")),
        ("stop 3", stop(5)),
        ("mode", ask(6, "session/set_mode", sessionId="s", modeId="no-such")),
        ("no mode", refuse(6, -32602)),
        ("close", ask(7, "session/close", sessionId="s")),
        ("closed", answer(7)),
    ]


# -- words to change it


def drop(*names: str) -> Edit:
    """Without these frames."""
    return lambda named: [one for one in named if one[0] not in names]


def put(name: str, *said: Said) -> Edit:
    """With frames after one."""

    def edit(named: Named) -> Named:
        at = _index(named, name) + 1
        return [*named[:at], *((f"{name} +{n}", one) for n, one in enumerate(said)), *named[at:]]

    return edit


def instead(name: str, *said: Said) -> Edit:
    """With other frames in the place of one."""
    return lambda named: [
        pair for one in named for pair in ([(name, other) for other in said] if one[0] == name else [one])
    ]


def order(*names: str) -> Edit:
    """With these frames, which stand in a row or not, in this order in their places."""

    def edit(named: Named) -> Named:
        places = sorted(_index(named, name) for name in names)
        made = list(named)
        for place, name in zip(places, names, strict=True):
            made[place] = named[_index(named, name)]
        return made

    return edit


def later(name: str, than: str) -> Edit:
    """With a frame just after another."""

    def edit(named: Named) -> Named:
        one = named[_index(named, name)]
        left = [pair for pair in named if pair[0] != name]
        at = _index(left, than) + 1
        return [*left[:at], one, *left[at:]]

    return edit


def every(change: Callable[[Any], Any]) -> Edit:
    """With each message changed."""
    return lambda named: [(name, (sender, change(message))) for name, (sender, message) in named]


def both(*edits: Edit) -> Edit:
    """One change after the other."""

    def edit(named: Named) -> Named:
        for one in edits:
            named = one(named)
        return named

    return edit


def _index(named: Named, name: str) -> int:
    return next(at for at, one in enumerate(named) if one[0] == name)


# -- and to compare it


def reader(file: bytes, match: Match = "semantic") -> EventReader:
    """What reads a trace file's bytes."""
    parser = Parser()
    entries = parser.feed(file)
    last, _ = parser.finish()
    return read([*entries, *([last] if last else [])], match)


#: Most tests compare one conversation with many; a comparison changes neither of its sides.
_recorded = lru_cache(maxsize=4)(reader)


def compared(a: bytes, b: bytes, match: Match = "semantic", masks: Sequence[str] = ()) -> Comparison:
    """What two trace files differ in."""
    expected = _recorded(a, match)
    actual = expected if a == b else reader(b, match)
    return compare(expected, actual, match, [parse(text) for text in masks])


def file(named: Named, **more: Any) -> bytes:
    """The trace file of a conversation."""
    return trace(*(said for _, said in named), **more)


def changed(edit: Edit, match: Match = "semantic", masks: Sequence[str] = (), **more: Any) -> Comparison:
    """What the conversation and a changed one differ in."""
    return compared(file(base()), file(edit(base()), **more), match, masks)


def codes(found: Comparison) -> list[str]:
    """The codes that make them differ."""
    return [one.code for one in found.failing]


__all__ = [
    "COMMANDS", "DIFF", "OPTIONS", "PLAN", "READ", "Edit", "Named", "asks", "base", "both", "changed", "chunk", "codes", "compared", "config",
    "drop", "every", "file", "instead", "later", "order", "permission", "prompts", "put", "reader", "sets",
    "tell", "texts", "tool",
]  # fmt: skip


def is_in_order(divergence: Divergence) -> bool:
    """Whether what it follows from came no later in the actual trace, if that has both."""
    frames, followed = dict(divergence.frames), dict(divergence.followed)
    return is_left_open(divergence) or followed.get("actual", 0) <= frames.get("actual", AFTER_ALL)
