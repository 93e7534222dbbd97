"""Lines of one side that are not JSON: the same rules, read leniently.

A `session/new` may be cut off, hold NaN, begin with a byte order mark, be printed over several lines, or
share its line with another message. Such a line is not a frame, and its meaning is a guess. So a rule applies
here even without its method: by the end of its path (`env/*/value`). Unquoted words are keys, strings may
have either quote, and an unterminated string continues to the end of the line, and on the next one. Rather
too much is removed than too little.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from acp_trace.redact import arguments
from acp_trace.redact.kept import IDS, is_kept
from acp_trace.redact.rules import Rule
from acp_trace.redact.scan import Hit

_TOKEN = re.compile(
    r"(?P<string>\"(?P<double>(?:[^\"\\]|\\.)*+)\"?|'(?P<single>(?:[^'\\]|\\.)*+)'?)(?P<colon>\s*+:)?"
    r"|(?P<mark>[{}\[\],])|(?P<word>[A-Za-z_$][\w$-]*+)(?P<named>\s*+:)?|(?P<number>-?\d[\d.eE+-]*+)",
    re.DOTALL,
)
_METHOD = re.compile(r"[\"']?\bmethod[\"']?\s*:\s*[\"']([\w$./\\-]{1,100})[\"']")
_BEGINS = re.compile(r"[\s\ufeff\[]{0,8}\{\s{0,8}[\"']?(?:jsonrpc|id|method)[\"']?\s*:")
#: The same after other text: a quote before it has no meaning.
_WITHIN = re.compile(r"\{\s{0,8}[\"']?(?:jsonrpc|id|method)[\"']?\s*:")
#: A line whose beginning was cut off in the middle of a string.
_INSIDE = re.compile(r"[^\"{\[]{0,1000}\"\s*[:,}\]]")
#: Names in a path that are not specific by themselves.
_COMMON = frozenset({"params", "result", "error", "_meta", "mcpServers", "authMethods", "*"})
_DEEPEST = 10_000
_NEAR = 32  #: length of either end of a path that is examined


class Odd:
    """Reads the odd lines of one side, in order."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._tails = tuple((_tail(rule.path), rule) for rule in self._rules if _tail(rule.path))
        self.sound()

    def sound(self) -> None:
        """Note that a line of JSON came: what was open is over."""
        self._path: list[str | int | None] = [None]
        self._methods: set[str] = set()
        self._quote = ""
        self._before: tuple[tuple[str | int | None, ...], str] = ((), "")
        self._beyond = 0
        self._from = 0

    @property
    def is_open(self) -> bool:
        """Whether a message continues on further lines."""
        return len(self._path) > 1

    def spans(self, text: str, answered: Iterable[str] = ()) -> list[Hit]:
        """Return what the rules remove from a line, left to right. `answered`: methods still unanswered."""
        if not self.is_open and not any(one in text for one in "{[\"'"):
            return []
        if not self.is_open or _BEGINS.match(text):
            self.sound()
            if _INSIDE.match(text):
                self._quote = '"'
        self._methods.update(one.replace("\\", "") for one in _METHOD.findall(text))
        if "result" in text or "result" in self._path:
            self._methods.update(answered)
        opened = [*self._opened(text)]
        if not self.is_open and not self._from and (begins := _WITHIN.search(text)):
            self._from = begins.start()
        return [*opened, *self._tokens(text)]

    def _opened(self, text: str) -> Iterator[Hit]:
        """Yield the end of a string that the previous line began."""
        self._from = 0
        if not self._quote:
            return
        quote, self._quote = self._quote, ""
        match = re.compile(rf"((?:[^{quote}\\]|\\.)*+){quote}?", re.DOTALL).match(text)
        assert match is not None
        self._from = match.end()
        yield from self._string(match[1], 0)
        if not match[0].endswith(quote):
            self._quote = quote

    def _tokens(self, text: str) -> Iterator[Hit]:
        path = self._path
        for token in _TOKEN.finditer(text, self._from):
            kind = token.lastgroup
            if mark := token["mark"]:
                self._mark(mark)
            elif token["colon"] or token["named"]:
                if isinstance(path[-1], int):
                    path.append(None)
                path[-1] = token["word"] or _plain(token["double"] or token["single"] or "")
            elif token["string"]:
                inner = "double" if token["double"] is not None else "single"
                yield from self._string(token[inner], token.start(inner))
                if token.end() == len(text) and token.end(inner) == token.end() and len(path) > 1:
                    self._quote = token["string"][0]
            elif kind == "number" and (rule := self._rule()) and rule.how == "value" and token[0] != "0":
                yield Hit(token.start(), token.end(), None, rule.name)

    def _mark(self, mark: str) -> None:
        path = self._path
        if mark in "{[":
            if len(path) > _DEEPEST:
                self._beyond += 1
            else:
                path.append(None if mark == "{" else 0)
        elif mark == ",":
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else None
        elif self._beyond:
            self._beyond -= 1
        elif len(path) > 1:
            del path[-1]
            if len(path) == 1:
                self._methods.clear()
                path[0] = None

    def _string(self, spelt: str, at: int) -> Iterator[Hit]:
        rule = self._rule()
        if rule is None or not spelt:
            return
        if rule.how == "arguments":
            place = tuple(self._path[-_NEAR:])
            last, argument = self._before
            index = place[-1]
            follows = isinstance(index, int) and last == (*place[:-1], index - 1)
            for start, end in arguments.spans(spelt, argument if follows else None):
                yield Hit(at + start, at + end, _plain(spelt[start:end]), rule.name)
            self._before = (place, spelt)
            return
        start = arguments.header_start(spelt) if rule.how == "header" else 0
        yield Hit(at + start, at + len(spelt), _plain(spelt[start:]), rule.name)

    def _rule(self) -> Rule | None:
        """Return the rule for the current path."""
        path = self._path
        if path[-1] in IDS:
            return None
        near = path if len(path) <= 2 * _NEAR else [*path[:_NEAR], *path[-_NEAR:]]
        for rule in self._rules:
            if not self._methods.isdisjoint(rule.methods):
                at = _leads(rule.path, near, deep=rule.deep)
                if at is not None:
                    return None if is_kept(near[at:], rule.methods[0]) else rule
        for tail, rule in self._tails:
            if _leads(tail, near, deep=rule.deep and tail[-1] != "*") is not None:
                return rule
        return None


def _leads(parts: Sequence[str], path: Sequence[str | int | None], *, deep: bool) -> int | None:
    """Return from where these parts of a rule lead to the end of a path, or to a container of it."""
    for at in range(len(path) - len(parts), -1, -1):
        if all(part in ("*", str(key)) for part, key in zip(parts, path[at:], strict=False)):
            return at
        if not deep:
            return None
    return None


def _tail(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the end of a rule's path that is specific enough: from its last container on; or nothing."""
    last = len(parts) - 1
    ends = (
        at
        for at in range(last, -1, -1)
        if parts[at] != "*" and (parts[at + 1 : at + 2] == ("*",) or (at == last and parts[at - 1] != "*"))
    )
    tail = parts[next(ends, last) :]
    return () if tail[0] in _COMMON else tail


def _plain(spelt: str) -> str:
    """Return a string without its escapes."""
    if "\\" not in spelt:
        return spelt
    try:
        plain: str = json.loads(f'"{spelt}"', strict=False)
    except ValueError:
        return spelt
    return plain
