"""The notation of the shape tables, and its parser. Pure.

Each line is a definition, its name first. A line that begins with spaces continues the line before.

- `{name!:TYPE other~:TYPE}` an object. `!`: required. `~`: a tolerant reader replaces a value that does not
  fit by the default (the schema's `x-deserialize-default-on-error`). `^`: it replaces only null.
  A member without a type may be anything. Each object may have `_meta`.
- `s` string, `b` boolean, `n` number, `i` integer (`u16`, `u32`, `u64`, `i32`, `i64`), `o` any object, `any`.
  `s(1)`: at least one character. `n(0,1)`: from 0 to 1.
- `[TYPE]` a list; `[TYPE](1)`: of at least one item; `[TYPE]~`: a tolerant reader skips what does not fit.
- `{*:TYPE}` an object whose members are all of that type.
- `<a b c>` one of these words or numbers; with `*` also others.
- `(A / B)` any of these.
- `tag(a=A b *=C _=D)` an object whose member `tag` says which form it has; a form without `=` adds nothing.
  `*`: another word; `_`: none of the words, or no tag at all. It may follow the members that all forms have.
- `TYPE?` or null.

`@ METHOD SIDE part=NAME …` says which shape which part of a method has, and which side handles it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acp_trace.protocol.shapes.shape import (
    AnyOfShape,
    AnyShape,
    BooleanShape,
    ListShape,
    MapShape,
    MemberShape,
    NamedShape,
    NumberShape,
    ObjectShape,
    Shape,
    ShapeTable,
    TaggedShape,
    TextShape,
    WordShape,
)

_TOKEN = re.compile(r"[A-Za-z0-9_$/.\-]+|[{}\[\]()<>?!~^:*=,@]")
_INTEGERS = {
    "i": (None, None), "u16": (0, 2**16 - 1), "u32": (0, 2**32 - 1), "u64": (0, 2**64 - 1),
    "i32": (-(2**31), 2**31 - 1), "i64": (-(2**63), 2**63 - 1),
}  # fmt: skip


def table(*texts: str) -> ShapeTable:
    """Return a version's shapes, read from its tables. Raises ValueError if a text is not a table."""
    shapes: dict[str, Shape] = {}
    methods: dict[tuple[str, str, str], str] = {}
    for line in "".join(texts).replace("\n  ", " ").split("\n"):
        if not line:
            continue
        if line.startswith("@"):
            _, method, side, *named = line.split()
            for part, _, name in (each.partition("=") for each in named):
                methods[method, side, part] = name
        else:
            name, _, rest = line.partition(" ")
            shapes[name] = _Reader(rest).definition()
    return ShapeTable(shapes, methods)


class _Reader:
    """The tokens of one definition, on their way to its shape."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(text)
        self._at = 0

    def definition(self) -> Shape:
        made = self._type()
        if self._at < len(self._tokens):
            raise ValueError(f"more than a shape: {' '.join(self._tokens)}")
        return made

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _takes(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._at += 1
        return True

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise ValueError(f"a shape has no end: {' '.join(self._tokens)}")
        self._at += 1
        return self._tokens[self._at - 1]

    def _needs(self, token: str) -> None:
        if not self._takes(token):
            raise ValueError(f"{token} is missing before {self._peek()!r}: {' '.join(self._tokens)}")

    def _type(self) -> Shape:
        if self._takes("{"):
            return self._object()
        if self._takes("["):
            item = self._type()
            self._needs("]")
            least = self._limits()[0] if self._peek() == "(" else 0
            skips = self._takes("~")
            return ListShape(self._null(), item, int(least or 0), skips)
        if self._takes("<"):
            words = list(iter(self._next, ">"))
            known = tuple(int(word) if word.lstrip("-").isdigit() else word for word in words if word != "*")
            return WordShape(self._null(), known, "*" in words)
        if self._takes("("):
            shapes = [self._type()]
            while self._takes("/"):
                shapes.append(self._type())
            self._needs(")")
            return AnyOfShape(self._null(), tuple(shapes))
        return self._named(self._next())

    def _null(self) -> bool:
        return self._takes("?")

    def _named(self, word: str) -> Shape:
        if word in _INTEGERS:
            return NumberShape(self._null(), *_INTEGERS[word], is_integer=True)
        if word in ("s", "n"):
            least, most = self._limits() if self._peek() == "(" else (None, None)
            null = self._null()
            return TextShape(null, int(least or 0)) if word == "s" else NumberShape(null, least, most)
        if word == "b":
            return BooleanShape(self._null())
        if word in ("any", "o"):
            return AnyShape(True) if word == "any" else MapShape(self._null())
        if self._peek() == "(":
            return self._tagged(word)
        return NamedShape(self._null(), word)

    def _limits(self) -> tuple[float | None, float | None]:
        self._needs("(")
        words = list(iter(self._next, ")"))
        least, _, most = "".join(words).partition(",")
        return float(least), float(most) if most else None

    def _object(self) -> Shape:
        if self._takes("*"):
            self._needs(":")
            value = self._type()
            self._needs("}")
            return MapShape(self._null(), value)
        members = dict(self._members())
        forms = None
        if self._peek() == "(":
            forms = self._type()
        elif self._at + 1 < len(self._tokens) and self._tokens[self._at + 1] == "(" and self._is_word():
            forms = self._tagged(self._next())
        assert forms is None or isinstance(forms, (TaggedShape, AnyOfShape))
        return ObjectShape(self._null(), members, forms)

    def _is_word(self) -> bool:
        return self._peek().isidentifier()

    def _members(self) -> Iterator[tuple[str, MemberShape]]:
        while not self._takes("}"):
            name = self._next()
            required = self._takes("!")
            tolerant = self._takes("~")
            null_is_default = self._takes("^")
            shape = self._type() if self._takes(":") else AnyShape(True)
            yield name, MemberShape(shape, required, tolerant, null_is_default)

    def _tagged(self, tag: str) -> TaggedShape:
        self._needs("(")
        cases: dict[str, Shape] = {}
        while not self._takes(")"):
            word = self._next()
            cases[word] = self._type() if self._takes("=") else ObjectShape()
        other, untagged = cases.pop("*", None), cases.pop("_", None)
        return TaggedShape(self._null(), tag, cases, other, untagged)
