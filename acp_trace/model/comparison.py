"""The calls of two traces, compared: which correspond, and what differs between them. Pure.

Calls are first matched as in a replay. A newer version that sends one more message never reaches the same
point of a conversation: the remaining calls are paired in order, if two calls are of one kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from acp_trace.model.calls import ModelCall
from acp_trace.model.changes import ModelChange, changes
from acp_trace.model.matching.pairing import pair_calls
from acp_trace.model.matching.shapes import CallPair
from acp_trace.model.prompt_diff import MessageChange, Normalise
from acp_trace.model.shapes import Media, PromptMessage, ToolResult, ToolUse
from acp_trace.model.text_diff import Hunk
from acp_trace.normalize import figures
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.normalize.normalizer import REQUEST, Normalizer
from acp_trace.trace import jsontext

_WORD = re.compile(r"\w+")
_ALIKE = 0.5  #: the share that two calls with the same purpose have in common, at least


#: The session of a call, by the number of the call: how many sessions were opened before it.
CallSessions = Mapping[int, int]


class CallComparison(NamedTuple):
    """Each call of both traces in one pair, and what differs. A pair without a level is merely alike.

    `others`: differences only in what tools returned or models answered. The agent did not cause them.
    """

    pairs: list[CallPair]
    changes: list[ModelChange]
    others: list[ModelChange]


def compare_calls(
    expected: Sequence[ModelCall],
    actual: Sequence[ModelCall],
    places: MovedPlaces,
    number: int | None = None,
    sessions: tuple[CallSessions, CallSessions] = ({}, {}),
) -> CallComparison:
    """Return how the calls of two traces differ; `number`: only the expected call with this number.

    `sessions`: the sessions of both sides' calls, as far as they are known.
    """
    forms = normal_forms(places)
    pairs = pair_alike(pair_calls(expected, actual, places), forms, sessions)
    if number is not None:
        pairs = [pair for pair in pairs if pair.recorded is not None and pair.recorded.call == number]
    return CallComparison(pairs, *changes_in(pairs, forms))


def changes_in(
    pairs: Iterable[CallPair], forms: tuple[Normalise, Normalise]
) -> tuple[list[ModelChange], list[ModelChange]]:
    """Return what differs in pairs of calls, and separately what differs only in what others said."""
    found = changes(pairs, *forms)
    is_other = any(_asks_otherwise(change) for change in found)
    by_others: dict[bool, list[ModelChange]] = {False: [], True: []}
    for change in found:
        by_others[_is_of_others(change, is_model_other=is_other)].append(change)
    return by_others[False], by_others[True]


def normal_forms(places: MovedPlaces) -> tuple[Normalise, Normalise]:
    """Return the functions that put texts of the recording, and of the run, into the form to compare."""
    recorded, actual = Normalizer("expected", places.recorded), Normalizer("actual", places.actual)
    return lambda text: recorded.words(text, REQUEST), lambda text: actual.words(text, REQUEST)


def pair_alike(
    pairs: Sequence[CallPair],
    forms: tuple[Normalise, Normalise],
    sessions: tuple[CallSessions, CallSessions] = ({}, {}),
) -> list[CallPair]:
    """Return the pairs, with unmatched calls paired if they are alike: such a pair has no level."""
    lost = [pair.recorded for pair in pairs if pair.recorded and not pair.actual]
    added = [pair.actual for pair in pairs if pair.actual and not pair.recorded]
    missing = [_call_texts(call, forms[0], sessions[0]) for call in lost]
    extra = [_call_texts(call, forms[1], sessions[1]) for call in added]
    alike: dict[int, ModelCall] = {}  #: the expected call, by the number of the actual one
    for kind in dict.fromkeys(each.kind for each in extra):
        sides = ([each for each in side if each.kind == kind] for side in (missing, extra))
        alike |= {now.call.call: was.call for was, now in _aligned(*sides)}
    taken = {call.call for call in alike.values()}
    joined: list[CallPair] = []
    for pair in pairs:
        if pair.recorded is None and pair.actual is not None:
            joined.append(CallPair(alike.get(pair.actual.call), pair.actual, None))
        elif pair.actual is not None or (pair.recorded is not None and pair.recorded.call not in taken):
            joined.append(pair)
    return joined


def _asks_otherwise(change: ModelChange) -> bool:
    """Whether a model asked for other tools: then other things are done, and tools return something else."""
    messages = () if change.diff is None else change.diff.messages
    parts = (part for each in messages if each.role == "assistant" for part in each.parts)
    whole = (part for each in messages if each.message is not None for part in each.message.parts)
    return any(isinstance(part.expected or part.actual, ToolUse) for part in parts) or any(
        isinstance(part, ToolUse) for part in whole
    )


def _is_of_others(change: ModelChange, *, is_model_other: bool) -> bool:
    messages = () if change.diff is None else change.diff.messages
    return bool(messages) and all(
        each.role == "assistant" or _is_result(each, is_model_other=is_model_other) for each in messages
    )


def _is_result(change: MessageChange, *, is_model_other: bool) -> bool:
    """Whether only what tools returned differs in a message that both have.

    If the same tools were asked for, only words with digits may differ: the agent has added any other change.
    """
    return bool(change.parts) and all(
        isinstance(part.expected, ToolResult)
        and isinstance(part.actual, ToolResult)
        and (is_model_other or all(map(_is_of_a_run, part.text)))
        for part in change.parts
    )


def _is_of_a_run(hunk: Hunk) -> bool:
    """Whether lines differ only in words with digits: sizes, times, short ids."""
    was, now = ([*map(figures.without_numbers, lines)] for lines in (hunk.expected, hunk.actual))
    return was == now


class _CallTexts(NamedTuple):
    """A call, and the texts by which its likeness to another call is measured."""

    call: ModelCall
    kind: tuple[str, bool]  #: only calls of one kind are compared: their form, and whether they have tools
    session: int | None
    tools: frozenset[str]
    words: frozenset[str]  #: of the last message
    asked: frozenset[str]  #: of the last message of the user
    all_words: frozenset[str]  #: of system prompt and messages; only of a call without tools


def _aligned(was: Sequence[_CallTexts], now: Sequence[_CallTexts]) -> Iterator[tuple[_CallTexts, _CallTexts]]:
    """Return the calls of two sequences in pairs, in order, with the greatest total likeness."""
    best = [[0.0] * (len(now) + 1) for _ in range(len(was) + 1)]
    for i in reversed(range(len(was))):
        for j in reversed(range(len(now))):
            both = best[i + 1][j + 1] + _likeness(was[i], now[j])
            best[i][j] = max(both, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < len(was) and j < len(now) and best[i][j] > 0:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            yield was[i], now[j]
            i, j = i + 1, j + 1


def _call_texts(call: ModelCall, normalise: Normalise, sessions: CallSessions) -> _CallTexts:
    prompt = call.prompt()
    tools = frozenset(tool.name for tool in prompt.tools)
    return _CallTexts(
        call,
        (call.recognised.form.name, bool(tools)),
        sessions.get(call.call),
        tools,
        _words(_texts(prompt.messages[-1:]), normalise),
        _words(_texts([each for each in prompt.messages if each.role == "user"][-1:]), normalise),
        frozenset() if tools else _words([prompt.system, *_texts(prompt.messages)], normalise),
    )


def _texts(messages: Iterable[PromptMessage]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolUse):
                yield f"{part.name} {jsontext.string(part.arguments)}"
            elif not isinstance(part, Media):
                yield part.text


def _words(texts: Iterable[str], normalise: Normalise) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(normalise(text)))


def _likeness(was: _CallTexts, now: _CallTexts) -> float:
    """Return how much two calls of one kind have in common; 0 if they did not ask for the same.

    In a conversation the last words decide: all calls have the tools and most of the prompt in common.
    """
    if None not in (was.session, now.session) and was.session != now.session:
        return 0
    last = max(_common(was.words, now.words), _common(was.asked, now.asked))
    if not was.tools:
        every = _common(was.all_words, now.all_words)
        return every + last if every >= _ALIKE else 0
    tools = _common(was.tools, now.tools)
    return tools + last if min(tools, last) >= _ALIKE else 0


def _common(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1
