"""Whether two requests stand at the same point of a conversation, and how like they are.

That is all that `loose` asks: as many messages of the same roles, the same last words of the user, and, after
a tool, the same tools asked for. System prompt, tools, parameters and earlier words may be others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from acp_trace.model.matching.document import Document
from acp_trace.model.shapes import Prompt, Text, ToolUse
from acp_trace.trace import jsontext

_BESIDE = ("system", "developer")


def point(prompt: Prompt, normalise: Callable[[str], str]) -> Hashable:
    """Where in a conversation a prompt stands: equal for prompts that may answer for each other."""
    messages = [message for message in prompt.messages if message.role not in _BESIDE]
    words = [
        part.text
        for message in messages
        if message.role == "user"
        for part in message.parts
        if isinstance(part, Text)
    ]
    asked = messages[-2].parts if len(messages) > 1 and messages[-1].role == "tool" else ()
    return (
        tuple(message.role for message in messages),
        normalise(words[-1]) if words else None,
        tuple(
            (part.name, normalise(jsontext.canonical(part.arguments)))
            for part in asked
            if isinstance(part, ToolUse)
        ),
        bool(prompt.tools),
        bool(prompt.parameters.get("stream")),
    )


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
