"""The documents that the page's scripts read, in TypeScript: made from the Python classes. Pure.

`generate.py` writes them to `documents.d.ts` beside the scripts, where the type checker finds them.
"""  # noqa: INP001  (a script's, in no package)

from __future__ import annotations

import dataclasses
import types
import typing
from collections import abc
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, Union, get_args, get_origin

import msgspec

_PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "any",
}
#: Where they stand, among the scripts.
FILE = "documents.d.ts"

_LISTS = (list, abc.Sequence, abc.Iterable)
_OBJECTS = (dict, abc.Mapping)


def declarations() -> str:
    """All types that a part of the page can hold, each after those that it needs."""
    from acp_trace.model import shapes
    from acp_trace.report import model
    from acp_trace.report.page import documents, timeline

    declared = Declarations()
    for cls in (model.Report, timeline.Lane, shapes.Tool, shapes.PromptMessage):
        declared.name(cls)
    declared.alias("Part", shapes.Part)
    for name, each in vars(documents).items():
        if getattr(each, "__module__", "") == documents.__name__ and isinstance(each, type):
            declared.name(each)
        elif not name.startswith("_") and get_origin(each) is not None:
            declared.alias(name, each)
    return f"// From the Python classes: docs/script_types.py.\n\n{declared.text()}"


class Declarations:
    """TypeScript of classes, as it grows."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}
        self._classes: dict[str, type] = {}

    def name(self, cls: type) -> str:
        """The name of a class, which is declared from now on. Raises ValueError if two share a name."""
        name = cls.__name__
        if self._classes.setdefault(name, cls) is not cls:
            raise ValueError(f"two classes are named {name}: {cls.__module__} has one of them")
        if name not in self._made:
            self._made[name] = ""
            said = (cls.__doc__ or "").strip().split("\n", 1)[0]
            self._made[name] = f"/** {said} */\n{self._declared(name, cls)}"
        return name

    def alias(self, name: str, of: Any) -> None:
        """Another name for a type."""
        self._made[name] = f"export type {name} = {self.written(of)};\n"

    def text(self) -> str:
        """All declarations so far."""
        return "\n".join(self._made.values())

    def written(self, of: Any) -> str:
        """A Python type in TypeScript. Raises ValueError for one that no document has."""
        origin, inner = get_origin(of), get_args(of)
        if of in _PLAIN:
            return _PLAIN[of]
        if origin in (Union, types.UnionType):
            there = (each for each in inner if each is not msgspec.UnsetType)
            return " | ".join(dict.fromkeys(map(self.written, there)))
        if origin is Literal:
            return " | ".join(f'"{each}"' for each in inner)
        if origin in _LISTS or (origin is tuple and inner[1:] == (...,)):
            return f"Array<{self.written(inner[0])}>"
        if origin is tuple:
            return f"[{', '.join(map(self.written, inner))}]"
        if origin in _OBJECTS:
            return f"Record<string, {self.written(inner[1])}>"
        if isinstance(of, type):
            return self.name(of)
        raise ValueError(f"{of} has no counterpart in TypeScript")

    def _declared(self, name: str, cls: type) -> str:
        if issubclass(cls, tuple):
            hints = typing.get_type_hints(cls)
            inside = ", ".join(f"{each}: {self.written(hints[each])}" for each in cls._fields)  # type: ignore[attr-defined]
            return f"export type {name} = [{inside}];\n"
        lines = "".join(f"  {each};\n" for each in self._members(cls))
        return f"export interface {name} {{\n{lines}}}\n"

    def _members(self, cls: type) -> Iterator[str]:
        if issubclass(cls, msgspec.Struct):
            config = cls.__struct_config__
            if config.tag is not None:
                yield f'{config.tag_field}: "{config.tag}"'
        hints = typing.get_type_hints(cls, include_extras=True)
        fields = (
            [each.name for each in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else list(hints)
        )
        optional = set(getattr(cls, "__optional_keys__", ()))
        for each in fields:
            hint = hints[each]
            if get_origin(hint) is NotRequired:
                optional.add(each)
                (hint,) = get_args(hint)
            may_miss = each in optional or msgspec.UnsetType in get_args(hint)
            yield f"{each}{'?' if may_miss else ''}: {self.written(hint)}"
