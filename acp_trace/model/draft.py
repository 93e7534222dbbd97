"""An answer while it arrives: the readers of the wire forms fill it, event by event."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from acp_trace.model import fields
from acp_trace.model.shapes import Part, Problem, Text, Thinking, Tokens, ToolUse


@dataclass(slots=True)
class _Block:
    """A part of the answer: words, thoughts, or a tool call with the JSON of its arguments."""

    kind: Literal["text", "thinking", "call"]
    pieces: list[str] = field(default_factory=list)
    id: str | None = None
    name: str = ""
    arguments: Any = None  #: if the provider gives them as a value

    def part(self) -> Part:
        """Return the part, as far as it has come."""
        whole = "".join(self.pieces)
        if self.kind == "call":
            given = self.arguments if self.arguments is not None and not whole else whole
            return ToolUse(self.id, self.name, fields.arguments(given))
        return Thinking(whole) if self.kind == "thinking" else Text(whole)


class Draft:
    """What has come so far. A key identifies the part that an event belongs to; parts keep their order."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.model: str | None = None
        self.stop_reason: str | None = None
        self.error: Problem | None = None
        self.is_complete = False
        self.tokens: dict[str, int] = {}  #: by the names of the fields of `Tokens`
        self.characters = 0  #: of output, so far
        self.outputs = 0  #: how often output came
        #: The part being written, if events name a place and several parts follow each other there.
        self.latest: dict[Hashable, Hashable] = {}
        self._blocks: dict[Hashable, _Block] = {}
        self._is_known = False  #: what comes has come before

    def text(self, key: Hashable, piece: Any) -> None:
        """Add words."""
        self._add(key, "text", fields.text(piece))

    def think(self, key: Hashable, piece: Any) -> None:
        """Add thoughts."""
        self._add(key, "thinking", fields.text(piece))

    def hidden_thought(self, key: Hashable) -> None:
        """Add thoughts that only the provider can read: output all the same."""
        self._block(key, "thinking")
        self._came(0)

    def call(self, key: Hashable, id: Any = None, name: Any = None, arguments: Any = None) -> None:
        """Add a tool call, or more of it. `arguments`: a value; pieces of their JSON go to `arguments()`."""
        block = self._block(key, "call")
        block.id = block.id or fields.word(id)
        if fields.word(name) and name != block.name:
            block.name += name
            self._came(len(name))
        if isinstance(arguments, (dict, list)) and arguments and not block.arguments:
            block.arguments = arguments
            self._came(1)

    def arguments(self, key: Hashable, piece: Any) -> None:
        """Add the next piece of the JSON of a tool call's arguments."""
        self._add(key, "call", fields.text(piece))

    def only(self, key: Hashable, whole: Any) -> None:
        """Set the whole of a part that came in pieces; it takes precedence over the pieces."""
        block = self._blocks.get(key)
        if block is not None and fields.word(whole):
            block.pieces = [whole]

    def id_of(self, key: Hashable) -> str | None:
        """Return the id of a tool call that has begun."""
        block = self._blocks.get(key)
        return None if block is None else block.id

    def clear(self) -> None:
        """Forget the parts, because the provider sends them again as a whole. When they came is kept."""
        self._blocks.clear()
        self._is_known = self.outputs > 0

    def has(self, key: Hashable) -> bool:
        """Whether something of this part has come."""
        block = self._blocks.get(key)
        return block is not None and bool(block.pieces)

    def count(self, **counts: Any) -> None:
        """Count tokens, by the fields of `Tokens`. Later counts replace earlier ones; None leaves them."""
        for name, value in counts.items():
            count = fields.number(value)
            if count is not None:
                self.tokens[name] = count

    def stop(self, reason: Any) -> None:
        """Set why the model stopped: then the answer is complete."""
        if fields.word(reason):
            self.stop_reason = reason
            self.is_complete = True

    def parts(self) -> tuple[Part, ...]:
        """Return the parts so far. Empty words are left out, hidden thoughts are not."""
        parts = (block.part() for block in self._blocks.values())
        return tuple(part for part in parts if not (isinstance(part, Text) and not part.text))

    def counted(self, beside_input: Iterable[str] = (), beside_output: Iterable[str] = ()) -> Tokens:
        """Return the tokens so far, with totals; the names are counts that the provider does not include."""
        counts = self.tokens
        totals: dict[str, int] = {}
        for name, beside in (("input", beside_input), ("output", beside_output)):
            if name in counts:
                totals[f"{name}_total"] = counts[name] + sum(counts.get(other, 0) for other in beside)
        return Tokens(**counts, **totals)

    def _add(self, key: Hashable, kind: Literal["text", "thinking", "call"], piece: str) -> None:
        if piece:
            self._block(key, kind).pieces.append(piece)
            self._came(len(piece))

    def _block(self, key: Hashable, kind: Literal["text", "thinking", "call"]) -> _Block:
        return self._blocks.setdefault(key, _Block(kind))

    def _came(self, characters: int) -> None:
        if not self._is_known:
            self.characters += characters
            self.outputs += 1
