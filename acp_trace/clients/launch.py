"""The command in an agent's entry: reading it, putting the recorder's words in, taking them out.

The placement of the added words alone shows how to remove them, to the byte: words before the first item of a
list have `, ` after them; in an empty list they have a space before them; in a list that did not exist,
neither. After an editor has formatted the file, the words are still found, and only they are removed.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Literal

from acp_trace.clients import jsonc, recorder
from acp_trace.clients.edits import CannotEdit, TextEdit
from acp_trace.clients.jsonc import Node
from acp_trace.clients.table import EditableClient


@dataclass(frozen=True, slots=True)
class Launch:
    """What an entry starts. `args`: the list of words after `command`, or of all words (`argv`)."""

    how: Literal["command", "argv", "line"]
    words: tuple[str, ...]
    command: Node | None
    args: Node | None


def read(client: EditableClient, name: str, entry: Node) -> Launch:
    """Return what the entry starts. Raises CannotEdit if it starts nothing, or not as the client reads it."""
    if entry.kind != "object":
        raise CannotEdit(f"{name} is not an object: correct the file first")
    command, args = (one_member(entry, key, name) for key in ("command", "args"))
    argv = one_member(entry, "argv", name) if client.form == "argv" else None
    if argv is not None:
        if command or args or not argv.items:
            raise CannotEdit(f"{name} must have only `argv`, with a command in it: correct the file first")
        return Launch("argv", _strings(argv, "argv", name), None, argv)
    if command is None:
        raise CannotEdit(
            f"{name} has no command in the file, as usual for {client.built_in}: "
            f"to record such an agent, add it under another name, with its command: "
            f"acp-trace install {client.name} {shlex.quote(name + ' (traced)')} -- COMMAND ARGS"
        )
    if command.kind != "string" or not command.string.strip():
        raise CannotEdit(f"the command of {name} is not a string: correct the file first")
    if args is None and client.splits:
        return Launch("line", _split(command.string, name), command, None)
    words = (command.string, *(_strings(args, "args", name) if args else ()))
    return Launch("command", words, command, args)


def wrap(launch: Launch, text: str, python: str, client: EditableClient) -> list[TextEdit]:
    """Put the recorder before the command. Raises CannotEdit."""
    words = recorder.words(python)
    command, args = launch.command, launch.args
    if launch.how == "argv":
        assert args is not None
        return [TextEdit(args.items[0].start, args.items[0].start, _list(words) + ", ")]
    assert command is not None
    if launch.how == "line":
        return [TextEdit(command.start + 1, command.start + 1, quoted(shlex.join(words) + " ")[1:-1])]
    if client.splits and (any(map(str.isspace, python)) or set(python) & set("'\"")):
        raise CannotEdit(
            f"{client.title} takes no command with spaces or quotes next to `args`, and Python is {python}: "
            "write all words into `argv` first"
        )
    behind = f"{_list(words[1:])}, {text[command.start : command.end]}"
    first = TextEdit(command.start, command.end, quoted(python))
    if args is None:
        return [TextEdit(command.start, command.end, f'{quoted(python)}, "args": [{behind}]')]
    if args.items:
        return [first, TextEdit(args.items[0].start, args.items[0].start, behind + ", ")]
    return [first, TextEdit(args.start + 1, args.start + 1, " " + behind)]


def unwrap(launch: Launch, text: str, name: str) -> list[TextEdit]:
    """Remove the recorder's words. Raises CannotEdit if something else was put between them."""
    command, args = launch.command, launch.args
    if launch.how == "line":
        assert command is not None
        mark = " ".join(("", *recorder.words("")[1:], ""))
        end = text.find(mark, command.start, command.end)
        if end < 0:
            raise _changed(name)
        return [TextEdit(command.start + 1, end + len(mark))]
    assert args is not None
    count = recorder.COUNT  # in `argv` all of our words; after `command`, one fewer and the command itself
    ours, after = args.items[:count], args.items[count:]
    if after:
        _nothing_between(text[ours[0].start : after[0].start], ours, text, name)
        gone = TextEdit(ours[0].start, after[0].start)
    else:
        gone = _only_words(text, command, args, name)
    if launch.how == "argv":
        return [gone]
    assert command is not None
    agent = text[ours[-1].start : ours[-1].end]
    if gone.start == command.end:  # the whole list was ours
        return [TextEdit(command.start, gone.end, agent)]
    return [TextEdit(command.start, command.end, agent), gone]


def _only_words(text: str, command: Node | None, args: Node, name: str) -> TextEdit:
    """Do the same if the list has nothing else: it was empty, or missing."""
    ours = args.items
    start, end = ours[0].start, ours[-1].end
    _nothing_between(text[start:end], ours, text, name)
    if command and text[command.end : start] == ', "args": [' and end == args.end - 1:
        return TextEdit(command.end, args.end)
    comma = jsonc.past_trivia(text, end)
    if text[comma] == ",":
        end = comma + 1
    return TextEdit(start - (text[args.start + 1 : start] == " "), end)


def _nothing_between(cut: str, ours: tuple[Node, ...], text: str, name: str) -> None:
    for node in ours:
        cut = cut.replace(text[node.start : node.end], "", 1)
    if cut.replace(",", "").strip():
        raise _changed(name)


def _changed(name: str) -> CannotEdit:
    return CannotEdit(f"{name} was changed after install: remove the recorder's words by hand")


def one_member(node: Node, key: str, where: str) -> Node | None:
    """Return the value of that name in an object; None if missing. Raises CannotEdit if it occurs twice."""
    found = [member.value for member in node.members if member.name == key]
    if len(found) > 1:
        raise CannotEdit(f"{where} has `{key}` twice: remove one of them first")
    return found[0] if found else None


def quoted(word: str) -> str:
    """Return the word as JSON."""
    return json.dumps(word, ensure_ascii=False)


def _list(words: list[str]) -> str:
    return ", ".join(map(quoted, words))


def _strings(node: Node, key: str, name: str) -> tuple[str, ...]:
    if node.kind != "array" or any(item.kind != "string" for item in node.items):
        raise CannotEdit(f"`{key}` of {name} is not a list of strings: correct the file first")
    return tuple(item.string for item in node.items)


def _split(line: str, name: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        why = str(error)[:1].lower() + str(error)[1:]
        raise CannotEdit(
            f"the command of {name} is not a valid command line: {why}: correct it first"
        ) from None
