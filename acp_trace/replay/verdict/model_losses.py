"""What a run no longer sends to its model: user texts, the model's answers and tools' results. Pure.

The frames of both traces show what a tool really returned: a file from the client, the output of its
terminal, the content of a tool call. If the model gets something else, the agent has changed it. A result
that is not shown may itself differ: the agent's own tools run again. docs/replay.md, "The model's side".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from acp_trace.protocol import methods
from acp_trace.protocol.payloads import ParamsView, blocks
from acp_trace.protocol.updates import TOOL_CALLS
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.jsontext import value_or_none

if TYPE_CHECKING:
    from acp_trace.model.calls import ModelCall
    from acp_trace.model.changes import Code, ModelChange
    from acp_trace.model.losses import KnownTexts, Loss
    from acp_trace.model.matching.shapes import CallPair
    from acp_trace.model.prompt_diff import Normalise

#: Results of the client that a tool passes to its agent, by their key.
_GIVEN = ("content", "output")
_LONGEST = 60  #: characters of a loss, for people
_NOTE: Code = "model-result-differs"
#: The codes for the kinds of losses.
CODES: dict[str, Code] = {
    "text": "model-text-lost",
    "history": "model-history-lost",
    "result": "model-result-lost",
}


def losses(
    answered: Iterable[CallPair],
    unanswered: Iterable[CallPair],
    forms: tuple[Normalise, Normalise],
    entries: tuple[Sequence[Entry], Sequence[Entry]],
    recorded: Iterable[ModelCall],
    sessions: Mapping[int, int],
) -> list[ModelChange]:
    """Return what is lost in the calls of a run, each kind once, with all calls that lack it.

    `answered`: pairs of a recorded call and the call of the run that it answered, with their level.
    `unanswered`: calls that got an error, in order, each with the recorded call that it replaces, if known.
    After an error of its model, an agent may drop the turn. So for later unanswered calls of a session, only
    what the first one lacks as well is reported. `sessions`: of each call of the run.
    """
    from acp_trace.model.losses import LossFinder

    finder = None
    found: dict[tuple[Code, str], dict[Loss, tuple[list[int], list[int]]]] = {}
    failed: set[int | None] = set()
    for pair in (*answered, *unanswered):
        if pair.actual is None:
            continue
        is_answered = pair.level is not None
        session = sessions.get(pair.actual.call)
        is_later = session in failed
        failed |= set() if is_answered else {session}
        if pair.recorded is None:
            continue
        finder = finder or LossFinder(_known(entries, forms, recorded), forms)
        for loss in finder.between(pair.recorded.prompt(), pair.actual.prompt()):
            kind = _code(loss), loss.how
            is_judged = is_answered or (kind[0] != _NOTE and (not is_later or loss in found.get(kind, ())))
            if is_judged:
                calls = found.setdefault(kind, {}).setdefault(loss, ([], []))
                calls[0].append(pair.recorded.call)
                calls[1].append(pair.actual.call)
    return [_change(code, group) for (code, _), group in found.items()]


def _change(code: Code, group: Mapping[Loss, tuple[list[int], list[int]]]) -> ModelChange:
    """Return one change for losses of the same kind."""
    from acp_trace.model.changes import ModelChange

    numbers = [sorted({n for calls in group.values() for n in calls[side]}) for side in (0, 1)]
    more = f" (and {len(group) - 1} more like it)" if len(group) > 1 else ""
    return ModelChange(
        code=code,
        message=f"{_words(next(iter(group)))}{more}",
        expected_calls=tuple(numbers[0]),
        actual_calls=tuple(numbers[1]),
    )


def _code(loss: Loss) -> Code:
    if loss.how != "changed":
        return CODES[loss.kind]
    return "model-result-changed" if loss.is_fixed else _NOTE


def _words(loss: Loss) -> str:
    """Return what is lost, for people."""
    from acp_trace.normalize.pointers import shown, shown_pair

    was = shown(loss.was.replace("\n", " "), _LONGEST)
    if loss.kind == "text":
        return f"what the user said no longer reaches the model: {was} is {loss.how}"
    if loss.kind == "history":
        return f"an earlier answer of the model no longer reaches it: {was}"
    result = f"the result of {loss.what}"
    if loss.is_fixed:
        return f"{result} reaches the model without the text that the frames show: {was}"
    if loss.how == "changed":
        before, after = shown_pair(*(text.replace("\n", " ") for text in (loss.was, loss.now)))
        return f"{result} differs: {before} → {after}"
    if loss.how == "cut short":
        return f"{result} is cut short: {len(loss.now)} of {len(loss.was)} characters reach the model"
    return f"{result} no longer reaches the model: it is {loss.how}; it was {was}"


def _known(
    entries: tuple[Sequence[Entry], Sequence[Entry]],
    forms: tuple[Normalise, Normalise],
    recorded: Iterable[ModelCall],
) -> KnownTexts:
    """Return what the frames of both traces have in common, and which recorded answers were broken off."""
    from acp_trace.model.losses import KnownTexts, plain

    prompts, lines = [], []
    for side, form in zip(entries, forms, strict=True):
        said: set[str] = set()
        given: set[str] = set()
        for entry in side:
            if entry.kind is EntryKind.FRAME:
                message = value_or_none(entry.data)
                said |= {plain(text, form) for text in _prompts(message)}
                given |= {line for text in _given(message) for line in plain(text, form).split("\n")}
        prompts.append(said)
        lines.append(given)
    broken_off = (call.answer.text for call in recorded if call.answer.is_broken_off)
    return KnownTexts(
        sorted(filter(None, prompts[0] & prompts[1])),
        sorted(filter(None, lines[0] & lines[1])),
        [plain(text, forms[0]) for text in broken_off if text],
    )


def _prompts(message: Any) -> Iterator[str]:
    """Yield the texts of a prompt."""
    if isinstance(message, dict) and message.get("method") == methods.PROMPT:
        texts = (block.text for block in blocks(ParamsView(message.get("params")).prompt))
        yield from (text for text in texts if text is not None)


def _given(message: Any) -> Iterator[str]:
    """Yield the texts that a tool returned, as far as a frame shows them."""
    if not isinstance(message, dict):
        return
    if isinstance(result := message.get("result"), dict):
        yield from (text for key in _GIVEN if isinstance(text := result.get(key), str))
    update = ParamsView(message.get("params")).update
    if update.session_update in TOOL_CALLS:
        yield from _texts([update.content, update.raw_output])


def _texts(value: Any, deepest: int = 8) -> Iterator[str]:
    """Yield all texts in a value except the names of kinds."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)) and deepest:
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in members:
            if key != "type":
                yield from _texts(inner, deepest - 1)
