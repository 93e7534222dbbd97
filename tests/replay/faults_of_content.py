"""Deliberate faults in what the scripted agent shows, each with the codes by which a replay tells it."""

from __future__ import annotations

from tests.replay.edits import GONE, Case, change, twice
from tests.replay.script import COMMANDS, CONFIG, MODES

_LINK = {"type": "resource_link", "uri": "file:///w/a", "name": "a"}
#: Where the options of the first session stand.
_CONFIG = (
    ("session 1", "result"),
    ("was set", "result"),
    ("read config", "params.update"),
    ("loaded", "result"),
)
_TWICE = "Both are done.Both are done."


FAULTS_OF_CONTENT = {
    "a message that is empty": Case(change("both chunk", "params.update.content.text", ""), codes="content-lost"),
    "a link in place of a text": Case(change("both chunk", "params.update.content", _LINK), codes="content-lost"),
    "a chunk that is sent twice": Case(twice("both chunk"), codes="message-twice"),
    "a chunk that says it twice": Case(change("both chunk", "params.update.content.text", _TWICE), codes="message-twice"),
    "a tool call that is announced twice": Case(twice("read call"), codes="tool-call-twice"),
    "a tool call with an empty title": Case(change("read call", "params.update.title", ""), codes="content-lost"),
    "a tool call without a title": Case(change("read call", "params.update.title", GONE), codes="content-lost"),
    "a tool call without locations": Case(change("read call", "params.update.locations", GONE), codes="content-lost"),
    "a location outside of the session": Case(
        change("read call", "params.update.locations.0.path", "/etc/passwd"), codes="content-outside"),
    "a tool call without raw input": Case(change("read call", "params.update.rawInput", GONE), codes="content-lost"),
    "a tool call without its content": Case(change("read done", "params.update.content", []), codes="content-lost"),
    "a diff that is lost": Case(change("edit done", "params.update.content", GONE), codes="content-lost"),
    "a diff without its new text": Case(change("edit done", "params.update.content.0.newText", ""), codes="content-lost"),
    "a diff of a file outside of the session": Case(
        change("edit done", "params.update.content.0.path", "/etc/passwd"),
        codes="permission-misleads", follows="content-outside"),
    "a tool call without its terminal": Case(change("run on", "params.update.content", []), codes="content-lost"),
    "a plan without entries": Case(change("read plan", "params.update.entries", []), codes="content-lost"),
    "commands that are all gone": Case(change("commands 1", "params.update.availableCommands", []), codes="choice-missing"),
    "a command that is gone": Case(
        change("commands 1", "params.update.availableCommands", COMMANDS[:1]), codes="choice-missing"),
    "a choice that is gone everywhere": Case(style={"config": {**CONFIG, "effort": CONFIG["effort"][:2]}}, codes="choice-missing"),
    "a mode that is gone everywhere": Case(
        change("session 1", "result.modes.availableModes", MODES[:3]), change("loaded", "result.modes.availableModes", MODES[:3]),
        codes="choice-missing"),
    "usage of 0": Case(change("talk usage", "params.update.used", 0), codes="content-lost"),
    "usage of -1": Case(change("talk usage", "params.update.used", -1), codes="content-lost"),
    "a title that says `undefined`": Case(change("talk title", "params.update.title", "undefined"), codes="content-lost"),
    "a tool call with the title `undefined`": Case(change("read call", "params.update.title", "undefined"), codes="content-lost"),
    # at `content`
    "another thought": Case(change("talk thought", "params.update.content.text", "Ah."), codes="content-differs"),
    "another name of a choice": Case(
        *(change(label, f"{at}.configOptions.0.options.0.name", "Fast") for label, at in _CONFIG), codes="content-differs"),
    "another name of a mode": Case(
        *(change(label, "result.modes.availableModes.0.name", "Question") for label in ("session 1", "loaded")),
        codes="content-differs"),
    "another text": Case(
        change("both chunk", "params.update.content.text", "Both failed."), codes="content-differs"),
    "another title of a tool call": Case(
        change("read call", "params.update.title", "Look"), codes="content-differs"),
    "another line of a location": Case(
        change("read call", "params.update.locations.0.line", 7), codes="content-differs"),
    "another raw input": Case(
        change("read call", "params.update.rawInput.path", "b.txt"), codes="content-differs"),
    "another content of a tool call": Case(
        change("read done", "params.update.content.0.content.text", "It is long."), codes="content-differs"),
    "another text of a diff": Case(
        change("edit done", "params.update.content.0.newText", "newer"),
        codes="permission-misleads", follows="content-differs"),
    "another text that is written, in all that shows it": Case(
        change("edit asks", "params.toolCall.content.0.newText", "newer"), change("edit writes", "params.content", "newer"),
        change("edit done", "params.update.content.0.newText", "newer"),
        codes="content-differs", follows="content-differs content-differs"),
    "another entry of a plan": Case(
        change("read plan", "params.update.entries.0.content", "write"), codes="content-differs"),
    "another description of a command": Case(
        change("commands 1", "params.update.availableCommands", [COMMANDS[0], {**COMMANDS[1], "description": "?"}]), codes="content-differs"),
    "another title of the session": Case(
        change("talk title", "params.update.title", "A story"), codes="content-differs"),
}  # fmt: skip
