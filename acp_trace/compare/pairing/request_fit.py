"""Whether a request of a run is the recorded one: everything that is compared must fit (`keys`).

This is for a request that comes while a replay runs. `matching` pairs those of two whole traces, by equal
keys. The caller chooses among the requests that fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from acp_trace.compare.pairing import request_keys
from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING
from acp_trace.trace import json_pointer, jsontext
from acp_trace.trace.jsontext import objects


class RequestField(NamedTuple):
    """One field that must fit. `any_of`: its possible texts, one of which must be equal.

    An empty list fits everything. `shown`: the whole text for people.
    """

    name: str
    shown: str
    any_of: frozenset[str]

    @property
    def text(self) -> str:
        """The text for people, cut."""
        return str(pointers.shown(self.shown, 60))

    def fits(self, actual: RequestField) -> bool:
        """Whether both share a text, or one of them has none."""
        return not (self.any_of and actual.any_of) or bool(self.any_of & actual.any_of)


#: All fields of one request that must fit.
Fields = tuple[RequestField, ...]


def fields_of(
    method: str, params: dict[str, Any], tool_kind: str | None, normalizer: Normalizer, kinds: frozenset[str]
) -> Fields:
    """Return the fields that must fit. `kinds`: all that a permission's tool call ever had, beside its own.

    A path fits relative to its directory, or as it is. A terminal's id is the player's, so it must fit as it
    is.
    """
    made: list[RequestField] = []
    for path, value in request_keys.params(method, params, tool_kind):
        if path == request_keys.KIND:
            stated = {value} if isinstance(value, str) else set()
            made.append(RequestField(json_pointer.written(path), str(value), kinds | stated))
            continue
        text = "" if value is NOTHING else normalizer.text(value, path)
        plain = text if value is NOTHING else jsontext.canonical(value)
        made.append(RequestField(json_pointer.written(path), text, frozenset({text, plain})))
    if method.startswith("terminal/") and "terminalId" in params:
        terminal = jsontext.canonical(params["terminalId"])
        made.append(RequestField("/params/terminalId", terminal, frozenset({terminal})))
    return tuple(made)


def fit(expected: Fields, actual: Fields) -> bool:
    """Whether all fields of two requests fit."""
    return len(expected) == len(actual) and all(map(RequestField.fits, expected, actual))


def unlike(expected: Fields, actual: Fields) -> str:
    """Return why a recorded request does not match: `path was /w/a, is /w/b`."""
    parts = [
        f"{was.name[len('/params/') :]} was {was.text}, is {now.text}"
        for was, now in zip(expected, actual, strict=False)
        if not was.fits(now)
    ]
    return "; ".join(parts) or "its parameters differ"


def is_offered(chosen: str, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """Whether a permission offers an option of the same kind as the chosen one, or of the same name.

    The position of an option in the list does not matter.
    """
    recorded = next((each for each in objects(expected.get("options")) if each.get("optionId") == chosen), {})
    return any(
        recorded.get(key) is not None and recorded.get(key) == option.get(key)
        for option in objects(actual.get("options"))
        for key in ("kind", "name")
    )
