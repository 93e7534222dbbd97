"""Views of payloads: the members of ACP's parameters, updates, tool calls and content blocks.

A view is made of any value, and reads a member when it is needed: `UpdateView(value).title`. A view never
raises. A value that is not an object has no members, and a member of a type that the protocol does not allow
counts as absent. An attribute is named like the protocol's member: `tool_call_id` is `toolCallId`. Views do
not know what a member means, or whether it is required. Members are those of the ACP schemas (npm
`@agentclientprotocol/sdk` 2.4.0: v1, v1 unstable, v2, v2 unstable), as far as acp-trace reads them.

`text_update` only reads the text of a chunk, in one pass in C. Nearly every frame is such a chunk, and
building the whole message as a Python value takes twice as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import as_object

T = TypeVar("T")
V = TypeVar("V", bound="View")


class View:
    """The members of an object, by their names; none if the value is not an object."""

    def __init__(self, value: object) -> None:
        self.members: dict[str, Any] = value if isinstance(value, dict) else {}


if TYPE_CHECKING:

    class _Member(Generic[T]):
        """A member of a view, as a function reads it."""

        def __init__(self, read: Callable[[Any], T]) -> None: ...
        def __get__(self, view: View, owner: type[View]) -> T: ...

else:
    _Member = property  #: a descriptor in Python takes twice as long


def _text(key: str) -> _Member[str | None]:
    return _Member(lambda view: value if isinstance(value := view.members.get(key), str) else None)


def _any(key: str) -> _Member[Any]:
    return _Member(lambda view: view.members.get(key))


def _read(key: str, read: Callable[[object], T]) -> _Member[T]:
    """Return a member that a function, or a view, reads; the value is None if it is missing."""
    return _Member(lambda view: read(view.members.get(key)))


def _views(key: str, view: type[V]) -> _Member[list[V]]:
    """Return a member that is a list, as views of its objects."""
    return _read(key, lambda value: [view(item) for item in jsontext.objects(value)])


class FileView(View):
    """A file that a tool call names: the location of its work (tool-calls), or a change (draft 2)."""

    path = _text("path")
    line = _read("line", jsontext.as_integer)


class _Resource(View):
    """The contents of a file in a content block."""

    uri = _text("uri")


class _AnnotationsView(View):
    """The audience of a content block (content)."""

    audience = _read("audience", lambda value: value if isinstance(value, list) else [])


class BlockView(_Resource):
    """A block of a prompt or of a message (content)."""

    type = _text("type")
    annotations = _read("annotations", _AnnotationsView)
    text = _text("text")
    resource = _read("resource", _Resource)

    @property
    def shown(self) -> str | None:
        """The text, or for a block of another kind its kind in brackets."""
        if (text := self.text) is not None:
            return text
        return None if (kind := self.type) is None else f"[{kind}]"


def blocks(content: object) -> list[BlockView]:
    """Return the content blocks of a prompt or an update, which has one block or, in draft 2, a list."""
    return [BlockView(block) for block in (content if isinstance(content, list) else [content])]


def first_text(content: object) -> str | None:
    """Return the text of the first block with text, or else the kind of the first block, in brackets."""
    if not isinstance(content, list):
        return BlockView(content).shown
    read = blocks(content)
    texts = (text for block in read if (text := block.text) is not None)
    return next(texts, next((shown for block in read if (shown := block.shown) is not None), None))


class ToolContentView(FileView):
    """A part of what a tool call shows: a content block, the diff of a file, or a terminal (tool-calls)."""

    type = _text("type")
    content = _read("content", BlockView)
    terminal_id = _text("terminalId")
    old_text = _text("oldText")
    new_text = _text("newText")
    changes = _views("changes", FileView)  #: draft 2
    patch = _read("patch", BlockView)  #: draft 2


class ToolCallView(View):
    """The tool call of an update, or of a permission (tool-calls)."""

    tool_call_id = _text("toolCallId")
    title = _text("title")
    kind = _text("kind")
    status = _text("status")
    content = _any("content")
    contents = _views("content", ToolContentView)
    locations = _views("locations", FileView)
    raw_input = _any("rawInput")
    raw_output = _any("rawOutput")
    meta = _read("_meta", as_object)


class _Terminal(View):
    """The fields of a terminal in a request or an update (terminals, RFD v2/terminal-output)."""

    terminal_id = _text("terminalId")
    command = _text("command")
    output = _any("output")
    exit_status = _any("exitStatus")


class PlanEntryView(View):
    """An entry of a plan (agent-plan)."""

    content = _text("content")
    status = _text("status")


class _Plan(View):
    entries = _read("entries", lambda value: value if isinstance(value, list) else None)


class UpdateView(ToolCallView, _Terminal, _Plan):
    """A `session/update` of any kind."""

    session_update = _text("sessionUpdate")
    message_id = _text("messageId")
    plan = _read("plan", _Plan)  #: draft 2
    state = _text("state")
    stop_reason = _text("stopReason")
    used = _read("used", jsontext.as_integer)
    data = _text("data")


class OptionView(View):
    """A choice that a permission offers (tool-calls)."""

    option_id = _text("optionId")
    name = _text("name")
    kind = _text("kind")


class _Subject(View):
    """The subject of a permission of draft 2."""

    tool_call = _read("toolCall", ToolCallView)


class ParamsView(_Terminal, FileView):
    """The parameters of a request or a notification of any method."""

    session_id = _text("sessionId")
    update = _read("update", UpdateView)
    prompt = _any("prompt")
    cwd = _text("cwd")
    content = _text("content")
    args = _any("args")
    tool_call = _read("toolCall", ToolCallView)
    title = _text("title")  #: of a permission, draft 2
    subject = _read("subject", _Subject)
    options = _views("options", OptionView)

    @property
    def asked_about(self) -> ToolCallView:
        """The tool call that a permission is about; draft 2 names it in its subject."""
        return self.tool_call if self.tool_call.members else self.subject.tool_call


class UsageView(View):
    """The tokens of a turn (RFD end-turn-token-usage)."""

    total = _read("totalTokens", jsontext.as_integer)
    input = _read("inputTokens", jsontext.as_integer)
    output = _read("outputTokens", jsontext.as_integer)
    thought = _read("thoughtTokens", jsontext.as_integer)
    cached_read = _read("cachedReadTokens", jsontext.as_integer)
    cached_write = _read("cachedWriteTokens", jsontext.as_integer)


class OutcomeView(View):
    """How a permission was answered (tool-calls)."""

    outcome = _text("outcome")
    option_id = _text("optionId")


class ResultView(_Terminal):
    """The result of a request of any method."""

    session_id = _text("sessionId")
    stop_reason = _text("stopReason")
    usage = _read("usage", UsageView)
    meta = _read("_meta", as_object)
    outcome = _read("outcome", OutcomeView)


def part(frame: bytes, key: str) -> dict[str, Any]:
    """Return the object under `params`, `result` or `error` in a frame's text; empty if it is missing."""
    return as_object(jsontext.object_in(frame).get(key))


def params_in(frame: bytes) -> ParamsView:
    """Return the parameters in a frame's text."""
    return ParamsView(part(frame, "params"))


def update_in(frame: bytes) -> UpdateView:
    """Return the update in a frame's text."""
    return UpdateView(part(frame, "params").get("update"))


class _Audience(msgspec.Struct, gc=False):
    audience: list[str] | None = None


class _Text(msgspec.Struct, gc=False):
    text: str
    type: str | None = None
    annotations: _Audience | None = None


class TextUpdate(msgspec.Struct, gc=False):
    """An update whose content is one block with a text, and the id of its message, or None."""

    content: _Text
    messageId: str | None = None  # noqa: N815  (the protocol's name)


class _TextParams(msgspec.Struct, gc=False):
    update: TextUpdate


class _TextFrame(msgspec.Struct, gc=False):
    params: _TextParams


_text_frame = msgspec.json.Decoder(_TextFrame).decode


def text_update(frame: bytes) -> TextUpdate | None:
    """Return the update in a frame; None if its content is not one block with a text.

    The kind of the update is not checked: `Frame.update` has it.
    """
    if jsontext.is_too_deep(frame):
        return None
    try:
        return _text_frame(frame).params.update
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):  # a lone surrogate, or another type
        update = update_in(frame)
        block = BlockView(update.content)
        if block.text is None:
            return None
        audience = _Audience(block.annotations.audience)
        return TextUpdate(_Text(block.text, block.type, audience), update.message_id)
