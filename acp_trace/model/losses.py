"""What a recorded request told the model that the request of a run no longer does, and nothing else. Pure.

An agent is free to tell its model something else, in other words and in another order. But what the user
said, what the model itself had answered, and what tools gave has to reach it: an agent that drops one of them
works on with less than it had. So each of these is looked for anywhere in the other request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, partial
from typing import Literal, NamedTuple

from acp_trace.model.prompt_diff import Normalise
from acp_trace.model.shapes import Other, Prompt, Text, Thinking, ToolResult, ToolUse
from acp_trace.normalize.figures import without_numbers
from acp_trace.trace import jsontext

#: What is lost: what the user said, what the model had answered, what a tool gave.
Kind = Literal["text", "history", "result"]
How = Literal["missing", "empty", "cut short", "changed"]

_SHORTEST = 3  #: letters of a line that frames show; a shorter one is anywhere
#: A result is cut short if it has less of its length than this, and so much of that is as it was, at least.
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
        """Whether all of a result is still told, with more around it."""
        return self.how == "changed" and not self.is_fixed and self.was in self.now


class KnownTexts(NamedTuple):
    """What is known of both traces, in one form.

    What their frames say: texts of prompts, and lines of what tools gave. `broken_off`: answers that were, in
    the recording: how much of such a one an agent keeps depends on when it was broken off.
    """

    prompts: Collection[str]
    lines: Collection[str]
    broken_off: Collection[str] = ()


class LossFinder:
    """Finds what of a recorded request is not in another one.

    `forms`: what puts a text of the recording, and one of the run, into the form in which they are compared.
    Requests repeat the whole conversation, so what is found out about a text is kept.
    """

    def __init__(self, known: KnownTexts, forms: tuple[Normalise, Normalise]) -> None:
        self._known = known
        self._plain = tuple(cache(partial(plain, normalise=form)) for form in forms)
        self._of_result = cache(self._judged)
        self._is_broken_off = cache(self._has_begun)

    def between(self, expected: Prompt, actual: Prompt) -> Iterator[Loss]:
        """What of one request is not in the other; `changed` is a result that both have, with other words."""
        was, now = (_Told(prompt, form) for prompt, form in zip((expected, actual), self._plain, strict=True))
        for text in self._known.prompts:
            if not now.has(text) and was.has(text):
                yield Loss("text", "cut short" if now.has_beginning(text) else "missing", text, text)
        for text in was.answers:
            if not now.has(text) and not self._is_broken_off(text):
                yield Loss("history", "missing", text, text)
        yield from self._results(was, now)

    def _results(self, was: _Told, now: _Told) -> Iterator[Loss]:
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
        """What is lost of a result if there is another one in its place; None if nothing is."""
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
        """Whether a text is a part of an answer that was broken off, with the agent's own words behind it."""
        return any(_common(text, each) * 2 >= len(text) for each in self._known.broken_off)


class _Told:
    """What a prompt tells, in one form. `form`: what puts a text into it."""

    def __init__(self, prompt: Prompt, form: Normalise) -> None:
        names: dict[str | None, str] = {}
        texts = [form(prompt.system)]
        self.answers: list[str] = []
        self.results: list[tuple[str, str]] = []  #: the name of the tool, and what it gave
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
        """Whether a text is told, by itself or in another one. To search all of them takes far longer."""
        return text in self._each or text in self._all

    def has_beginning(self, text: str) -> bool:
        """Whether a part of the request ends with the first half of a text, or with more of it."""
        half = text[: len(text) // 2]
        ends = (each[each.rfind(half) :] for each in self._each if half and half in each)
        return any(text.startswith(end) for end in ends)


def plain(text: str, normalise: Normalise) -> str:
    """A text in one form, line by line, without blanks around its lines and empty ones."""
    lines = (" ".join(line.split()) for line in normalise(text).splitlines())
    return "\n".join(line for line in lines if line)


def _common(one: str, other: str) -> int:
    """How many letters two texts have in common, from their beginning on."""
    unlike = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unlike, min(len(one), len(other)))
