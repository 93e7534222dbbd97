"""Calls of a run that the recording lacks, or has less often -> changes, merged if they differ alike.

An unanswered call is reported with the most similar recorded call, and the differences. Every call repeats
the conversation, so a change recurs in all later calls: only their common differences are reported. Repeating
a request is not a difference. Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from acp_trace.analyze.facts import Facts

if TYPE_CHECKING:
    from acp_trace.model.calls import ModelCall
    from acp_trace.model.changes import ModelChange
    from acp_trace.model.prompt_diff import Normalise, PromptDiff

_MOST = 3  #: differences from the nearest call that are named


class Extra(NamedTuple):
    """A call that the recording does not have. `again`: it has the call, but less often."""

    call: ModelCall
    nearest: ModelCall | None
    again: bool


class _Missed(NamedTuple):
    """Calls that differ alike. `differences`: what all of them have, `diff`: of the first."""

    calls: list[int]
    nearest: list[int]
    differences: list[str]
    others: int  #: number of further differences of the first
    diff: PromptDiff | None


def repeated(extra: Iterable[Extra], facts: Facts) -> Iterator[ModelChange]:
    """Yield a change for a turn's repetitions of a recorded call. `facts`: of the run."""
    turns = {call.call: (call.session_id, call.turn) for call in facts.model_calls}
    by_message: dict[Hashable, tuple[int, list[int]]] = {}
    for each in extra:
        if each.nearest is not None:
            key = each.nearest.call, turns.get(each.call.call)
            by_message.setdefault(key, (each.nearest.call, []))[1].append(each.call.call)
    for nearest, numbers in by_message.values():
        yield _change(f"asks the same again as call {nearest} of the recording", numbers, None)


def unmatched(extra: Iterable[Extra], forms: tuple[Normalise, Normalise]) -> Iterator[ModelChange]:
    """Yield a change for each group of unanswered calls with differences in common."""
    groups: list[_Missed] = []
    for each in extra:
        found = _missed(each, forms)
        for at, group in enumerate(groups):
            common = [words for words in group.differences if words in found.differences]
            if common:
                groups[at] = group._replace(
                    calls=[*group.calls, *found.calls],
                    nearest=[*group.nearest, *found.nearest],
                    differences=common,
                )
                break
        else:
            groups.append(found)
    for group in groups:
        yield _change(f"not in the recording; {_words(group)}", group.calls, group.diff)


def _missed(extra: Extra, forms: tuple[Normalise, Normalise]) -> _Missed:
    from acp_trace.model import change_words
    from acp_trace.model.changes import taken_apart
    from acp_trace.model.prompt_diff import difference

    if extra.nearest is None:
        return _Missed([extra.call.call], [], [change_words.call(extra.call.prompt())], 0, None)
    diff = difference(extra.nearest.prompt(), extra.call.prompt(), *forms)
    # Only the messages prevent a match, not another system prompt, tools or parameters.
    changes = taken_apart(diff)
    messages = [change for change in changes if change.diff is not None and change.diff.messages]
    differences = [change.message for change in messages or changes] or ["the same words in another form"]
    others = len(changes) - len(messages) if messages else 0
    return _Missed([extra.call.call], [extra.nearest.call], differences, others, diff)


def _words(group: _Missed) -> str:
    from acp_trace.model import change_words

    if not group.nearest:
        return group.differences[0]
    named = "; ".join(group.differences[:_MOST])
    left = max(len(group.differences) - _MOST, 0) + (group.others if len(group.calls) == 1 else 0)
    more = f"; and {left} more" if left else ""
    return f"most like {change_words.numbers('call', sorted({*group.nearest}))}, but for {named}{more}"


def _change(message: str, calls: list[int], diff: PromptDiff | None) -> ModelChange:
    from acp_trace.model.changes import ModelChange

    return ModelChange(
        code="model-call-extra", message=message, expected_calls=(), actual_calls=tuple(calls), diff=diff
    )
