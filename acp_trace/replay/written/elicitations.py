"""The answer to a request for input: a form filled in as its schema allows (RFD elicitation). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_trace.replay.written.steps import ElicitationAction
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import as_object

#: Texts in the formats that a schema may require.
_FORMATS = {
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
}
_MOST_FIELDS, _MOST_TEXT = 200, 1000


def filled(action: ElicitationAction, schema: object) -> dict[str, Any]:
    """Return the result: the action and, if it accepts, a value for each required property."""
    form = as_object(schema)
    if action != "accept" or not form:  # a page to open, which no user would see
        return {"action": "decline" if action == "accept" else action}
    properties, required = as_object(form.get("properties")), form.get("required")
    names = [name for name in (required if isinstance(required, list) else []) if isinstance(name, str)]
    content = {name: _value(as_object(properties.get(name))) for name in names[:_MOST_FIELDS]}
    return {"action": action, "content": content}


def _value(schema: Mapping[str, Any]) -> Any:
    """Return a value that a property allows: its default, its first choice, or the least of its type."""
    if "default" in schema:
        return schema["default"]
    kind, choices = schema.get("type"), _choices(schema)
    if kind == "array":
        least = schema.get("minItems")
        return _choices(as_object(schema.get("items")))[
            : least if isinstance(least, int) and least > 0 else 1
        ]
    if choices:
        return choices[0]
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        least = schema.get("minimum")
        return least if isinstance(least, (int, float)) else 1
    least = schema.get("minLength")
    text = _FORMATS.get(str(schema.get("format")), "acp-trace")
    return text.ljust(min(least, _MOST_TEXT) if isinstance(least, int) else 0, "-")


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values of a choice, in any form that schemas have for it."""
    if isinstance(values := schema.get("enum"), list):
        return values
    for key in ("oneOf", "anyOf"):
        if titled := [each["const"] for each in jsontext.objects(schema.get(key)) if "const" in each]:
            return titled
    return []
