"""Harmless variations of the scripted agent, which no code tells."""

from __future__ import annotations

import json
import os
import select

from tests.replay.edits import (
    GONE,
    Case,
    after,
    asks,
    before,
    change,
    chunk,
    drop,
    every,
    instead,
    later,
    tool,
    twice,
    up,
)
from tests.replay.endings import leaves_a_child, leaves_a_stranger
from tests.replay.script import CONFIG, OPTIONS, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tests.replay.edits import Switch
    from tests.replay.wire import Message, Wire


def _waits(wire: Wire) -> None:
    """Waits for 20 ms."""
    wire.flush()
    select.select([], [], [], 0.02)


def _warms_up(wire: Wire) -> None:
    """Says something that is no protocol."""
    os.write(2, b"warming up\nready\n")


def _slow(wire: Wire, message: Message) -> list[Any]:
    return [_waits, *([message] if message else [])]


def _with_string_id(message: Message) -> Message:
    return {**message, "id": f"q-{message['id']}"} if "id" in message and "method" in message else message


def _like_the_clients(message: Message) -> Message:
    return {**message, "id": str(message["id"])} if "id" in message and "method" in message else message


def _without_message_id(message: Message) -> Message:
    update = message.get("params", {}).get("update", {})
    update.pop("messageId", None)
    return message


def _with_more_keys(message: Message) -> Message:
    body: Any = message.get("params") or message.get("result") or {}
    body["vendor"] = {"more": [1]}
    body.get("update", body)["vendor/key"] = None
    return message


def _spaced(message: Message) -> bytes:
    """Spaces, escapes, keys in another order, and a carriage return."""
    return json.dumps(message, sort_keys=True).encode() + b"\r\n"


def _in_pieces(wire: Wire, message: Message) -> list[Any]:
    """In two writes, the first one ends in the middle of a character where there is a long one."""
    data = wire.encode(message)
    at = data.find(b"\xe2") + 1 or 9
    return [data[:at], _waits, data[at:]]


def _edits(asked: str, written: str, shown: str, old: str = "old") -> list[Switch]:
    """An edit with other texts: what the permission shows, what is written, what the tool call shows."""
    texts = "params.toolCall.content.0.oldText", "params.toolCall.content.0.newText"
    shows = "params.update.content.0.oldText", "params.update.content.0.newText"
    return [
        change("edit asks", texts[0], old, texts[1], asked),
        change("edit writes", "params.content", written),
        change("edit done", shows[0], old, shows[1], shown),
    ]


_CLOSES = 3  #: sessions that are closed, the last of them at the end


def _goes_on(wire: Wire, message: Message) -> list[Any]:
    """More comes when the last session is closed: the client that was recorded was gone by then."""
    wire.closed += 1
    more = [chunk("P.S."), up("plan", entries=[]), tool("c99", "failed"), asks("vendor/ask")]
    return [message, *(more if wire.closed == _CLOSES else ())]


_RENAMED = [{**one, "optionId": f"opt-{number}"} for number, one in enumerate(OPTIONS)]
_TITLE = {"title": "A tale", "updatedAt": "2026-11-20T13:05:01Z", "_meta": {"scripted": {"n": 1}}}
_LINK = {"type": "content", "content": {"type": "resource_link", "uri": "file:///w/a", "name": "a"}}
_CAN: Any = {"mcpCapabilities": {"http": True}, "promptCapabilities": {"audio": True, "image": True},
             "sessionCapabilities": {"close": {}, "list": {}, "resume": {}}, "loadSession": True}  # fmt: skip

VARIATIONS = {
    "nothing else": Case(),
    # how much, and when
    "one chunk more": Case(after("talk chunk 1", chunk()), codes="content-differs", at={"exact": "frame-extra"}),
    "one chunk fewer": Case(drop("talk chunk 2"), codes="content-differs", at={"exact": "frame-missing"}),
    "one chunk in place of three": Case(drop("talk chunk 1", "talk chunk 2"), codes="content-differs",
        at={"exact": "frame-missing"}),
    "another text": Case(change("talk chunk 1", "params.update.content.text", "Twice upon"), codes="content-differs"),
    "a slower agent": Case(dict.fromkeys(
        ("initialized", "talk thought", "talk chunk 2", "talk stop", "read done", "edit asks", "run waits",
         "both done 1", "mode after", "long on", "long done", "wait stop", "over"), _slow)),
    "messages that come in pieces": Case(
        {"talk chunk 1": _in_pieces, "long chunk": _in_pieces, "long stop": _in_pieces}),
    "a thought among the chunks": Case(later("talk thought", "talk chunk 1")),
    "a thought after the message": Case(later("talk thought", "talk chunk 3")),
    "a plan later in its turn": Case(later("read plan", "read on")),
    "usage at another moment": Case(later("talk usage", "talk title")),
    "other figures of usage": Case(change("talk usage", "params.update.used", 70), at={"content": "content-differs", "exact": "frame-differs"}),
    "usage more often": Case(after("talk chunk 1", up("usage_update", used=1, size=100)), at={"exact": "frame-extra"}),
    "commands twice": Case(twice("commands 1"), at={"exact": "frame-extra"}),
    "commands before their session is announced": Case(later("session 1", "commands 1")),
    "commands later": Case(later("commands 1", "was set")),
    "less work after a cancel": Case(drop("long done")),
    "more work after a cancel": Case(before("long stop", chunk(), tool("c9", "failed"))),
    "a title before the stop": Case(drop("talk title"), before("talk stop", up("session_info_update", **_TITLE))),
    "a title in the next turn": Case(drop("talk title"), after("read plan", up("session_info_update", **_TITLE))),
    "a title twice": Case(twice("talk title"), at={"exact": "frame-extra"}),
    "another time": Case(change("talk title", "params.update.updatedAt", "2027-01-01T00:00:00Z"), at={"exact": "frame-differs"}),
    "another title and time": Case(change("talk title", "params.update", {
        **_TITLE, "sessionUpdate": "session_info_update", "title": "A story", "updatedAt": "2027-01-01T00:00:00Z"}), codes="content-differs",
        at={"exact": "frame-differs frame-differs"}),
    # ids and names
    "JSON-RPC ids from another number on": Case(style={"first_id": 10**6}),
    "JSON-RPC ids that are strings": Case(every(_with_string_id)),
    "JSON-RPC ids that look like the client's": Case(every(_like_the_clients)),
    "other session ids": Case(style={"session": "6f1c-{0}-b2"}),
    "swapped session ids": Case(style={"session": "s-{1}"}),
    "other tool call ids": Case(style={"call": "toolu_{0}x"}),
    "tool call ids that count down": Case(style={"call": "call-{1}"}),
    "other message ids": Case(style={"message": "m-{0}-2"}),
    "no message ids": Case(every(_without_message_id), at={"exact": "frame-differs"}),
    "other option ids": Case(style={"options": _RENAMED}),
    "options in another order": Case(style={"options": OPTIONS[::-1]}, codes="permission-option-differs", at={"semantic": ""}),
    # tool calls and requests
    "two parallel tool calls in another order": Case(style={"parallel": (2, 1)}),
    "a parallel tool call that ends first": Case(later("both done 1", "both done 2")),
    "a tool call with more updates": Case(twice("read on"), twice("read done"), at={"exact": "frame-extra"}),
    "a tool call without `pending`": Case(change("read call", "params.update.status", GONE),
        at={"exact": "frame-differs"}),
    "another title of a tool call": Case(change("read call", "params.update.title", "Look"), codes="content-differs"),
    "a tool call with more content": Case(change("both done 1", "params.update.content", [_LINK]), codes="content-differs"),
    "another content of a tool call": Case(
        change("read done", "params.update.content.0.content.text", "It has 3 lines."), codes="content-differs"),
    "another input, and a tool that puts out nothing then": Case(
        change("read call", "params.update.rawInput.path", "b.txt"), change("read done", "params.update.content", GONE),
        codes="content-differs", at={"exact": "frame-differs frame-differs"}),
    "a terminal that is polled more often": Case(twice("run looks")),
    "a terminal that is polled less often": Case(drop("run looks again")),
    "another content of a file": Case(*_edits("newer", "newer", "newer"), codes="content-differs",
        at={"content": "content-differs >content-differs >content-differs", "exact": "frame-differs >frame-differs >frame-differs"}),
    "diffs that show a part of the file": Case(
        *_edits("new", "one\nnew\ntwo", "new\ntwo", old="a part"), codes="content-differs",
        at={"content": "content-differs content-differs >content-differs", "exact": "frame-differs frame-differs frame-differs >frame-differs"}),
    "diffs without the newline at the end": Case(*_edits("new", "new\n", "new"), codes="content-differs",
        at={"exact": "frame-differs"}),
    "diffs with another end of their lines": Case(*_edits("a\r\nb", "a\nb", "a\nb"), codes="content-differs",
        at={"content": "content-differs content-differs >content-differs", "exact": "frame-differs frame-differs >frame-differs"}),
    "a permission that names files from its directory": Case(
        change("edit asks", "params.toolCall.content.0.path", "a.txt", "params.toolCall.locations.0.path", "./a.txt"), codes="content-differs",
        at={"exact": "frame-differs frame-differs"}),
    "a permission that names a directory": Case(
        change("edit asks", "params.toolCall.locations", [{"path": "/"}]), codes="content-differs"),
    "a permission that names more files": Case(
        change("edit asks", "params.toolCall.locations", [{"path": "b.txt"}, {"path": "a.txt"}]), codes="content-differs",
        at={"exact": "frame-differs frame-differs"}),
    "a file that is read from another line": Case(change("read asks", "params.line", 7), codes="content-differs"),
    # results
    "figures in a result": Case(change("talk stop", "result.usage", USAGE), at={"exact": "frame-differs"}),
    "another text of an error": Case(change("fail stop", "error.message", "Oh no"), codes="content-differs"),
    "unknown keys": Case(every(_with_more_keys), at={"exact": "frame-differs frame-differs"}),
    "another way to write JSON": Case(style={"encode": _spaced}),
    "more history": Case(after("load chunk", chunk("and more")), codes="content-differs", at={"exact": "frame-extra"}),
    "an additional session in the list": Case(
        change("listed", "result.sessions", [{"sessionId": "x", "cwd": "/w"}, {"sessionId": "y", "cwd": "/w"}]),
        at={"exact": "frame-differs"}),
    # configuration and the connection
    "a config change with an update first": Case(
        before("was set", lambda wire: wire.updated("config_option_update", configOptions=wire.options())),
        at={"exact": "frame-extra"}),
    "a config change with an update, too": Case(
        after("was set", lambda wire: wire.updated("config_option_update", configOptions=wire.options())),
        at={"exact": "frame-extra"}),
    "a mode change with an update, too": Case(after("mode code", up("current_mode_update", currentModeId="code")),
        at={"exact": "frame-extra"}),
    "a new option": Case(style={"config": {**CONFIG, "speed": ("fast", "slow")}}, at={"exact": "frame-differs"}),
    "another name and version": Case(
        change("initialized", "result.agentInfo", {"name": "other", "title": "Other", "version": "2.0"})),
    "new capabilities": Case(change("initialized", "result.agentCapabilities", _CAN)),
    "a new way to authenticate": Case(
        change("initialized", "result.authMethods", [{"id": "web", "name": "Web"}, {"id": "key", "name": "API key"}])),
    "output on stderr": Case(instead("start", _warms_up)),
    "more after the end of the recording": Case({"closed": _goes_on}),
    "an agent that is slow to end": Case(instead("over", _waits)),
    "a child that is left behind": Case(instead("over", leaves_a_child)),
    "a daemon that is left behind": Case(instead("over", leaves_a_stranger)),
}  # fmt: skip
