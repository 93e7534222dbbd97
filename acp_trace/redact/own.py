"""The user's own rules: a TOML text -> rules, or one line with the wrong rule and the reason."""

from __future__ import annotations

import tomllib
from typing import Any

from acp_trace.redact.kept import IDS
from acp_trace.redact.rules import Rule
from acp_trace.trace import json_pointer

_KEYS = ("path", "method", "update", "name")
_PARTS = ("params", "result", "error")


class BadRules(ValueError):
    """A text without valid rules. The message is one line, with the place."""


def parse(text: str) -> tuple[Rule, ...]:
    """Return the rules of a text: tables `[[rule]]` with `path`, `method` or `update`, and `name`.

    Raises BadRules.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise BadRules(f"is not TOML: {error}") from None
    if other := sorted(set(document) - {"rule"}):
        raise BadRules(f"`{other[0]}` is not a table of rules: each rule begins with [[rule]]")
    rules = document.get("rule")
    if not isinstance(rules, list) or not rules:
        raise BadRules("contains no rule: each rule begins with [[rule]]")
    return tuple(_rule(one, f"rule {number}") for number, one in enumerate(rules, 1))


def _rule(table: Any, place: str) -> Rule:
    if not isinstance(table, dict):
        raise BadRules(f"{place} is not a table: a rule begins with [[rule]]")
    for key, value in table.items():
        if key not in _KEYS:
            raise BadRules(f"{place}: `{key}` is not one of {', '.join(_KEYS)}")
        if not isinstance(value, str) or not value:
            raise BadRules(f"{place}: `{key}` is not a string, or is empty")
    if "path" not in table:
        raise BadRules(f"{place} has no `path`")
    if ("method" in table) == ("update" in table):
        raise BadRules(f"{place} needs either `method` or `update`")
    path = _path(table["path"], place, update="update" in table)
    methods, updates = _tuple(table.get("method")), _tuple(table.get("update"))
    name: str = table["name"] if "name" in table else table["path"]
    return Rule(name, path, methods, updates, source="own")


def _path(pointer: str, place: str, *, update: bool) -> tuple[str, ...]:
    path = json_pointer.read(pointer)
    parts = ("params",) if update else _PARTS
    if not pointer.startswith("/") or path[0] not in parts:
        raise BadRules(
            f"{place}: path {pointer!r} does not begin with {' or '.join(f'/{one}' for one in parts)}"
        )
    if kept := [part for part in path if part in IDS]:
        raise BadRules(f"{place}: path {pointer!r}: {kept[0]} is an id, and ids are never changed")
    return path


def _tuple(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)
