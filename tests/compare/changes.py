"""Deliberate changes of the conversation, each with the codes that tell it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from acp_trace.compare.codes import Match
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
    sets,
    texts,
    tool,
)
from tests.reading.talk import answer, ask, chosen, refuse, reply, stop, tell, up


def every_turn(reason: str) -> Edit:
    """All three turns end with one stop reason."""
    return both(*(instead(f"stop {turn}", stop(id, reason)) for turn, id in ((1, 3), (2, 4), (3, 5))))


class Change(NamedTuple):
    """One change. `codes`: what is told, and nothing else. `end`: another footer."""

    what: str
    edit: Edit
    codes: tuple[str, ...]
    match: Match = "semantic"
    end: dict[str, Any] | None = None


def _told(what: str, edit: Edit, *codes: str, match: Match = "semantic", **end: Any) -> Change:
    return Change(what, edit, codes, match, end or None)


def _renamed(old: Any, new: Any) -> Edit:
    return every(lambda message: _replaced(message, old, new))


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, old, new) for inner in value]
    return new if value == old else value


def _same(named: Named) -> Named:
    return named


_ALWAYS = {"optionId": "ever", "name": "Always", "kind": "allow_always"}


def _welcome(**changes: Any) -> Edit:
    said = {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": True, "promptCapabilities": {"image": True}},
        "authMethods": [{"id": "key", "name": "API key"}],
        "agentInfo": {"name": "agent", "version": "1"},
    }
    return instead("initialized", answer(0, **{**said, **changes}))


def _call(**shown: Any) -> Edit:
    """The tool call that reads, with something else that it shows; without what is None."""
    return instead(
        "read",
        tool(
            "c1", "pending", **{key: value for key, value in {**READ, **shown}.items() if value is not None}
        ),
    )


def _options(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Edit:
    """Each option of the session, changed, wherever they are listed."""

    def changed(model: str) -> list[dict[str, Any]]:
        return [change(option) for option in config(model)]

    return both(
        instead("session", answer("new s", sessionId="s", configOptions=changed("big"))),
        instead("was set", answer(2, configOptions=changed("small"))),
    )


CHANGES = [
    _told("another stop reason", instead("stop 1", stop(3, "max_tokens")), "stop-reason"),
    _told("an ignored cancel", instead("stop 2", stop(4)), "cancel-outcome"),
    _told("a cancel answered with an error", instead("stop 2", refuse(4, -32603)), "cancel-outcome"),
    _told("a cancel of a turn that was refused before",
          both(instead("stop 2", stop(4, "refusal")), later("cancel", "stop 2")), "stop-reason"),
    _told("a cancel of a turn that is refused as all are", every_turn("refusal"),
          "stop-reason", "stop-reason", "stop-reason"),
    _told("a cancel of a turn that alone is refused", instead("stop 2", stop(4, "refusal")), "cancel-outcome"),
    _told("a cancel of a turn that was over before", later("cancel", "stop 2"), "cancel-outcome"),
    _told("a cancel never answered", drop("stop 2"), "cancel-outcome"),
    _told("a cancel never sent", drop("cancel"), "notification-missing"),
    _told("a cancel that nobody sent before", put("found", tell("client", "session/cancel", sessionId="s")),
          "notification-extra"),
    _told("an error in place of a result", instead("stop 3", refuse(5, -32603)), "error-instead-of-result"),
    _told("a result in place of an error", instead("no mode", answer(6)), "result-instead-of-error"),
    _told("another error code", instead("no mode", refuse(6, -32603)), "error-code"),
    _told("a request that is never answered", drop("closed"), "response-missing"),
    _told("a second answer", put("closed", answer(7)), "response-extra"),
    _told("a permission that is lost", drop("permission", "allowed"), "permission-missing"),
    _told("a permission that is new", put("web", permission(9, "c3"), chosen(9, optionId="yes")), "permission-extra"),
    _told("a permission without a way to reject",
          instead("permission", permission(1, "c2", options=OPTIONS[:1])), "permission-option-missing"),
    _told("a permission with an additional option",
          instead("permission", permission(1, "c2", options=[*OPTIONS, _ALWAYS])), "permission-option-extra"),
    _told("a permission for a tool call that is never announced", instead("permission", permission(1, "c9")),
          "request-params"),
    _told("a permission for another tool call of its kind", both(
        put("edit", tool("c8", "pending", kind="edit", title="Edit b.txt"), tool("c8", "completed")),
        instead("permission", permission(1, "c8"))), "tool-call-extra", "request-params", match="content"),
    _told("a permission that offers an option twice",
          instead("permission", permission(1, "c2", options=[*OPTIONS, OPTIONS[0]])), "permission-option-extra"),
    _told("a permission whose options have each other's names", instead("permission", permission(1, "c2", options=[
        {**OPTIONS[0], "name": "Reject"}, {**OPTIONS[1], "name": "Allow"}])), "permission-option-differs"),
    _told("an option without a name", instead("permission", permission(1, "c2", options=[
        {**OPTIONS[0], "name": ""}, OPTIONS[1]])), "permission-option-differs"),
    _told("an option of another kind", instead("permission", permission(1, "c2", options=[
        {**OPTIONS[0], "kind": "allow_always"}, OPTIONS[1]])), "permission-option-differs"),
    _told("a permission answered otherwise", instead("allowed", chosen(1, optionId="no")), "permission-answer"),
    _told("a permission answered `cancelled`", instead("allowed", chosen(1, "cancelled")), "permission-answer"),
    _told("a tool that does not wait for its permission", later("edit end", "permission"), "tool-call-early"),
    _told("a file that is not read", drop("fs read", "fs text"), "request-missing"),
    _told("another file that is read", instead("fs read", asks(0, "fs/read_text_file", path="/w/b.txt")),
          "request-params"),
    _told("a file that is read twice",
          put("fs text", asks(9, "fs/read_text_file", path="/w/a.txt"), reply(9, content="")), "request-twice"),
    _told("a file more that is read",
          put("fs text", asks(9, "fs/read_text_file", path="/w/c.txt"), reply(9, content="")), "request-extra"),
    _told("requests in another order",
          order("edit", "fs write", "fs done", "permission", "allowed"), "request-order"),
    _told("a prompt that is sent twice", put("stop 3", prompts(9, "search"), stop(9)), "request-twice"),
    _told("a set that is not sent", drop("set", "was set"), "request-missing"),
    _told("another command", instead("shell", asks(3, "terminal/create", command="rm", args=["-r"])),
          "request-params", "request-params"),
    _told("a command that fails", instead("exit", reply(4, exitCode=1, signal=None)), "result-differs"),
    _told("another terminal", both(
        put("terminal", asks(9, "terminal/create", command="ls", args=[]), reply(9, terminalId="t2")),
        instead("release", asks(5, "terminal/release", terminalId="t2"))),
        "request-extra", "request-params"),
    _told("a request in the middle of a turn",
          both(later("mode", "found"), later("no mode", "mode")), "request-moved"),
    _told("a message that is lost", drop("found"), "message-missing"),
    _told("a thought that is new", put("web", chunk("hm", "agent_thought_chunk")), "message-extra"),
    _told("a message before a request that came after it", both(drop("hello 1", "hello 2")), "message-missing"),
    _told("a tool call that is lost", drop("web", "web end"), "tool-call-missing"),
    _told("a tool call that is new", put("found", tool("c9", "completed", kind="think", title="Think")),
          "tool-call-extra"),
    _told("a tool call that is not announced",
          instead("web", up("tool_call_update", toolCallId="c3", kind="search", title="Web")), "tool-call-unannounced"),
    _told("a tool call of another kind",
          instead("web", tool("c3", "pending", kind="execute", title="Web")), "tool-call-kind"),
    _told("a tool call that fails", instead("web end", tool("c3", "failed")), "tool-call-status"),
    _told("a tool call that never ends", drop("web end"), "tool-call-status"),
    _told("a tool call before a request that it came after",
          both(later("read", "allowed"), later("read on", "read"), later("read end", "read on")),
          "tool-call-moved"),
    _told("a tool call that begins after its permission was asked for",
          both(later("edit", "permission")), "tool-call-moved"),
    _told("a stop reason that is none", instead("stop 1", answer(3, stopReason=5)), "stop-reason"),
    _told("a plan that is lost", drop("plan"), "update-missing"),
    _told("commands that are lost", drop("commands"), "update-missing"),
    _told("a plan that is new", put("web", up("plan", entries=[])), "update-extra"),
    _told("a message after the stop", put("stop 1", chunk("P.S.")), "update-after-stop"),
    _told("a tool call that ends after the stop", later("web end", "stop 3"), "update-after-stop"),
    _told("the last message after the stop", later("found", "stop 3"), "update-after-stop"),
    _told("a line of noise", put("found", ("agent", "a line")), "noise"),
    _told("an array of messages", put("found", ("agent", [{}])), "noise"),
    _told("a frame that is not JSON-RPC", put("found", ("agent", {"hello": 1})), "noise"),
    _told("another value of an option at the end",
          put("stop 3", up("config_option_update", configOptions=config("big"))), "config-final"),
    _told("an option that vanished", both(
        instead("session", answer("new s", sessionId="s", configOptions=config()[:1])),
        instead("was set", answer(2, configOptions=config("small")[:1]))), "option-missing"),
    _told("a set that is not honoured", instead("was set", answer(2, configOptions=config("big"))),
          "config-final"),
    _told("another value at the start",
          instead("session", answer("new s", sessionId="s", configOptions=config("small"))), "config-timeline"),
    _told("another value at the start, and then a set that is not sent", both(
        instead("session", answer("new s", sessionId="s", configOptions=config("tiny"))),
        drop("set", "was set")), "request-missing", "config-timeline"),
    _told("a value that the agent changes, and back", both(
        put("stop 3", up("config_option_update", configOptions=config("small"))),
        put("stop 3", up("config_option_update", configOptions=config("big")))), "config-timeline"),
    _told("another set", both(
        instead("set", sets(2, "model", "big")), instead("was set", answer(2, configOptions=config("big")))),
        "request-params", "config-final"),
    _told("a title never sent", drop("title"), "title-never-set", "metadata-never-set"),
    _told("only the title never sent",
          instead("title", up("session_info_update", updatedAt="2026-11-20T13:05:01Z")), "title-never-set"),
    _told("a title that is cleared", put("stop 3", up("session_info_update", title=None)), "metadata-cleared"),
    _told("a key of _meta that is new", put("stop 3", up("session_info_update", _meta={"k": {"a": 1}})),
          "metadata-set"),
    _told("a capability that is lost", _welcome(agentCapabilities={"loadSession": True}), "capability-lost"),
    _told("a capability that is now false",
          _welcome(agentCapabilities={"loadSession": False, "promptCapabilities": {"image": True}}),
          "capability-lost"),
    _told("a way to authenticate that is lost", _welcome(authMethods=[]), "capability-lost"),
    _told("an agent that no longer says who it is", _welcome(agentInfo=None), "info-missing"),
    _told("an agent without a name", _welcome(agentInfo={"name": "", "version": "1"}), "info-missing"),
    _told("another version of the protocol", _welcome(protocolVersion=3), "protocol-version"),
    _told("another exit code", _same, "end", exit_code=3, signal=None),
    _told("a crash", _same, "end", exit_code=None, signal=11),
    _told("a session that is new", put("no mode", ask(9, "session/new", cwd="/w"), answer(9, sessionId="t")),
          "request-extra"),
    _told("a session that cannot be opened", lambda named: [
        *named[:3], ("session", refuse("new s", -32000))], "error-instead-of-result"),
    _told("a message that is empty", instead("found", chunk("")), "content-lost"),
    _told("a link in place of a text",
          instead("found", up("agent_message_chunk", content={"type": "resource_link", "uri": "file:///w/a", "name": "a"})),
          "content-lost"),
    _told("a chunk that comes twice", put("found", chunk("Found it")), "message-twice"),
    _told("a chunk that says it twice", instead("found", chunk("Found itFound it")), "message-twice"),
    _told("a message that comes again as a whole", put("hello 2", chunk("I shall read")), "message-twice"),
    _told("a tool call that is announced twice", put("web", tool("c3", "pending", kind="search", title="Web")),
          "tool-call-twice"),
    _told("a tool call without a title", _call(title=""), "content-lost"),
    _told("a title that is no title", _call(title="undefined"), "content-lost"),
    _told("a tool call without raw input", _call(rawInput=None), "content-lost"),
    _told("a tool call without locations", _call(locations=[]), "content-lost"),
    _told("a location outside", _call(locations=[{"path": "/etc/passwd"}]), "content-outside"),
    _told("a tool call that shows no text", instead("read end", tool("c1", "completed", content=texts(""))), "content-lost"),
    _told("a tool call that shows a link in place of its text",
          instead("read end", tool("c1", "completed", content=[{"type": "content", "content": {"type": "image", "data": "", "mimeType": "image/png"}}])),
          "content-lost"),
    _told("a diff that is gone", instead("edit end", tool("c2", "completed")), "content-lost"),
    _told("a diff that is empty", instead("edit end", tool("c2", "completed", content=[{**DIFF, "newText": ""}])),
          "content-lost"),
    _told("a diff of another file", instead("edit end", tool("c2", "completed", content=[{**DIFF, "path": "/etc/passwd"}])),
          "permission-misleads", "content-outside"),
    _told("a terminal that is gone", instead("web end", tool("c3", "completed", content=[])), "content-lost"),
    _told("a plan without entries", instead("plan", up("plan", entries=[])), "content-lost"),
    _told("a plan of empty entries", instead("plan", up("plan", entries=[{**PLAN[0], "content": " "}])), "content-lost"),
    _told("commands that are gone", instead("commands", up("available_commands_update", availableCommands=[])),
          "choice-missing"),
    _told("a command that is gone", instead("commands", up("available_commands_update", availableCommands=COMMANDS[:1])),
          "choice-missing"),
    _told("a choice that is gone", both(
        instead("session", answer("new s", sessionId="s", configOptions=config(choices="big small"))),
        instead("was set", answer(2, configOptions=config("small", choices="big small")))), "choice-missing"),
    _told("usage of 0", instead("usage", up("usage_update", used=0, size=100)), "content-lost"),
    _told("usage of -1", instead("usage", up("usage_update", used=10, size=-1)), "content-lost"),
    _told("usage in words", instead("usage", up("usage_update", used="10", size=100)), "content-lost"),
    _told("usage without its size", instead("usage", up("usage_update", used=10)), "content-lost"),
    _told("a title that says undefined",
          instead("title", up("session_info_update", title="undefined", updatedAt="2026-11-20T13:05:01Z")), "content-lost"),
    *(_told(f"another {what}", edit, "content-differs", match="content") for what, edit in (
        ("title of a tool call", _call(title="Look")),
        ("line of a location", _call(locations=[{"path": "/w/a.txt", "line": 3}])),
        ("raw input, and all that follows from it",
         both(_call(rawInput={"path": "/w/b.txt"}, title="Read b.txt"),
              instead("read end", tool("c1", "completed", content=texts("b"))))),
        ("text of a tool call", instead("read end", tool("c1", "completed", content=texts("some texts")))),
        ("entry of a plan", instead("plan", up("plan", entries=[{**PLAN[0], "priority": "low"}]))),
        ("description of a command", instead("commands", up("available_commands_update", availableCommands=[
            COMMANDS[0], {**COMMANDS[1], "description": "?"}]))),
        ("title of a session", instead("title", up(
            "session_info_update", title="?", updatedAt="2026-11-20T13:05:01Z"))),
        ("figure of usage", instead("usage", up("usage_update", used=100, size=100))),
        ("size, at one time", put("usage", up("usage_update", used=10, size=12))),
        ("title of a tool call, for a while", put("web", tool("c3", title="rm -rf /"), tool("c3", title="Web"))),
        ("metadata of a tool call", put("web", tool("c3", _meta={"tool": "rm"}))),
        ("name of an option", _options(lambda option: {**option, "name": "?"})),
        ("category of an option", _options(lambda option: {**option, "category": "?"})),
        ("audience of a text", instead("found", up("agent_message_chunk", content={
            "type": "text", "text": "Found it", "annotations": {"audience": ["assistant"]}}))),
        ("description of a way to authenticate", _welcome(authMethods=[
            {"id": "key", "name": "API key", "description": "?"}])),
    )),
    _told("options of a session in another order", both(
        instead("session", answer("new s", sessionId="s", configOptions=config()[::-1])),
        instead("was set", answer(2, configOptions=config("small")[::-1]))), "content-differs", match="content"),
    _told("options of a permission in another order",
          instead("permission", permission(1, "c2", options=OPTIONS[::-1])), "permission-option-differs", match="content"),
    _told("another text of a diff", instead("edit end", tool("c2", "completed", content=[{**DIFF, "newText": "none"}])),
          "permission-misleads", "content-differs", match="content"),
    _told("another text", instead("found", chunk("Lost it")), "content-differs", match="content"),
    _told("a title that is too long", instead("title", up("session_info_update", title="x" * 501,
          updatedAt="2026-11-20T13:05:01Z")), "finding-new"),
    _told("a time without its zone, twice", both(
        instead("title", up("session_info_update", title="A file", updatedAt="2026-11-20T13:05:01")),
        put("found", up("session_info_update", updatedAt="2026-11-20T13:05:02"))), "finding-new"),
    _told("a config change that the client asks for, of an option that there is not",
          both(put("closed", sets(9, "colour", "red"), refuse(9, -32602))), "request-extra"),
    _told("another text, to the letter", instead("bye", chunk("Finished", messageId="m1")), "frame-differs",
          match="exact"),
    _told("one chunk more, to the letter", put("hello 2", chunk(" it")), "frame-extra", match="exact"),
    _told("one chunk less, to the letter", drop("hello 2"), "frame-missing", match="exact"),
    _told("another error text, to the letter",
          instead("no mode", ("agent", {"jsonrpc": "2.0", "id": 6, "error": {"code": -32602, "message": "no"}})),
          "frame-differs", match="exact"),
    _told("an additional key, to the letter", instead("stop 3", answer(5, stopReason="end_turn", _meta={})),
          "frame-differs", match="exact"),
    _told("another type, to the letter", instead("commands", up("available_commands_update", availableCommands=[
        COMMANDS[0], {**COMMANDS[1], "description": "5"}])), "frame-differs", match="exact"),
    _told("an outcome, at that level", instead("stop 2", stop(4)), "cancel-outcome", match="outcome"),
]  # fmt: skip
