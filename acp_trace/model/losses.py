"""What a recorded request told the model that the request of a run no longer does, and nothing else. Pure.

An agent is free to tell its model something else, in other words and in another order. But what the user
said, what the model itself had answered, and what tools gave has to reach it: an agent that drops one of them
works on with less than it had. So each of these is looked for anywhere in the other request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from acp_trace.model.matching.times import without_numbers
from acp_trace.model.prompt_diff import Normalise
from acp_trace.model.shapes import Other, Prompt, Text, Thinking, ToolResult, ToolUse
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


class KnownTexts(NamedTuple):
    """What is known of both traces, in one form.

    What their frames say: texts of prompts, and lines of what tools gave. `broken_off`: answers that were, in
    the recording: how much of such a one an agent keeps depends on when it was broken off.
    """

    prompts: Collection[str]
    lines: Collection[str]
    broken_off: Collection[str] = ()


def losses(
    expected: Prompt, actual: Prompt, known: KnownTexts, forms: tuple[Normalise, Normalise]
) -> Iterator[Loss]:
    """What of one request is not in the other; `changed` is a result that both have, with another text."""
    was, now = _Told(expected, forms[0]), _Told(actual, forms[1])
    for text in known.prompts:
        if text in was.all_texts and text not in now.all_texts:
            half = text[: len(text) // 2]
            how: How = "cut short" if half and half in now.all_texts else "missing"
            yield Loss("text", how, text, text)
    for text in was.answers:
        if text not in now.all_texts and not _is_broken_off(text, known):
            yield Loss("history", "missing", text, text)
    yield from _results(was, now, known.lines)


def _is_broken_off(text: str, known: KnownTexts) -> bool:
    """Whether an agent has kept a part of an answer that was broken off, with words of its own behind it."""
    return any(_common(text, each) * 2 >= len(text) for each in known.broken_off)


def _common(one: str, other: str) -> int:
    """How many letters two texts have in common, from their beginning on."""
    unlike = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unlike, min(len(one), len(other)))


class _Told:
    """What a prompt tells, in one form, with blanks of any length as one."""

    def __init__(self, prompt: Prompt, normalise: Normalise) -> None:
        names: dict[str | None, str] = {}
        texts = [prompt.system]
        self.answers: list[str] = []
        self.results: list[tuple[str, str]] = []  #: the name of the tool, and what it gave
        for message in prompt.messages:
            for part in message.parts:
                if isinstance(part, ToolUse):
                    names[part.id] = part.name
                    texts.append(jsontext.string(part.arguments))
                elif isinstance(part, (Text, Thinking, ToolResult, Other)):
                    texts.append(part.text)
                if isinstance(part, Text) and message.role == "assistant" and part.text.strip():
                    self.answers.append(plain(part.text, normalise))
                elif isinstance(part, ToolResult):
                    name = part.name or names.get(part.id) or "a tool"
                    self.results.append((name, plain(part.text, normalise)))
        self.all_texts = plain("\n".join(texts), normalise)


def plain(text: str, normalise: Normalise) -> str:
    """A text in one form, line by line, without blanks around its lines and empty ones."""
    lines = (" ".join(line.split()) for line in normalise(text).splitlines())
    return "\n".join(line for line in lines if line)


def _results(was: _Told, now: _Told, known: Collection[str]) -> Iterator[Loss]:
    missing = len(was.results) - len(now.results)
    if missing <= 0:
        for (name, text), (_, other) in zip(was.results, now.results, strict=False):
            if text != other and text and text not in now.all_texts:
                yield from _of_result(name, text, other, known)
        return
    for name, text in was.results:
        if missing and text and text not in now.all_texts:
            missing -= 1
            yield Loss("result", "missing", name, text)


def _of_result(name: str, was: str, now: str, known: Collection[str]) -> Iterator[Loss]:
    if not now:
        yield Loss("result", "empty", name, was)
        return
    plain_was, plain_now = (without_numbers(text) for text in (was, now))
    is_shorter = len(plain_now) < len(plain_was) * _CUT
    if is_shorter and _common(plain_was, plain_now) >= len(plain_now) * _CUT:
        yield Loss("result", "cut short", name, was, now)
        return
    lost = next((line for line in known if len(line) >= _SHORTEST and line in was and line not in now), None)
    if lost is not None:
        yield Loss("result", "changed", name, lost, now, is_fixed=True)
    elif plain_was != plain_now:
        yield Loss("result", "changed", name, was, now)
