"""The three rules by which `_meta` is merged, and what two states differ in. Pure functions over JSON values.

The rules have names because the protocol had three generations of them (docs/report.md, Metadata).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args

from acp_trace.trace import jsontext

Rule = Literal["rfd", "shallow", "replace"]
RULES: tuple[Rule, ...] = get_args(Rule)

Meta = dict[str, Any]
#: A path, what was there and what is: JSON texts, None where nothing is.
Difference = tuple[str, str | None, str | None]


def default(protocol_version: int | None) -> Rule:
    """The rule of a protocol version: draft 2 patches the top level; before, only the proposal has one."""
    return "shallow" if protocol_version == 2 else "rfd"


def apply(rule: Rule, state: Meta, patch: Meta | None) -> None:
    """Changes the state as an update of `_meta` does; `None` clears it, by every rule.

    Takes time for what the patch names, not for all that is there.
    """
    if patch is None or rule == "replace":
        state.clear()
    for key, item in (patch or {}).items():
        if rule == "replace":
            state[key] = item
        elif item is None:
            state.pop(key, None)
        elif rule == "rfd" and isinstance(item, dict):
            inner = state.get(key)
            state[key] = _deep(inner if isinstance(inner, dict) else {}, item)
        else:
            state[key] = item


def _deep(state: Meta, patch: Meta) -> Meta:
    """Nested objects are merged, a key set to null goes (RFD session-info-update; like RFC 7396)."""
    made = dict(state)
    waiting = [(made, patch)]  # no recursion: traffic may nest deeper than Python does
    while waiting:
        target, changes = waiting.pop()
        for key, item in changes.items():
            if item is None:
                target.pop(key, None)
            elif isinstance(item, dict):
                inner = target.get(key)
                target[key] = dict(inner) if isinstance(inner, dict) else {}
                waiting.append((target[key], item))
            else:
                target[key] = item
    return made


def leaves(state: Meta, keys: Iterable[str]) -> dict[str, str]:
    """The leaves below some keys of a state: JSON text by JSON Pointer (RFC 6901) from `/_meta`."""
    return dict(
        leaf for key in keys if key in state for leaf in _leaves(f"/_meta/{_escaped(key)}", state[key])
    )


def _leaves(path: str, item: Any) -> Iterator[tuple[str, str]]:
    """Empty objects are leaves, and so are arrays."""
    waiting = [(path, item)]
    while waiting:
        here, inner = waiting.pop()
        if isinstance(inner, dict) and inner:
            below = [(f"{here}/{_escaped(key)}", inner[key]) for key in inner]
            waiting.extend(reversed(below))
        else:
            yield here, jsontext.text(inner).decode("utf-8", "replace")


def differences(before: dict[str, str], after: dict[str, str]) -> Iterator[Difference]:
    """Path, before and after of each leaf that is not the same: those that were there, then new ones."""
    for path, text in before.items():
        if after.get(path) != text:
            yield path, text, after.get(path)
    for path, text in after.items():
        if path not in before:
            yield path, None, text


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
