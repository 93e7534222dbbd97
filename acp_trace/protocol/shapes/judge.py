"""A value and its shape -> the faults, each with its place. Pure.

A union with a tag is judged by the form that the tag names, even if the schema of version 2 has an open form
that accepts anything. A fault that a tolerant reader survives, with a default or by skipping an item, is
marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

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

FaultKind = Literal["field-missing", "wrong-type", "unknown-value", "extra-field"]
Path = tuple[str | int, ...]
_META = MemberShape(MapShape(True), tolerant=True)
#: Shapes in words; `words_of` describes the others.
_WORDS: Mapping[type[Shape], str] = {
    AnyShape: "a value",
    BooleanShape: "true or false",
    ListShape: "a list",
    TextShape: "a string",
}


class Fault(NamedTuple):
    """One fault. `path`: from the value that was judged. `expected`: in words.

    `is_tolerated`: a tolerant reader continues with a default, or without the item.
    """

    path: Path
    kind: FaultKind
    expected: str
    value: Any
    is_tolerated: bool


class Judge:
    """Checks values against the shapes of one table."""

    def __init__(self, table: ShapeTable) -> None:
        self._shapes = table.shapes
        self._own: dict[int, dict[str, Shape]] = {}  #: shapes of members by the id of their object's shape
        self._rules: Mapping[type[Shape], Callable[[Any, Any, Path, bool], Iterable[Fault]]] = {
            AnyShape: lambda *_: (),
            TextShape: _text,
            BooleanShape: _boolean,
            NumberShape: _number,
            WordShape: _word,
            ListShape: self._list,
            MapShape: self._map,
            ObjectShape: self._object,
            TaggedShape: self._tagged,
            AnyOfShape: self._any_of,
        }

    def faults(self, value: Any, name: str) -> list[Fault]:
        """Return what does not fit the shape of this name; members that no shape has come last."""
        shape = self._shapes[name]
        return [*self._faults(value, shape, (), False), *self._extra(value, shape, ())]

    def _resolved(self, shape: Shape) -> Shape:
        while isinstance(shape, NamedShape):
            shape = self._shapes[shape.name]
        return shape

    def _faults(self, value: Any, shape: Shape, path: Path, tolerated: bool) -> Iterable[Fault]:
        resolved = self._resolved(shape)
        if value is None and (shape.nullable or resolved.nullable):
            return ()
        return self._rules[type(resolved)](value, resolved, path, tolerated)

    def _fits(self, value: Any, shape: Shape) -> bool:
        return not any(True for _ in self._faults(value, shape, (), False))

    def _list(self, value: Any, shape: ListShape, path: Path, tolerated: bool) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield Fault(path, "wrong-type", "a list", value, tolerated)
            return
        if len(value) < shape.least:
            yield Fault(path, "unknown-value", "a list that is not empty", value, tolerated)
        for at, item in enumerate(value):
            yield from self._faults(item, shape.item, (*path, at), tolerated or shape.skips)

    def _map(self, value: Any, shape: MapShape, path: Path, tolerated: bool) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault(path, "wrong-type", "an object", value, tolerated)
            return
        for name, member in value.items():
            yield from self._faults(member, shape.value, (*path, name), tolerated)

    def _object(self, value: Any, shape: ObjectShape, path: Path, tolerated: bool) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault(path, "wrong-type", "an object", value, tolerated)
            return
        for name, member in shape.members.items():
            yield from self._member(value, name, member, path, tolerated)
        if "_meta" in value:
            yield from self._member(value, "_meta", _META, path, tolerated)
        if shape.forms is not None:
            yield from self._faults(value, shape.forms, path, tolerated)

    def _member(
        self, of: dict[str, Any], name: str, member: MemberShape, path: Path, tolerated: bool
    ) -> Iterable[Fault]:
        if name not in of:
            if not member.required:
                return ()
            words = words_of(self._resolved(member.shape))
            return (Fault((*path, name), "field-missing", words, None, tolerated),)
        value, path = of[name], (*path, name)
        tolerated = tolerated or member.tolerant or (value is None and member.null_is_default)
        return self._faults(value, member.shape, path, tolerated)

    def _tagged(self, value: Any, shape: TaggedShape, path: Path, tolerated: bool) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault(path, "wrong-type", "an object", value, tolerated)
            return
        form = _form(value, shape)
        faults = [] if form is None else list(self._faults(value, form, path, tolerated))
        if form is not None and not faults:
            return
        tag, place, words = value.get(shape.tag), (*path, shape.tag), one_of(shape.cases)
        if isinstance(tag, str):
            is_meant = bool(faults) and (form is not shape.untagged or self._resembles(value, form))
            yield from faults if is_meant else (Fault(place, "unknown-value", words, tag, tolerated),)
        elif shape.tag in value:
            yield Fault(place, "wrong-type", "a string", tag, tolerated)
        elif form is None or any(self._fits(value, case) for case in shape.cases.values()):
            yield Fault(place, "field-missing", words, None, tolerated)
        else:
            yield from faults

    def _resembles(self, value: dict[str, Any], form: Shape | None) -> bool:
        """Whether an object has most of what a form requires: then it is meant, and lacks the rest."""
        resolved = None if form is None else self._resolved(form)
        if not isinstance(resolved, ObjectShape):
            return True
        required = [name for name, member in resolved.members.items() if member.required]
        return 2 * sum(name in value for name in required) >= len(required)

    def _any_of(self, value: Any, shape: AnyOfShape, path: Path, tolerated: bool) -> Iterator[Fault]:
        if not any(self._fits(value, form) for form in shape.shapes):
            words = dict.fromkeys(words_of(self._resolved(form)) for form in shape.shapes)
            yield Fault(path, "unknown-value", " or ".join(words), value, tolerated)

    # Members that no shape has.

    def _extra(self, value: Any, shape: Shape, path: Path) -> Iterator[Fault]:
        shape = self._resolved(shape)
        if isinstance(shape, ListShape) and isinstance(value, list):
            for at, item in enumerate(value):
                yield from self._extra(item, shape.item, (*path, at))
        elif isinstance(shape, MapShape) and isinstance(value, dict):
            for name, member in value.items():
                yield from self._extra(member, shape.value, (*path, name))
        elif isinstance(shape, AnyOfShape):
            for form in [form for form in shape.shapes if self._fits(value, form)][:1]:
                yield from self._extra(value, form, path)
        elif isinstance(value, dict) and (members := self._members(value, shape)) is not None:
            for name, member in value.items():
                if name in members:
                    yield from self._extra(member, members[name], (*path, name))
                elif name != "_meta":
                    yield Fault((*path, name), "extra-field", "no such member", member, True)

    def _members(self, value: dict[str, Any], shape: Shape) -> dict[str, Shape] | None:
        """Return the members that an object may have, by its form; None: any."""
        shape = self._resolved(shape)
        if isinstance(shape, ObjectShape):
            own = self._own.get(id(shape))
            if own is None:
                own = self._own[id(shape)] = {name: each.shape for name, each in shape.members.items()}
            if shape.forms is None:
                return own
            more = self._members(value, shape.forms)
            return None if more is None else own | more
        if isinstance(shape, TaggedShape):
            form = _form(value, shape)
            if (
                form is None
                or form is shape.other
                or (form is shape.untagged and not self._fits(value, form))
            ):
                return None  # it may be meant to be another form
            more = self._members(value, form)
            return None if more is None else {shape.tag: AnyShape(), **more}
        if isinstance(shape, AnyOfShape):
            found = [self._members(value, form) or {} for form in shape.shapes]
            return {name: member for members in found for name, member in members.items()}
        return None


def _form(value: dict[str, Any], shape: TaggedShape) -> Shape | None:
    """Return the form that an object has by its tag; None if there is no form for that tag."""
    tag = value.get(shape.tag)
    if isinstance(tag, str):
        return shape.cases.get(tag, shape.other or shape.untagged)
    return shape.untagged


def _text(value: Any, shape: TextShape, path: Path, tolerated: bool) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield Fault(path, "wrong-type", "a string", value, tolerated)
    elif len(value) < shape.least:
        yield Fault(path, "unknown-value", "a string that is not empty", value, tolerated)


def _boolean(value: Any, _: BooleanShape, path: Path, tolerated: bool) -> Iterator[Fault]:
    if not isinstance(value, bool):
        yield Fault(path, "wrong-type", "true or false", value, tolerated)


def _number(value: Any, shape: NumberShape, path: Path, tolerated: bool) -> Iterator[Fault]:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or (shape.is_integer and value != value // 1):
        yield Fault(path, "wrong-type", words_of(shape), value, tolerated)
    elif shape.least is not None and value < shape.least:
        yield Fault(path, "unknown-value", f"at least {shape.least:g}", value, tolerated)
    elif shape.most is not None and value > shape.most:
        yield Fault(path, "unknown-value", f"at most {shape.most:g}", value, tolerated)


def _word(value: Any, shape: WordShape, path: Path, tolerated: bool) -> Iterator[Fault]:
    kind, words = (str, "a string") if isinstance(shape.words[0], str) else (int, "an integer")
    if not isinstance(value, kind) or isinstance(value, bool):
        yield Fault(path, "wrong-type", words, value, tolerated)
    elif not shape.is_open and value not in shape.words:
        yield Fault(path, "unknown-value", one_of(shape.words), value, tolerated)


def one_of(words: Iterable[object]) -> str:
    """Return `a, b or c`."""
    *first, last = map(str, words)
    return f"{', '.join(first)} or {last}" if first else last


def words_of(shape: Shape) -> str:
    """Return a shape in words: `an integer`, `high, medium or low`."""
    if isinstance(shape, NumberShape):
        return "an integer" if shape.is_integer else "a number"
    if isinstance(shape, WordShape):
        return one_of(shape.words)
    return _WORDS.get(type(shape), "an object")
