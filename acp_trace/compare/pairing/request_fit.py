"""Whether a request of a run is the recorded one: everything that is compared must fit (`request_keys`).

This is for a request that comes while a replay runs. `matching` pairs those of two whole traces, by equal
keys. The caller chooses among the requests that fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from acp_trace.compare.pairing import request_keys
from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING
from acp_trace.trace import jsontext
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


class RequestFit(NamedTuple):
    """How well a request of a run fits a recorded one. `number`: of the fields that fit."""

    number: int
    whole: bool  #: whether all fields fit
    alike: bool  #: whether the hints are equal; two hints of None are
    unlike: tuple[tuple[RequestField, RequestField], ...] = ()

    @property
    def why(self) -> str:
        """Why the recorded request does not match: `path was /w/a, is /w/b`."""
        parts = [f"{was.name} was {was.text}, is {now.text}" for was, now in self.unlike]
        return "; ".join(parts) or "its parameters differ"


class RequestFields(NamedTuple):
    """What is compared of one request: the fields that must fit, and the hint (`request_keys.hint`)."""

    fields: tuple[RequestField, ...] = ()
    hint: str | None = None

    def fit(self, actual: RequestFields) -> RequestFit:
        """Return how well a request of the run fits this recorded one."""
        pairs = list(zip(self.fields, actual.fields, strict=False))
        unlike = tuple(pair for pair in pairs if not pair[0].fits(pair[1]))
        whole = not unlike and len(self.fields) == len(actual.fields)
        return RequestFit(len(pairs) - len(unlike), whole, self.hint == actual.hint, unlike)


def fields_of(
    method: str, params: dict[str, Any], tool_kind: str | None, normalizer: Normalizer, kinds: frozenset[str]
) -> RequestFields:
    """Return what is compared. `kinds`: those that a permission's tool call ever had, besides its own.

    A path fits relative to its directory, or as it is. A terminal's id is the player's, so it must fit as it
    is.
    """
    made: list[RequestField] = []
    for path, value in request_keys.params(method, params, tool_kind):
        name = "/".join(path[1:])
        if path == request_keys.KIND:
            stated = {value} if isinstance(value, str) else set()
            made.append(RequestField(name, str(value), kinds | stated))
            continue
        text = "" if value is NOTHING else normalizer.text(value, path)
        plain = text if value is NOTHING else jsontext.canonical(value)
        made.append(RequestField(name, text, frozenset({text, plain})))
    if method.startswith("terminal/") and "terminalId" in params:
        terminal = jsontext.canonical(params["terminalId"])
        made.append(RequestField("terminalId", terminal, frozenset({terminal})))
    return RequestFields(tuple(made), request_keys.hint(method, params, normalizer))


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
