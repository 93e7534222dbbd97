"""Whether two requests stand at the same point of a conversation, and how like they are.

That is all that `loose` asks: the same turns so far, the same last words of the user, and, after a tool, the
same tools asked for. System prompt, tools, parameters and earlier words may be others. A new build may also
tell its context in a message of its own, or before or behind the user's words.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

import msgspec

from acp_trace.model.matching.document import Document
from acp_trace.model.shapes import Prompt, PromptMessage, Text, ToolUse
from acp_trace.trace import jsontext

_BESIDE = ("system", "developer")


class Point(NamedTuple):
    """A point in a conversation. `words`: the last of the user; `turns`: who spoke, one after the other."""

    words: str | None
    turns: tuple[str, ...]
    asked: tuple[tuple[str, str], ...]  #: after a tool, the tools asked for: names and arguments
    has_tools: bool
    is_stream: bool

    def is_like(self, other: Point) -> bool:
        """Whether requests at the two may answer for each other."""
        return self[1:] == other[1:] and _same(self.words, other.words)

    def common(self, other: Point) -> int:
        """How much the two have in common; the words of the user count most."""
        rest = sum(mine == theirs for mine, theirs in zip(self[1:], other[1:], strict=True))
        return len(self) * _same(self.words, other.words) + rest


def point(prompt: Prompt, normalise: Callable[[str], str]) -> Point:
    """Where in a conversation a prompt stands."""
    messages = [message for message in prompt.messages if message.role not in _BESIDE]
    turns = [(role, list(of_one)) for role, of_one in groupby(messages, lambda message: message.role)]
    said = [message for message in messages if message.role == "user"]
    before = turns[-2][1] if len(turns) > 1 and turns[-1][0] == "tool" else []
    return Point(
        normalise(_words(said[-1])).strip() if said else None,
        tuple(role for role, _ in turns),
        tuple(
            (part.name, normalise(jsontext.canonical(part.arguments)))
            for message in before
            for part in message.parts
            if isinstance(part, ToolUse)
        ),
        bool(prompt.tools),
        bool(prompt.parameters.get("stream")),
    )


def _words(message: PromptMessage) -> str:
    """The last text of a message; of one without any, all that it has."""
    texts = [part.text for part in message.parts if isinstance(part, Text) and part.text.strip()]
    return texts[-1] if texts else jsontext.canonical(msgspec.to_builtins(message.parts))


def _same(words: str | None, other: str | None) -> bool:
    """Whether the one says what the other says, with nothing or with lines before or behind it."""
    if words == other or not words or not other:
        return words == other
    short, long = sorted((words, other), key=len)
    return long.endswith(f"\n{short}") or long.startswith(f"{short}\n")


def alike(document: Document, other: Document) -> int:
    """How many bytes of pieces two requests have in common."""
    pieces = {piece.number: piece for piece in document.pieces}
    return sum(len(pieces[piece.number].data) for piece in set(other.pieces) if piece.number in pieces)


def words_in_common(prompt: Prompt, other: Prompt) -> float:
    """How like two prompts are in model, names of tools, lines of the system prompt: from 0 to 3."""
    tools = [{tool.name for tool in each.tools} for each in (prompt, other)]
    lines = [set(each.system.split("\n")) for each in (prompt, other)]
    return (prompt.model == other.model) + sum(
        len(first & second) / (len(first | second) or 1) for first, second in (tools, lines)
    )
