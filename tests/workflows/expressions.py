"""The expressions of GitHub's workflows, as far as our own files use them. Text and values in, a value out.

Literals, paths such as `inputs.version`, `==`, `!=`, `&&`, `||`, and the functions that ask how the job went. All
else raises: a test must not pass because something was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_INSIDE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_PATH = re.compile(r"[a-z_]+(\.[\w-]+)+")
_LITERAL = re.compile(r"'([^']*)'")
_COMPARISON = re.compile(r"(.+?)\s*(==|!=)\s*(.+)")


def substitute(text: str, values: Mapping[str, Any]) -> str:
    """A text in which each `${{ … }}` is replaced by its value."""
    return _INSIDE.sub(lambda found: str(evaluate(found[1], values)), text)


def holds(condition: str, values: Mapping[str, Any], *, failed: bool) -> bool:
    """Whether the `if` of a step is true. Without a word about failures, a step needs success."""
    asked = {"always()": True, "failure()": failed, "success()": not failed}
    mentioned = any(function in condition for function in asked)
    return (mentioned or not failed) and bool(evaluate(condition, {**values, **asked}))


def evaluate(expression: str, values: Mapping[str, Any]) -> Any:
    """The value of an expression. An output that no step has set is empty, as it is on GitHub."""
    expression = expression.strip()
    if "||" in expression:
        return any(evaluate(part, values) for part in expression.split("||"))
    if "&&" in expression:
        return all(evaluate(part, values) for part in expression.split("&&"))
    if comparison := _COMPARISON.fullmatch(expression):
        left, operator, right = comparison.groups()
        return (evaluate(left, values) == evaluate(right, values)) == (operator == "==")
    if literal := _LITERAL.fullmatch(expression):
        return literal[1]
    if expression in values:
        return values[expression]
    if not _PATH.fullmatch(expression):
        raise ValueError(f"{expression!r} is not an expression that this runner knows")
    found: Any = values
    for name in expression.split("."):
        found = found.get(name, "") if isinstance(found, Mapping) else ""
    return found
