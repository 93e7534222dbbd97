"""The steps of one option of a session, and the words for two that differ, from a user's view.

Words only. `session_state` finds the steps, and which of them differ.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from acp_trace.compare.trace_pair import Value
from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import NOTHING

MODE = "legacy mode"
#: A change that the client requested, and that the answer does not have.
NOT_APPLIED = "not applied"


class ConfigStep(NamedTuple):
    """One change of an option. `cause`: setup, set or agent; `value`: the value and its place."""

    cause: str
    change: str
    value: Value
    opener: str = "session/new"  #: for a step of `setup`, the request with this answer
    answered: Any = NOTHING  #: for a step that was not applied, the value in the answer
    asked: int | None = None  #: for a step that the client requested, the frame of its request
    by_mode: bool = False  #: for a step of `set`, whether session/set_mode requested it


def phrase(option: str, expected: ConfigStep | None, actual: ConfigStep | None) -> str:
    """Return the difference, if one or both have a step, in one sentence."""
    if actual is not None and actual.change == NOT_APPLIED:
        return _not_applied(option, actual)
    if expected is not None and expected.change == NOT_APPLIED:
        return f"{_asked(option, expected)} is applied; in the expected trace, it {_refused(expected)}"
    if _is_listed(expected) and not _is_listed(actual):
        return f"{_opener(expected)} lists no {_list(option)} any more"
    if _is_listed(actual) and not _is_listed(expected):
        return f"{_opener(actual)} lists {_list(option)}; in the expected trace, it did not"
    causes = tuple(None if step is None else step.cause for step in (expected, actual))
    if expected is not None and causes == ("set", None):
        who, what = ("no update", "mode") if expected.by_mode else ("no answer and no update", "value")
        return f"after {_asked(option, expected)} {who} reports the new {what}"
    if actual is not None and causes == (None, "set"):
        return (
            f"after {_asked(option, actual)} an update reports the new value; in the expected trace, none did"
        )
    if expected is not None and causes == ("agent", None):
        return f"the agent no longer sets {_set(option, expected)} by itself"
    if actual is not None and causes == (None, "agent"):
        return f"the agent sets {_set(option, actual)} by itself; in the expected trace, it did not"
    return f"{name(option)}: expected {words(expected)}, but {words(actual)}"


def unlisted(option: str, first: ConfigStep) -> str:
    """Return the words for an option that only the expected trace has; `first` is its first step there."""
    if _is_listed(first):
        return phrase(option, first, None)
    return f"no answer and no update lists {_list(option)} any more"


def words(step: ConfigStep | None) -> str:
    """Return a step in a few words: `small by the client`."""
    if step is None:
        return "no change"
    if step.change == NOT_APPLIED:
        return f"{pointers.shown(step.value.value)} by the client, not applied"
    by = {"setup": "on opening", "set": "by the client", "agent": "by the agent"}[step.cause]
    what = "" if step.change == "value" else f"{step.change} "
    return f"{what}{pointers.shown(step.value.value)} {by}"


def name(option: str) -> str:
    """Return an option's name for a message."""
    return option if " " in option else f"option {option}"


def _not_applied(option: str, step: ConfigStep) -> str:
    return f"{_asked(option, step)} {_refused(step)}"


def _refused(step: ConfigStep) -> str:
    if step.answered is NOTHING:
        return "is not applied"
    return f"is answered with {pointers.shown(step.answered)}"


def _is_listed(step: ConfigStep | None) -> bool:
    return step is not None and (step.cause, step.change) == ("setup", "added")


def _opener(step: ConfigStep | None) -> str:
    return "session/new" if step is None else step.opener


def _list(option: str) -> str:
    return "`modes`" if option == MODE else name(option)


def _asked(option: str, step: ConfigStep) -> str:
    if step.by_mode or option == MODE:
        return f"set_mode {pointers.shown(step.value.value)}"
    return f"set {option}={pointers.shown(step.value.value)}"


def _set(option: str, step: ConfigStep) -> str:
    if step.change != "value":
        return f"{step.change} of {name(option)}"
    return f"{option.removeprefix('legacy ')}={pointers.shown(step.value.value)}"
