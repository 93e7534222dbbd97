"""The three rules by which `_meta` is merged, and the differences of two states. Pure, over JSON values.

The rules have names because the protocol had three generations of them (docs/report.md, Merging metadata).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

from acp_trace.trace import jsontext
from acp_trace.trace.json_pointer import escaped

Rule = Literal["rfd", "shallow", "replace"]
RULES: tuple[Rule, ...] = get_args(Rule)

Meta = dict[str, Any]
#: A path with the values before and after: JSON texts, None for an absent value.
Difference = tuple[str, str | None, str | None]


def default(protocol_version: int | None) -> Rule:
    """Return a protocol version's rule: draft 2 patches the top level; before, only the proposal has one."""
    return "shallow" if protocol_version == 2 else "rfd"


def apply(rule: Rule, state: Meta, patch: Meta | None) -> None:
    """Apply an update of `_meta` to the state; `None` clears it, by every rule.

    Takes time for what the patch names, not for the whole state.
    """
    if patch is None or rule == "replace":
        state.clear()
    if rule == "rfd":
        _merge(state, patch or {})
        return
    for key, item in (patch or {}).items():
        if item is None and rule == "shallow":
            state.pop(key, None)
        else:
            state[key] = item


def _merge(state: Meta, patch: Meta) -> None:
    """Merge nested objects; a key set to null is removed (RFD session-info-update; like RFC 7396)."""
    waiting = [(state, patch)]  # no recursion: traffic may nest deeper than Python does
    while waiting:
        target, changes = waiting.pop()
        for key, item in changes.items():
            if item is None:
                target.pop(key, None)
            elif isinstance(item, dict):
                if not isinstance(target.get(key), dict):
                    target[key] = {}
                waiting.append((target[key], item))
            else:
                target[key] = item


def named_leaves(rule: Rule, state: Meta, patch: Meta) -> dict[str, str]:
    """Return the leaves of a state that this patch can change: JSON text by JSON Pointer from `/_meta`.

    For the rule `rfd`, the state `{"a": {"b": 1, "c": 2}}` and the patch `{"a": {"b": null}}`:
    `{"/_meta/a/b": "1"}`.
    """
    leaves: dict[str, str] = {}
    waiting: list[tuple[str, Any, Any]] = [("/_meta", state, patch)]
    while waiting:
        path, inner, named = waiting.pop()
        deep = path == "/_meta" or rule == "rfd"
        if not (deep and isinstance(inner, dict) and isinstance(named, dict)):
            leaves.update(_leaves(path, inner))
        elif inner:
            below = [(f"{path}/{escaped(key)}", inner[key], named[key]) for key in named if key in inner]
            waiting.extend(reversed(below))
        elif path != "/_meta":
            leaves[path] = "{}"
    return leaves


def all_leaves(state: Meta) -> dict[str, str]:
    """Return all leaves of a state: JSON text by JSON Pointer from `/_meta`."""
    return dict(_leaves("/_meta", state)) if state else {}


def _leaves(path: str, item: Any) -> Iterator[tuple[str, str]]:
    """Yield path and JSON text of each leaf. Empty objects are leaves, and so are arrays."""
    waiting = [(path, item)]
    while waiting:
        pointer, inner = waiting.pop()
        if isinstance(inner, dict) and inner:
            below = [(f"{pointer}/{escaped(key)}", inner[key]) for key in inner]
            waiting.extend(reversed(below))
        else:
            yield pointer, jsontext.string(inner)


def same(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal, types included. As fast as the smaller of them allows."""
    waiting = [(first, second)]
    while waiting:
        left, right = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if len(left) != len(right) or any(key not in right for key in left):
                return False
            waiting.extend((left[key], right[key]) for key in left)
        elif jsontext.canonical(left) != jsontext.canonical(right):
            return False
    return True


def differences(before: dict[str, str], after: dict[str, str]) -> Iterator[Difference]:
    """Yield path, before and after of each leaf that differs: those that existed before, then new ones."""
    for path, text in before.items():
        if after.get(path) != text:
            yield path, text, after.get(path)
    for path, text in after.items():
        if path not in before:
            yield path, None, text
