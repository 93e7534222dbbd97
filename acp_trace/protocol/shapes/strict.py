"""A fast check for messages that certainly fit their shape, in one pass in C: msgspec types from the tables.

A message that cannot be read this way is not therefore wrong: it may have a form without a tag, a member that
a shape lacks, a value of several shapes. `judge` decides. No type here accepts what `judge` would reject.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal, Union

import msgspec

from acp_trace.protocol.shapes.shape import (
    AnyShape,
    BooleanShape,
    ListShape,
    MapShape,
    NamedShape,
    NumberShape,
    ObjectShape,
    Shape,
    TaggedShape,
    TextShape,
    WordShape,
)
from acp_trace.protocol.shapes.tables import MessagePart, shapes

_OPTIONS: dict[str, Any] = {"forbid_unknown_fields": True, "gc": False}
_LARGEST = 2**63 - 1  #: the largest limit that msgspec accepts
_ROOT = {"jsonrpc": Literal["2.0"], "method": str, "id": Any}


class _NoType(Exception):
    """A shape for which msgspec has no type that is as strict."""


def fits(text: bytes, version: int, method: str, sender: str, part: MessagePart) -> bool:
    """Whether a frame's text certainly fits; `sender`: for a response, the sender of its request."""
    decode = _decoder(version, method, sender, part)
    if decode is None:
        return False
    try:
        decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True


@cache
def _decoder(version: int, method: str, sender: str, part: MessagePart) -> Any:
    name = shapes(version).name(method, sender, part)
    if name is None:
        return None
    try:
        payload = _Types(version).of(NamedShape(name=name))
    except _NoType:
        return None
    key = "result" if part == "response" else "params"
    members = [(each, kind) for each, kind in _ROOT.items() if each != "method" or part != "response"]
    fields = [*(each for each in members if each[0] != "id" or part != "notification"), (key, payload)]
    return msgspec.json.Decoder(msgspec.defstruct("Frame", fields, **_OPTIONS)).decode


class _Types:
    """The types of a version's shapes."""

    def __init__(self, version: int) -> None:
        self._shapes = shapes(version).table.shapes
        self._open: set[str] = set()  #: shapes that are being made: a shape within itself has no type

    def of(self, shape: Shape) -> Any:
        """Return the type of a shape. Raises _NoType."""
        if isinstance(shape, NamedShape):
            return self._named(shape)
        made = self._plain(shape)
        return Union[made, None] if shape.nullable else made  # noqa: UP007  (of types that are made here)

    def _named(self, shape: NamedShape) -> Any:
        if shape.name in self._open:
            raise _NoType
        self._open.add(shape.name)
        try:
            made = self.of(self._shapes[shape.name])
        finally:
            self._open.discard(shape.name)
        return Union[made, None] if shape.nullable else made  # noqa: UP007

    def _plain(self, shape: Shape) -> Any:
        match shape:
            case AnyShape():
                return Any
            case BooleanShape():
                return bool
            case TextShape(least=least):
                return Annotated[str, msgspec.Meta(min_length=least)] if least else str
            case NumberShape():
                return _number(shape)
            case WordShape():
                if shape.is_open:
                    return str if isinstance(shape.words[0], str) else int
                return Literal[shape.words]
            case ListShape():
                made: Any = list[self.of(shape.item)]  # type: ignore[misc]
                return Annotated[made, _meta({"min_length": shape.least})] if shape.least else made
            case MapShape():
                return dict[str, self.of(shape.value)]  # type: ignore[misc]
            case ObjectShape(forms=None):
                return self._object(shape.members, None, None)
            case ObjectShape(forms=TaggedShape() as forms):
                return self._tagged(forms, shape.members)
            case TaggedShape():
                return self._tagged(shape, {})
        raise _NoType

    def _tagged(self, shape: TaggedShape, common: Any) -> Any:
        if shape.tag in common:
            raise _NoType  # the common members of all forms include the tag
        forms = []
        for word, case in shape.cases.items():
            with suppress(_NoType):  # then a message with this word is read the slow way
                forms.append(self._form(case, common, shape.tag, word))
        if not forms:
            raise _NoType
        # A single form would be read without its tag too.
        none = msgspec.defstruct("None_", [], tag_field=shape.tag, tag="\0", **_OPTIONS)
        return Union[(*forms, none)]

    def _form(self, case: Shape, common: Any, tag: str, word: str) -> Any:
        while isinstance(case, NamedShape):
            case = self._shapes[case.name]
        if not isinstance(case, ObjectShape) or case.forms is not None or case.nullable:
            raise _NoType
        return self._object({**common, **case.members}, tag, word)

    def _object(self, members: Any, tag: str | None, word: str | None) -> Any:
        required, optional = [], []
        for name, member in members.items():
            if member.required:
                required.append((name, self.of(member.shape)))
                continue
            with suppress(_NoType):  # then a message that has this member is read the slow way
                optional.append((name, self.of(member.shape), None))
        if "_meta" not in members:
            optional.append(("_meta", Union[dict[str, Any], None], None))  # noqa: UP007
        options = _OPTIONS if tag is None else {**_OPTIONS, "tag_field": tag, "tag": word}
        return msgspec.defstruct("Shape", [*required, *optional], **options)


def _number(shape: NumberShape) -> Any:
    limits = {
        key: limit
        for key, limit in (("ge", shape.least), ("le", shape.most))
        if limit is not None and abs(limit) <= _LARGEST
    }
    if not shape.is_integer:
        return Annotated[float, _meta(limits)] if limits else float
    whole = {key: int(limit) for key, limit in limits.items()}
    return Annotated[int, _meta(whole)] if whole else int


def _meta(limits: dict[str, Any]) -> msgspec.Meta:
    return msgspec.Meta(**limits)
