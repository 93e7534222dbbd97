"""The kinds of shapes: plain values, which `grammar` makes and `judge` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shape:
    """The values that are allowed. `nullable`: null too."""

    nullable: bool = False


@dataclass(frozen=True, slots=True)
class AnyShape(Shape):
    """Anything."""


@dataclass(frozen=True, slots=True)
class TextShape(Shape):
    """A string of at least a number of characters."""

    least: int = 0


@dataclass(frozen=True, slots=True)
class BooleanShape(Shape):
    """True or false."""


@dataclass(frozen=True, slots=True)
class NumberShape(Shape):
    """A number, within limits; None: no limit."""

    least: float | None = None
    most: float | None = None
    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class ListShape(Shape):
    """A list. `skips`: a tolerant reader leaves out items that do not fit."""

    item: Shape = field(default_factory=AnyShape)
    least: int = 0
    skips: bool = False


@dataclass(frozen=True, slots=True)
class MapShape(Shape):
    """An object whose members are all of one shape."""

    value: Shape = field(default_factory=AnyShape)


@dataclass(frozen=True, slots=True)
class WordShape(Shape):
    """One of these words, or numbers. `is_open`: or another word."""

    words: tuple[str | int, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class MemberShape:
    """A member of an object. `tolerant`: a wrong value becomes the default; `null_is_default`: null does."""

    shape: Shape
    required: bool = False
    tolerant: bool = False
    null_is_default: bool = False


@dataclass(frozen=True, slots=True)
class ObjectShape(Shape):
    """An object. `forms`: one of them must fit as well."""

    members: Mapping[str, MemberShape] = field(default_factory=dict)
    forms: TaggedShape | AnyOfShape | None = None


@dataclass(frozen=True, slots=True)
class AnyOfShape(Shape):
    """Any of several shapes."""

    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class TaggedShape(Shape):
    """An object whose member `tag` names its form. `other`: for another word; `untagged`: without a tag."""

    tag: str = ""
    cases: Mapping[str, Shape] = field(default_factory=dict)
    other: Shape | None = None
    untagged: Shape | None = None


@dataclass(frozen=True, slots=True)
class NamedShape(Shape):
    """A shape that is defined elsewhere in the table."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class ShapeTable:
    """The shapes of a version by their names; `methods`: names by method, handling side and part."""

    shapes: Mapping[str, Shape]
    methods: Mapping[tuple[str, str, str], str]
