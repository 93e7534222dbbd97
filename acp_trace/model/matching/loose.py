"""Whether two requests are at the same point of a conversation, and how similar they are.

That is all that `loose` requires: the same turns so far, the same last words of the user, and, after a tool,
the same tools asked for. System prompt, tools, parameters and earlier words may differ. A new build may also
put its context in a separate message, or before or after the user's words: a reminder that names the date
does not count as the user's words, and other tagged blocks may move, if both requests have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

import msgspec

from acp_trace.model.matching.document import Document
from acp_trace.model.shapes import Prompt, PromptMessage, Text, ToolUse
from acp_trace.normalize import times
from acp_trace.trace import jsontext

_BESIDE = ("system", "developer")
#: A block that an agent adds: `<system-reminder>…</system-reminder>`, `<environment_context>…`.
_TAGGED = re.compile(r"<([a-z][\w-]*)[^<>]*>.*</\1>", re.DOTALL)
_REMINDER = re.compile(r"<(system[-_]reminder)>.*</\1>", re.DOTALL)
_DATE = re.compile(rf"(?:Today's|(?:The )?[Cc]urrent) date(?: is|:) {times.TIME}\.?")

_LONGEST_DATE = 100  #: characters of a sentence that gives the date


class Point(NamedTuple):
    """A point in a conversation. `words`: the user's last; `turns`: who spoke, in order.

    `said`: all texts of the user's last turn. `asks`: who spoke, without answers of text alone: whether an
    answer that a cancel broke off is in the conversation is chance.
    """

    words: str | None
    said: tuple[str, ...]
    turns: tuple[str, ...]
    asks: tuple[str, ...]
    asked: tuple[tuple[str, str], ...]  #: after a tool, the tools asked for: names and arguments
    has_tools: bool
    is_stream: bool

    def is_like(self, other: Point) -> bool:
        """Whether requests at the two points may answer for each other."""
        is_there = self.turns == other.turns or self.asks == other.asks
        return is_there and self[4:] == other[4:] and self._says_the_same(other)

    def common(self, other: Point) -> int:
        """Return how much the two have in common; the words of the user count most."""
        rest = sum(mine == theirs for mine, theirs in zip(self[2:], other[2:], strict=True))
        return len(self) * self._says_the_same(other) + rest

    def _says_the_same(self, other: Point) -> bool:
        if _same(self.words, other.words):
            return True
        mine, theirs = ([text for text in each.said if not _TAGGED.fullmatch(text)] for each in (self, other))
        return bool(mine) and mine == theirs and sorted(self.said) == sorted(other.said)


def point(prompt: Prompt, normalise: Callable[[str], str]) -> Point:
    """Return the point that a prompt has reached in its conversation."""
    everything = [message for message in prompt.messages if message.role not in _BESIDE]
    messages = [message for message in everything if not _is_context(message, normalise)]
    if not any(message.role == "user" for message in messages):
        messages = everything
    turns = [(role, list(of_one)) for role, of_one in groupby(messages, lambda message: message.role)]
    said = [message for message in messages if message.role == "user"]
    before = turns[-2][1] if len(turns) > 1 and turns[-1][0] == "tool" else []
    last: list[PromptMessage] = next((of_one for role, of_one in reversed(turns) if role == "user"), [])
    texts = _texts(last)
    return Point(
        normalise(_words(said[-1], normalise)).strip() if said else None,
        tuple(normalise(text).strip() for text in texts if not _is_dated(text, normalise)),
        tuple(role for role, _ in turns),
        tuple(message.role for message in messages if not _is_answer(message)),
        tuple(
            (part.name, normalise(jsontext.canonical(part.arguments)))
            for message in before
            for part in message.parts
            if isinstance(part, ToolUse)
        ),
        bool(prompt.tools),
        bool(prompt.parameters.get("stream")),
    )


def _is_answer(message: PromptMessage) -> bool:
    """Whether the model only said something, and called no tool."""
    return message.role == "assistant" and not any(isinstance(part, ToolUse) for part in message.parts)


def _is_context(message: PromptMessage, normalise: Callable[[str], str]) -> bool:
    """Whether a message of the user contains only context that the agent adds to give the date."""
    return (
        message.role == "user"
        and bool(message.parts)
        and all(isinstance(part, Text) and _is_dated(part.text, normalise) for part in message.parts)
    )


def _is_dated(text: str, normalise: Callable[[str], str]) -> bool:
    """Whether a text is a reminder that names a moment, or a date alone."""
    text = text.strip()
    if len(text) > _LONGEST_DATE and not text.startswith("<system"):
        return False
    text = normalise(text)
    return times.TIME in text and bool(_REMINDER.fullmatch(text) or _DATE.fullmatch(text))


def _texts(messages: Iterable[PromptMessage]) -> list[str]:
    parts = (part for message in messages for part in message.parts)
    return [part.text for part in parts if isinstance(part, Text) and part.text.strip()]


def _words(message: PromptMessage, normalise: Callable[[str], str]) -> str:
    """Return the last text of a message, except a date; all of its content if it has no text."""
    texts = _texts([message])
    said = [text for text in texts if not _is_dated(text, normalise)] or texts
    return said[-1] if said else jsontext.canonical(msgspec.to_builtins(message.parts))


def _same(words: str | None, other: str | None) -> bool:
    """Whether one text is the other, or the other with lines added before or after it."""
    if words == other or not words or not other:
        return words == other
    short, long = sorted((words, other), key=len)
    return long.endswith(f"\n{short}") or long.startswith(f"{short}\n")


def alike(document: Document, other: Document) -> int:
    """Return how many bytes of pieces two requests have in common."""
    pieces = {piece.number: piece for piece in document.pieces}
    return sum(len(pieces[piece.number].data) for piece in set(other.pieces) if piece.number in pieces)


def words_in_common(prompt: Prompt, other: Prompt) -> float:
    """Return how similar two prompts are in model, tool names, lines of the system prompt: from 0 to 3."""
    tools = [{tool.name for tool in each.tools} for each in (prompt, other)]
    lines = [set(each.system.split("\n")) for each in (prompt, other)]
    return (prompt.model == other.model) + sum(
        len(first & second) / (len(first | second) or 1) for first, second in (tools, lines)
    )
