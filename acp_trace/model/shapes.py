"""One shape for what all providers call a request and a response. Only shapes: nothing here reads bytes.

A provider's text is kept as it is; anything without a shape here is `Other`. Names of parameters and stop
reasons are the provider's: two similar words need not mean the same.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Words."""

    text: str


class Thinking(msgspec.Struct, frozen=True, tag="thinking"):
    """What the model thought. `text` is empty if the provider gave it encrypted only."""

    text: str


class ToolUse(msgspec.Struct, frozen=True, tag="tool_use"):
    """A tool that the model asked for. `arguments` is JSON; a string if the model wrote no valid JSON."""

    id: str | None
    name: str
    arguments: Any


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result"):
    """A tool's result, as the agent sent it to the model. `name` only if the provider wants it."""

    id: str | None
    text: str
    name: str | None = None
    is_error: bool = False


class Media(msgspec.Struct, frozen=True, tag="media"):
    """An image, a file or a sound, which is only mentioned: by its address, its name, or type and size."""

    kind: str
    mention: str


class Other(msgspec.Struct, frozen=True, tag="other"):
    """Any other part: what the provider calls it, and how its JSON begins."""

    kind: str
    text: str


Part = Text | Thinking | ToolUse | ToolResult | Media | Other


class PromptMessage(msgspec.Struct, frozen=True):
    """One message. Roles are `system`, `user`, `assistant`, `tool`, or the provider's own word."""

    role: str
    parts: tuple[Part, ...]


class Tool(msgspec.Struct, frozen=True):
    """A tool that the model may ask for. `schema` is its JSON Schema, or what the provider has instead.

    `options` is everything else about it: `strict`, `defer_loading` …
    """

    name: str
    description: str
    schema: Any
    options: dict[str, Any] = {}


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that an agent sent to the model in one request.

    `system` is the system prompt: its pieces, with an empty line between them. `parameters` is the rest of
    the request, under the provider's names. Labels of the call, the user or the session are in `labels`: they
    differ between any two calls.
    """

    model: str | None = None
    system: str = ""
    tools: tuple[Tool, ...] = ()
    parameters: dict[str, Any] = {}
    messages: tuple[PromptMessage, ...] = ()
    labels: dict[str, Any] = {}
    #: The id of the response that this request continues: the provider has what came before.
    continues: str | None = None


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the provider counted them; None if it did not.

    `input` and `output` are the provider's own numbers. Some providers include cached tokens in `input` and
    thoughts in `output`, others do not: the totals have all of them, so that providers can be compared.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None  #: of the prompt, read from a cache
    cache_written: int | None = None  #: of the prompt, written to a cache
    reasoning: int | None = None  #: thoughts
    input_total: int | None = None
    output_total: int | None = None


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """An error of a provider, instead of an answer or in the middle of it."""

    type: str | None = None  #: the kind of error, in the provider's word
    message: str = ""
    code: str | None = None  #: a second, more exact word of some providers
    status: int | None = None  #: of the HTTP response
    retry_after_s: float | None = None  #: how long the provider wants the agent to wait


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A model's answer. Times are those of the pieces in which its parts came, ns."""

    id: str | None = None
    model: str | None = None  #: the model that answered, as the provider names it
    parts: tuple[Part, ...] = ()
    stop_reason: str | None = None
    tokens: Tokens = Tokens()
    error: Problem | None = None
    #: It has its end, or the provider reported an error. If not, it was broken off.
    is_complete: bool = False
    first_byte_ns: int | None = None
    #: The first piece that brought words, thoughts or a tool call: later than the first byte.
    first_token_ns: int | None = None
    last_token_ns: int | None = None
    #: For each piece that brought output: its time, and how many characters it brought.
    output: tuple[tuple[int, int], ...] = ()
    #: Events that could not be read.
    unreadable: int = 0

    @property
    def text(self) -> str:
        """The words of the answer."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def thinking(self) -> str:
        """The thoughts, as far as the provider shows them."""
        return "".join(part.text for part in self.parts if isinstance(part, Thinking))

    @property
    def tool_calls(self) -> tuple[ToolUse, ...]:
        """The tools asked for, in their order."""
        return tuple(part for part in self.parts if isinstance(part, ToolUse))

    @property
    def is_broken_off(self) -> bool:
        """Whether the answer ended before its end."""
        return not self.is_complete

    def characters_after(self, moment_ns: int) -> int:
        """Return how many characters of output came after a moment: what a cancel did not save."""
        return sum(count for t_ns, count in self.output if t_ns > moment_ns)
