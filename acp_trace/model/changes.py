"""What a new build sends to its model and the recorded build did not, each change once for all its calls.

Each request repeats the whole conversation, so one change of a system prompt is in every call. Here the
differences of all pairs of calls are taken apart, equal differences are merged, and each is reported in one
line, with the calls that have it. Pure. Texts are as in the traffic: a report makes them safe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple, Protocol

import msgspec

from acp_trace.model import change_words
from acp_trace.model.calls import ModelCall
from acp_trace.model.prompt_diff import MessageChange, Normalise, PartChange, PromptDiff, difference
from acp_trace.model.restored import is_said_alike, restored
from acp_trace.model.text_diff import Hunk

Code = Literal[
    "model-prompt-changed",
    "model-tools-changed",
    "model-params-changed",
    "model-call-missing",
    "model-call-extra",
    "model-text-lost",
    "model-history-lost",
    "model-result-lost",
    "model-result-changed",
    "model-result-differs",
]
#: The changes that are found here, in report order; changes of messages come after the parameters. `losses`
#: finds what is lost.
CODES: tuple[Code, ...] = (
    "model-prompt-changed",
    "model-tools-changed",
    "model-params-changed",
    "model-call-missing",
    "model-call-extra",
)


class Pair(Protocol):
    """A recorded call, and the call of the other trace that matches it."""

    @property
    def recorded(self) -> ModelCall | None:
        """None: the call is extra."""

    @property
    def actual(self) -> ModelCall | None:
        """None: the call is missing."""


class ModelChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change, and the numbers of all calls that have it, in the recording and in the other trace.

    `diff` holds only this change. A call on one side only has no `diff`, and only numbers of that side.
    """

    code: Code
    message: str
    expected_calls: tuple[int, ...]
    actual_calls: tuple[int, ...]
    diff: PromptDiff | None = None

    @property
    def where(self) -> str:
        """Return the calls: `call 3`, `calls 1–10`; if the numbers differ, `calls 1–3 (actual: 2–4)`."""
        expected, actual = self.expected_calls, self.actual_calls
        where = change_words.numbers("call", expected or actual)
        if expected and actual and expected != actual:
            where += f" (actual: {change_words.ranges(actual)})"
        return where


def changes(
    pairs: Iterable[Pair],
    normalise: Normalise | None = None,
    normalise_actual: Normalise | None = None,
) -> list[ModelChange]:
    """Return everything that differs between the calls of each pair, and the calls without a counterpart.

    `normalise` puts what differs between any two runs into one form; `normalise_actual` does so on the actual
    side, if that side needs another form. Each is called once for each text.
    """
    settle = _forms(normalise, normalise_actual)
    groups: dict[Hashable, _Group] = {}
    for pair in pairs:
        times: Counter[Hashable] = Counter()
        for change in _of_pair(pair, settle):
            times[change.key] += 1
            group = groups.setdefault(change.key, _Group(change, [], [], []))
            group.times.append(times[change.key])
            if pair.recorded is not None and times[change.key] == 1:
                group.expected_calls.append(pair.recorded.call)
            if pair.actual is not None and times[change.key] == 1:
                group.actual_calls.append(pair.actual.call)
    joined_changes = [_one_change(joined) for joined in _joined(groups.values())]
    return sorted(joined_changes, key=_order)


def taken_apart(diff: PromptDiff) -> list[ModelChange]:
    """Return the changes in one difference, without calls, for a short report."""
    groups = [_Group(change, [], [], []) for change in _of_diff(diff)]
    return [_one_change(joined) for joined in _joined(groups)]


def _order(change: ModelChange) -> tuple[bool, int]:
    """Return the sort key: the system prompt, then tools and parameters; messages often differ by chance."""
    is_alone = change.code in {"model-call-missing", "model-call-extra"}
    is_message = change.diff is not None and bool(change.diff.messages)
    return is_alone or is_message, CODES.index(change.code)


class _Change(NamedTuple):
    """The smallest change. Equal changes have one `key`; those of one `heading` are reported together."""

    code: Code
    heading: Hashable
    key: Hashable
    diff: PromptDiff | None
    call: ModelCall | None = None


class _Group(NamedTuple):
    """A change, the calls that have it, and how often it occurred in a prompt so far."""

    change: _Change
    expected_calls: list[int]
    actual_calls: list[int]
    times: list[int]


def _forms(expected: Normalise | None, actual: Normalise | None) -> tuple[Normalise, Normalise] | None:
    """Return the forms of both sides, each of which normalises a text only once."""
    if expected is None:
        return None
    form = cache(expected)
    return form, form if actual is None else cache(actual)


def _of_pair(pair: Pair, settle: tuple[Normalise, Normalise] | None) -> Iterator[_Change]:
    recorded, actual = pair.recorded, pair.actual
    if recorded is None or actual is None:
        if call := recorded or actual:
            code: Code = "model-call-missing" if actual is None else "model-call-extra"
            key = (code, change_words.call(call.prompt()))
            yield _Change(code, key, key, None, call)
        return
    if recorded.body == actual.body and recorded.earlier is actual.earlier is None:
        return
    prompts = recorded.prompt(), actual.prompt()
    if settle is None:
        yield from _of_diff(difference(*prompts))
        return
    diff = difference(*prompts, *settle)
    # Changes are compared in normal form, but the original texts are shown. Both may be the same text if a
    # directory has moved for one of them: if the run's program is a link that leads to the recording's.
    for change, shown in zip(_of_diff(diff), _of_diff(restored(diff, prompts, settle)), strict=True):
        if shown.diff is None or not is_said_alike(shown.diff):
            yield change._replace(diff=shown.diff)


def _of_diff(diff: PromptDiff) -> Iterator[_Change]:
    params: Code = "model-params-changed"
    prompt: Code = "model-prompt-changed"
    tools: Code = "model-tools-changed"
    if diff.model is not None:
        yield _change(params, "model", diff.model, PromptDiff(model=diff.model))
    for value in diff.parameters:
        yield _change(params, ("parameter", value.path), value, PromptDiff(parameters=(value,)))
    for hunk in diff.system:
        yield _change(prompt, "system", _lines(hunk), PromptDiff(system=(hunk,)))
    for message in diff.messages:
        common = PromptDiff(messages=(message,), messages_common=diff.messages_common)
        yield _change(prompt, ("message", _content(message)), None, common)
    for name in diff.tools_added:
        yield _change(tools, "added", name, PromptDiff(tools_added=(name,)))
    for name in diff.tools_removed:
        yield _change(tools, "removed", name, PromptDiff(tools_removed=(name,)))
    for tool in diff.tools_changed:
        yield _change(tools, ("tool", tool.name), tool, PromptDiff(tools_changed=(tool,)))
    if diff.tools_order is not None:
        yield _change(tools, "order", diff.tools_order, PromptDiff(tools_order=diff.tools_order))


def _change(code: Code, heading: Hashable, key: object, diff: PromptDiff) -> _Change:
    return _Change(code, heading, (heading, msgspec.json.encode(key)), diff)


def _lines(hunk: Hunk) -> object:
    """Return the content of a hunk without its position: another call may have it in another line."""
    return hunk.expected, hunk.actual


def _content(change: MessageChange) -> Hashable:
    """Return the content of a changed message without its position in the conversation."""
    said = [_part(part) for part in change.parts] if change.message is None else change.message
    return change.change, change.role, msgspec.json.encode(said)


def _part(change: PartChange) -> object:
    if change.text or change.arguments:
        return [_lines(hunk) for hunk in change.text], change.arguments
    return change.expected, change.actual


def _joined(groups: Iterable[_Group]) -> Iterator[list[_Group]]:
    """Return groups of one heading that the same calls have."""
    joined: dict[Hashable, list[_Group]] = {}
    for group in groups:
        calls = tuple(group.expected_calls), tuple(group.actual_calls)
        joined.setdefault((group.change.heading, *calls), []).append(group)
    yield from joined.values()


def _one_change(groups: Sequence[_Group]) -> ModelChange:
    change, expected_calls, actual_calls, times = groups[0]
    diff = _together([group.change.diff for group in groups if group.change.diff is not None])
    if diff is not None:
        message = change_words.difference(diff)
        more = max(times, default=1) - 1
        message += f" (and {more} more like it)" if more and diff.messages else ""
    else:
        message = change_words.call(change.call.prompt()) if change.call is not None else ""
    return ModelChange(
        code=change.code,
        message=message,
        expected_calls=tuple(sorted(expected_calls)),
        actual_calls=tuple(sorted(actual_calls)),
        diff=diff,
    )


def _together(diffs: Sequence[PromptDiff]) -> PromptDiff | None:
    """Merge differences of one heading: only lists of lines and of names become longer."""
    if not diffs:
        return None
    return msgspec.structs.replace(
        diffs[0],
        system=tuple(hunk for diff in diffs for hunk in diff.system),
        tools_added=tuple(name for diff in diffs for name in diff.tools_added),
        tools_removed=tuple(name for diff in diffs for name in diff.tools_removed),
        messages=tuple(message for diff in diffs for message in diff.messages),
    )
