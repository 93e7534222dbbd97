"""The modules of the page -> one script. A file cannot import from itself, so they are joined. Pure.

All share one scope, one after the other, so an import only decides the order. A module with a private name
that another module also has is wrapped in a function. For that, modules keep to three
rules: imports name what they take, without renaming it (`import { a, b } from "./x.js";`); exports come
before declarations (`export function`, `export class`, `export const`); and no two modules export the same
name. Comments and indentation, which only people and the type checker need, are left out: a comment has its
lines to itself, or is the type of the expression behind it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_IMPORT = re.compile(r"^import\s*\{([^}]*)\}\s*from\s*\"(\.[^\"]+)\";$", re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|class|const|let) (\w+)", re.MULTILINE)
_OWN = re.compile(r"^(?:export )?(?:(?:async )?function|class|const|let) (\w+)", re.MULTILINE)
_TYPE = re.compile(r"/\*\* @type (?:(?!\*/).)*\*/ ?", re.DOTALL)
_FOR_PEOPLE = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)?[ \t]*(?:\n|\Z)|^[ \t]+", re.MULTILINE | re.DOTALL
)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class UnfitModule(ValueError):
    """A module does not keep to the rules. The message says which, and how."""


def bundle(modules: Mapping[str, str], main: str) -> str:
    """One script that does what `main` does. Modules by their paths. Raises UnfitModule."""
    order: list[str] = []
    _visit(main, modules, order, ())
    owners: dict[str, str] = {}
    for name in order:
        for exported in _exports(modules[name]):
            if (other := owners.setdefault(exported, name)) != name:
                raise UnfitModule(f"{other} and {name} both export {exported}")
    return "".join(_joined(name, modules[name], owners) for name in order)


def _visit(name: str, modules: Mapping[str, str], order: list[str], above: tuple[str, ...]) -> None:
    if name in order:
        return
    if name in above:
        raise UnfitModule(f"modules import each other: {' -> '.join((*above, name))}")
    if name not in modules:
        raise UnfitModule(f"{above[-1] if above else 'the page'} imports {name}, which is not there")
    for _, target in _IMPORT.findall(modules[name]):
        _visit(_path(name, target), modules, order, (*above, name))
    order.append(name)


def _exports(source: str) -> list[str]:
    return [match[2] for match in _EXPORT.finditer(source)]


def _joined(name: str, source: str, owners: dict[str, str]) -> str:
    """A module as it appears in the script. In the shared scope, it becomes the owner of its names."""
    exports = _exports(source)
    body = _FOR_PEOPLE.sub("", _TYPE.sub("", _EXPORT.sub(r"\1 \2", _IMPORT.sub("", source))))
    if left := _LEFT.search(body):
        raise UnfitModule(f"{name} cannot be joined: {left[0]}")
    own = set(_OWN.findall(source))
    if all(owners.get(each, name) == name for each in own):
        owners.update(dict.fromkeys(own, name))
        return body
    if not exports:
        return f"(() => {{\n{body}}})();\n"
    given = ", ".join(exports)
    return f"const {{ {given} }} = (() => {{\n{body}return {{ {given} }};\n}})();\n"


def _path(importer: str, target: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(importer).parent / target).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
