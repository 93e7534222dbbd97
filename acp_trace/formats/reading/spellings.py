"""Values as other languages print them, in the place of JSON → JSON values. Pure.

    {'jsonrpc': '2.0', 'id': 0, 'params': None}                                    Python
    {"jsonrpc" => "2.0", "id" => 0}, array ('jsonrpc' => '2.0')                    Ruby, Elixir, PHP
    Request { id: Number(0), method: "initialize", params: Some(Object {…}) }      Rust
    { jsonrpc: '2.0', id: 0, params: { prompt: [ [Object] ] } }                    JavaScript
    { id = 0, jsonrpc = "2.0", params = { mcpServers = {} } }                      Lua
    JsonRpcRequest(id=0, method=MethodName(name=initialize), params={…})           Kotlin
    { "jsonrpc": "2.0", "id": 0, /* the first */ }                                 JSON with comments

What is around a value (`Some(…)`, `Object {…}`) is left out. Where a printer left parts out (`[Object]`,
`…`), the value is known to be cut. An empty table of Lua is a list where ACP has one, and else an object.

Learned from the references of these languages and from what their printers write: Python's `repr`, PHP's
`var_export`, Rust's `Debug`, Node's and Bun's `util.inspect`, Neovim's `vim.inspect`, Kotlin's data classes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

#: How such a value may begin: of Kotlin the class is before it.
BEGINS = re.compile(
    r"\{\s*(?:['`}]|[A-Za-z_$][\w$]*\s*[:=]|\[\"|//|/\*)|\[\s*\{|(?<=JsonRpcRequest)\(|(?<=JsonRpcResponse)\("
    r"|(?<=JsonRpcNotification)\(|(?<=array )\("
)
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*[^*]{0,2000}\*/|%(?=\{))"
    r"|(?P<string>'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\"|`(?:[^`\\]++|\\.)*+`)"
    r"|(?P<opens>[{\[(])|(?P<closes>[}\])])|(?P<next>[,;])|(?P<names>=>|[:=])"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])"
    r"|(?P<cut>\.{3}|…)|(?P<word>[A-Za-z_$][\w$./*-]*)",
    re.DOTALL,
)
_PAIRS = {"{": "}", "[": "]", "(": ")"}
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("None", "null", "Null", "nil", "undefined", "vim.NIL", "NaN")),
    **dict.fromkeys(("True", "true"), True),
    **dict.fromkeys(("False", "false"), False),
}
#: What replaces a part that was not printed: `[Object]`, `[Circular *1]`, `[Function: run]`, `[length]: 3`.
_CUT_WORDS = ("Object", "Array", "Circular", "Function", "Getter", "Symbol", "length")
#: Members that are lists where ACP has them (its schema), and objects elsewhere.
_LISTS = frozenset(
    (
        "additionalDirectories", "args", "authMethods", "availableCommands", "availableModels",
        "availableModes", "configOptions", "content", "entries", "env", "headers", "locations", "mcpServers",
        "options", "prompt", "sessions",
    )
)  # fmt: skip
#: Escapes that differ from JSON's; all but one yield one character each.
_ESCAPE = re.compile(
    r"\\(?:(?P<same>[nrtbf\\\"/])|x(?P<hex>[0-9a-fA-F]{2})|u\{(?P<rust>[0-9a-fA-F]{1,6})\}"
    r"|u(?P<u>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<octal>[0-7]{1,3})|(?P<other>.))"
    r"|(?P<quote>\")|(?P<control>[\x00-\x1f])",
    re.DOTALL,
)
_DEEPEST = 200
_NOTHING: Any = object()


class SpelledValue(NamedTuple):
    """A value, and where it ends in its text; None, and how far the text was looked at.

    `is_cut`: parts of it were not printed.
    """

    value: Any
    end: int
    is_cut: bool = False


class _Word(str):
    """A name that may enclose a value, or be one."""

    __slots__ = ()


class _Opened:
    """What has been opened, and not closed yet."""

    __slots__ = ("closes", "items", "key", "members", "value")

    def __init__(self, closes: str) -> None:
        self.closes = closes
        self.members: dict[str, Any] = {}
        self.items: list[Any] = []
        self.key: Any = _NOTHING
        self.value: Any = _NOTHING


class _Unreadable(Exception):
    """The text has no value here."""


def spelled(text: str, at: int, until: int | None = None) -> SpelledValue:
    """Reads the value that begins here. Its value is None if it does not end before `until`."""
    until = len(text) if until is None else until
    reader, place = _Reader(), at
    while (token := _TOKEN.match(text, place, until)) is not None:
        place = token.end()
        try:
            done = reader.take(token.lastgroup or "", token[0])
        except (_Unreadable, ValueError):
            return SpelledValue(None, place)
        if done is not None:
            return SpelledValue(done, place, reader.is_cut)
    is_open = text[place : place + 1] in ("'", '"', "`")  # a string that has no end was looked for to the end
    return SpelledValue(None, until if is_open else place)


class _Reader:
    """Puts tokens together."""

    def __init__(self) -> None:
        self.is_cut = False
        self._is_lua = False  #: whether members are named with `=`
        self._frames: list[_Opened] = []

    def take(self, kind: str, piece: str) -> Any:
        """Process a token; return the whole value when it is complete. Raises _Unreadable and ValueError."""
        if kind == "space":
            return None
        if kind == "opens":
            self._open(piece)
            return None
        if not self._frames:
            raise _Unreadable
        frame = self._frames[-1]
        if kind == "closes":
            return self._close(frame, piece)
        if kind == "next":
            self._end_item(frame)
        elif kind == "names":
            self._is_lua = self._is_lua or piece == "="
            self._name(frame)
        elif kind == "cut":
            self.is_cut = True
        else:
            self._put(frame, _Word(piece) if kind == "word" else _atom(kind, piece))
        return None

    def _open(self, piece: str) -> None:
        if len(self._frames) >= _DEEPEST:
            raise _Unreadable
        if self._frames and isinstance(self._frames[-1].value, _Word):
            self._frames[-1].value = _NOTHING  # a name around a value
        self._frames.append(_Opened(_PAIRS[piece]))

    def _close(self, frame: _Opened, piece: str) -> Any:
        if piece != frame.closes:
            raise _Unreadable
        self._end_item(frame)
        self._frames.pop()
        value = self._whole(frame)
        if not self._frames:
            return value
        self._put(self._frames[-1], value)
        return None

    def _put(self, frame: _Opened, value: Any) -> None:
        is_more = isinstance(frame.value, str) and isinstance(value, str) and not isinstance(value, _Word)
        if frame.value is not _NOTHING and not (is_more and not isinstance(frame.value, _Word)):
            if not self.is_cut:
                raise _Unreadable
            return  # `... 3 more items`
        frame.value = frame.value + value if is_more else value  # a long string comes in pieces

    def _name(self, frame: _Opened) -> None:
        key = frame.value
        if frame.key is not _NOTHING or key is _NOTHING:
            raise _Unreadable
        if isinstance(key, list):  # ["a key"] of Lua, [length] of JavaScript
            key = key[0] if len(key) == 1 else _NOTHING
        if not isinstance(key, str | int):
            raise _Unreadable
        frame.key, frame.value = str(key), _NOTHING

    def _end_item(self, frame: _Opened) -> None:
        value, key = frame.value, frame.key
        frame.value = frame.key = _NOTHING
        if value is _NOTHING:
            if key is not _NOTHING:
                self.is_cut = True  # `"params": …`
            return
        if isinstance(value, _Word):
            value = self._meant(value, frame, is_named=key is not _NOTHING)
        if key is _NOTHING:
            frame.items.append(value)
        else:
            frame.members[key] = value

    def _meant(self, word: _Word, frame: _Opened, *, is_named: bool) -> Any:
        """The value that a word means."""
        if word in _WORDS:
            return _WORDS[word]
        if word in _CUT_WORDS and frame.closes == "]":
            self.is_cut = True
            return str(word) if word == "length" else None
        if frame.closes == ")" and is_named:  # Kotlin does not quote
            return str(word)
        raise _Unreadable

    def _whole(self, frame: _Opened) -> Any:
        if frame.closes == ")" and frame.items and not frame.members:
            return frame.items[0] if len(frame.items) == 1 else frame.items
        if frame.members:
            if frame.items and not self.is_cut:
                raise _Unreadable
            is_list = all(key == str(at) for at, key in enumerate(frame.members))  # of PHP
            return list(frame.members.values()) if is_list else frame.members
        if frame.items or frame.closes == "]":
            return frame.items
        above = self._frames[-1].key if self._frames else ""
        may_be_list = self._is_lua or frame.closes == ")"  # of Lua and PHP, which have one sign for both
        return [] if may_be_list and above in _LISTS else {}


def _atom(kind: str, piece: str) -> Any:
    return json.loads(piece) if kind == "number" else unescaped(piece[1:-1])


def unescaped(text: str) -> str:
    """The value of a literal of any of these languages, or of C."""
    if "\\" not in text:
        return text
    made: str = json.loads(f'"{_ESCAPE.sub(_escaped, text)}"', strict=False)
    if any(found["octal"] and int(found["octal"], 8) > 0x7F for found in _escapes(text)):
        try:
            return made.encode("latin-1").decode()  # of C, which escapes bytes
        except UnicodeError:
            pass
    return made


def _escapes(text: str) -> Iterator[re.Match[str]]:
    return _ESCAPE.finditer(text)


def _escaped(found: re.Match[str]) -> str:
    """An escape as JSON has it."""
    if found["same"] or found["u"]:
        return found[0]
    code = found["hex"] or found["rust"] or found["long"]
    if code or found["octal"]:
        number = int(code, 16) if code else int(found["octal"], 8)
        return json.dumps(chr(number))[1:-1] if number < 0x110000 else "\\ufffd"
    return json.dumps(found["other"] or found[0])[1:-1]
