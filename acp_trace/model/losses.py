"""What a recorded request sent to the model and the request of a run no longer does. Pure.

An agent may send its model other things, in other words and in another order. But what the user said, what
the model answered, and what tools returned must reach the model: an agent that drops any of them works with
less than before. So each of them is looked for anywhere in the other request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, partial
from typing import Literal, NamedTuple

from acp_trace.model.prompt_diff import Normalise
from acp_trace.model.shapes import Other, Prompt, Text, Thinking, ToolResult, ToolUse
from acp_trace.normalize.figures import without_numbers
from acp_trace.trace import jsontext

#: What is lost: a text of the user, an answer of the model, or a tool's result.
Kind = Literal["text", "history", "result"]
How = Literal["missing", "empty", "cut short", "changed"]

_SHORTEST = 3  #: letters of a line that frames show; a shorter line occurs anywhere
#: A result is cut short if less than this share of it is left, and this share of what is left is the same.
_CUT = 0.9


class Loss(NamedTuple):
    """One thing that is lost. `what`: the tool, or the text. `is_fixed`: frames show what it was."""

    kind: Kind
    how: How
    what: str
    was: str
    now: str = ""
    is_fixed: bool = False

    @property
    def has_more(self) -> bool:
        """Whether all of a result is still sent, with more around it."""
        return self.how == "changed" and not self.is_fixed and self.was in self.now


class KnownTexts(NamedTuple):
    """What is known of both traces, in normal form.

    Texts from their frames: prompts, and lines of tools' results. `broken_off`: answers that were broken off
    in the recording: how much of such an answer an agent keeps depends on the moment.
    """

    prompts: Collection[str]
    lines: Collection[str]
    broken_off: Collection[str] = ()


class LossFinder:
    """Finds what of a recorded request is missing in another one.

    `forms`: the functions that put texts of the recording, and of the run, into the form to compare. Requests
    repeat the whole conversation, so results are cached for each text.
    """

    def __init__(self, known: KnownTexts, forms: tuple[Normalise, Normalise]) -> None:
        self._known = known
        self._plain = tuple(cache(partial(plain, normalise=form)) for form in forms)
        self._of_result = cache(self._judged)
        self._is_broken_off = cache(self._has_begun)

    def between(self, expected: Prompt, actual: Prompt) -> Iterator[Loss]:
        """Yield what `actual` lacks of `expected`; a `changed` result is in both, with other words."""
        was, now = map(_PromptTexts, (expected, actual), self._plain)
        for text in self._known.prompts:
            if not now.has(text) and was.has(text):
                yield Loss("text", "cut short" if now.has_beginning(text) else "missing", text, text)
        for text in was.answers:
            if not now.has(text) and not self._is_broken_off(text):
                yield Loss("history", "missing", text, text)
        yield from self._results(was, now)

    def _results(self, was: _PromptTexts, now: _PromptTexts) -> Iterator[Loss]:
        missing = len(was.results) - len(now.results)
        if missing <= 0:
            for (name, text), (_, other) in zip(was.results, now.results, strict=False):
                loss = self._of_result(name, text, other) if text and text != other else None
                if loss is not None and (loss.has_more or not now.has(text)):
                    yield loss
            return
        for name, text in was.results:
            if missing and text and not now.has(text):
                missing -= 1
                yield Loss("result", "missing", name, text)

    def _judged(self, name: str, was: str, now: str) -> Loss | None:
        """Return what is lost of a result if another one is in its place; None if nothing is."""
        if not now:
            return Loss("result", "empty", name, was)
        plain_was, plain_now = (without_numbers(text) for text in (was, now))
        is_shorter = len(plain_now) < len(plain_was) * _CUT
        if is_shorter and _common(plain_was, plain_now) >= len(plain_now) * _CUT:
            return Loss("result", "cut short", name, was, now)
        shown = (line for line in self._known.lines if len(line) >= _SHORTEST)
        lost = next((line for line in shown if line in was and line not in now), None)
        if lost is not None:
            return Loss("result", "changed", name, lost, now, is_fixed=True)
        return None if plain_was == plain_now else Loss("result", "changed", name, was, now)

    def _has_begun(self, text: str) -> bool:
        """Whether a text is the beginning of a broken-off answer with the agent's own words after it."""
        return any(_common(text, each) * 2 >= len(text) for each in self._known.broken_off)


class _PromptTexts:
    """The texts of a prompt in normal form. `form`: the function that normalises a text."""

    def __init__(self, prompt: Prompt, form: Normalise) -> None:
        names: dict[str | None, str] = {}
        texts = [form(prompt.system)]
        self.answers: list[str] = []
        self.results: list[tuple[str, str]] = []  #: the name of the tool, and its result
        for message in prompt.messages:
            for part in message.parts:
                if isinstance(part, ToolUse):
                    names[part.id] = part.name
                    texts.append(form(jsontext.string(part.arguments)))
                elif isinstance(part, (Text, Thinking, ToolResult, Other)):
                    texts.append(form(part.text))
                if isinstance(part, Text) and message.role == "assistant" and texts[-1]:
                    self.answers.append(texts[-1])
                elif isinstance(part, ToolResult):
                    self.results.append((part.name or names.get(part.id) or "a tool", texts[-1]))
        self._each = frozenset(texts)
        self._all = "\n".join(filter(None, texts))

    def has(self, text: str) -> bool:
        """Whether the prompt has a text, by itself or in another one. Searching all of them is far slower."""
        return text in self._each or text in self._all

    def has_beginning(self, text: str) -> bool:
        """Whether a part of the request ends with at least the first half of a text."""
        half = text[: len(text) // 2]
        ends = (each[each.rfind(half) :] for each in self._each if half and half in each)
        return any(text.startswith(end) for end in ends)


def plain(text: str, normalise: Normalise) -> str:
    """Return a text in normal form, line by line, without surrounding blanks and empty lines."""
    lines = (" ".join(line.split()) for line in normalise(text).splitlines())
    return "\n".join(line for line in lines if line)


def _common(one: str, other: str) -> int:
    """Return how many letters two texts have in common from their beginning."""
    unlike = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unlike, min(len(one), len(other)))
