"""A filter as it is written -> a tree. The grammar, and the errors in a text.

    filter := all ("or" all)*
    all    := part (["and"] part)*
    part   := "not" part | "-" part | "(" filter ")" | term
    term   := FIELD OP value ("," value)* | text
    OP     := : | = | != | < | <= | > | >=
    value  := word | "quoted"

Several values are alternatives: `method:session/new,session/load`. A text without a field is searched for in
the whole frame. A word with quotes inside, such as `"id":7`, is a text as it is. `-32603` is a text, because
negating a number makes no sense, and so is `--flag`. An empty filter matches all rows. Spaces may surround a
comparison, but not `:`.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from acp_trace.report.frame_filter import fields, values
from acp_trace.report.frame_filter.fields import ALIASES, FIELDS, Field
from acp_trace.trace.carets import CaretError
from acp_trace.trace.near_misses import suggestion

_SPACE = re.compile(r"[ \t\r\n]*")
_KEYWORD = re.compile(r"(or|and|not)(?=[ \t\r\n()]|$)", re.IGNORECASE)
_OPERATORS = "|".join(re.escape(op) for op in fields.OPERATORS)
_FIELD = re.compile(rf"([A-Za-z][A-Za-z_]*)([ \t]*)({_OPERATORS})")
_MINUS = re.compile(r"-(?=[^ \t\r\n\d-])", re.ASCII)
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"|[^ \t\r\n()",]+', re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_TEXT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^ \t\r\n()"])+', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_END = re.compile(r"(?=[ \t\r\n()]|$)")


class FilterError(CaretError):
    """A text that is not a filter."""


class Word(NamedTuple):
    """A value that is text. One that is quoted has no `*`."""

    text: str
    is_quoted: bool = False


class Term(NamedTuple):
    """One condition. `op` is `:` or a comparison. One of the values must fit.

    Values are `Word`s; of a number, ranges (first, last or None); of a comparison, one integer.
    """

    field: str
    op: str
    values: tuple[Any, ...]


class Not(NamedTuple):
    """The opposite of a part."""

    part: Node


class All(NamedTuple):
    """All parts hold; without any, everything does."""

    parts: tuple[Node, ...]


class Any_(NamedTuple):  # noqa: N801  (Any is taken)
    """One of the parts holds."""

    parts: tuple[Node, ...]


Node = Term | Not | All | Any_


def parse(text: str) -> Node:
    """The tree that a filter says. Raises FilterError."""
    if len(text) > fields.LONGEST:
        raise FilterError(f"a filter has at most {fields.LONGEST} characters", text[:40] + "…", 40, 41)
    reader = _Reader(text)
    if reader.is_over():
        return All(())
    tree = reader.any()
    if not reader.is_over():
        reader.fail("there is no ( for this )", reader.at, reader.at + 1)
    return tree


def used(tree: Node) -> frozenset[str]:
    """The fields that a filter asks for; of `is`, with the word: `is:open`."""
    if isinstance(tree, Term):
        is_word = tree.field == "is"
        return frozenset(f"is:{word.text}" if is_word else tree.field for word in tree.values)
    parts = (tree.part,) if isinstance(tree, Not) else tree.parts
    return frozenset(chain.from_iterable(map(used, parts)))


class _Reader:
    """A filter, read from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self._depth = 0

    def is_over(self) -> bool:
        """Whether nothing but space is left; skips the space."""
        self.at = self._take(_SPACE).end()
        return self.at == len(self.source)

    def any(self) -> Node:
        """Parts, at least one of which must hold."""
        parts = [self._all()]
        while self._keyword("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Any_(tuple(parts))

    def _all(self) -> Node:
        parts = [self._part()]
        while True:
            is_and = self._keyword("and")
            if not is_and and (self.is_over() or self.source[self.at] == ")" or self._is_next("or")):
                return parts[0] if len(parts) == 1 else All(tuple(parts))
            parts.append(self._part())

    def _part(self) -> Node:
        self._depth += 1
        if self._depth > fields.DEEPEST:
            self.fail("too many levels", self.at, self.at + 1)
        made = self._below()
        self._depth -= 1
        return made

    def _below(self) -> Node:
        if self.is_over():
            self.fail("expected a term, such as method:session/new", self.at, self.at + 1)
        if self._keyword("not"):
            return Not(self._part())
        if minus := _MINUS.match(self.source, self.at):
            self.at = minus.end()
            return Not(self._part())
        if self.source[self.at] == "(":
            start = self.at
            self.at += 1
            made = self.any()
            if self.is_over():
                self.fail("this ( has no )", start, start + 1)
            self.at += 1
            return made
        if (word := _KEYWORD.match(self.source, self.at)) or self.source[self.at] == ")":
            what = f"{word[0]}; a word that is meant as text needs quotes" if word else ")"
            end = word.end() if word else self.at + 1
            self.fail(f"expected a term before {what}", self.at, end)
        return self._term()

    def _term(self) -> Node:
        match = _FIELD.match(self.source, self.at)
        name = match and match[1].lower()
        name = name and ALIASES.get(name, name)
        if match is None or (match[2] and (name not in FIELDS or match[3] == ":")):
            return Term("text", ":", (self._text(),))
        if name not in FIELDS:
            near = suggestion(match[1], [*FIELDS, *ALIASES])
            self.fail(f"there is no field {match[1]}; a text needs quotes{near}", self.at, match.end(1))
        field, op, start = FIELDS[name], match[3], match.start(3)
        self.at = match.end()
        if op not in (":", "="):
            self.at = self._take(_SPACE).end()
        if op in fields.COMPARISONS:
            if field.type not in fields.ORDERED:
                self.fail(f"{name} cannot be compared: {field.example}", start, match.end())
            return Term(name, op, (self._value(field, op),))
        if field.type in fields.COMPARED:
            self.fail(f"{name} is compared: {field.example}", start, match.end())
        found = [self._value(field, op)]
        while self.source.startswith(",", self.at):
            self.at += 1
            found.append(self._value(field, op))
        term = Term(name, ":", tuple(found))
        return Not(term) if op == "!=" else term

    def _value(self, field: Field, op: str) -> Any:
        start = self.at
        match = _VALUE.match(self.source, start)
        if match is None:
            if self.source.startswith('"', start):
                self.fail("this quote is not closed", start, len(self.source))
            self.fail(f"expected a value for {field.name}, such as {field.example}", start, start + 1)
        self.at = match.end()
        is_quoted = match[1] is not None
        text = _unescaped(match[1]) if is_quoted else match[0]
        try:
            if op in fields.COMPARISONS:
                made: Any = values.amount(field, text)
            elif field.type == "number":
                made = values.span(text)
            else:
                made = Word(values.word(field, text, is_quoted=is_quoted), is_quoted)
        except values.BadValue as error:
            self.fail(str(error), start, self.at)
        is_list = op not in fields.COMPARISONS and self.source.startswith(",", self.at)
        if not is_list and not _END.match(self.source, self.at):
            what = "a comparison has one value" if self.source[self.at] == "," else "expected a space"
            self.fail(what, self.at, self.at + 1)
        return made

    def _text(self) -> Word:
        start = self.at
        match = _TEXT.match(self.source, start)
        if match is None or not _END.match(self.source, match.end()):
            at = start if match is None else match.end()
            self.fail("this quote is not closed", at, len(self.source))
        self.at = match.end()
        quoted = _QUOTED.fullmatch(match[0])
        return Word(_unescaped(quoted[1]) if quoted else match[0], quoted is not None)

    def _is_next(self, word: str) -> bool:
        match = None if self.is_over() else _KEYWORD.match(self.source, self.at)
        return match is not None and match[0].lower() == word

    def _keyword(self, word: str) -> bool:
        if not self._is_next(word):
            return False
        self.at += len(word)
        return True

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self.source, self.at)
        assert match is not None
        return match

    def fail(self, message: str, start: int, end: int) -> NoReturn:
        """Points at a place. Raises FilterError."""
        raise FilterError(message, self.source, start, end)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)
