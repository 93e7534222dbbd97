"""What of a request, and of its result, is compared: tables by method, and the keys that requests match by.

What is not named here is not matched by; `details` compares more of it. Ids that a side invents are never
compared as they stand (`bindings`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.protocol import methods
from acp_trace.protocol.payloads import first_text
from acp_trace.story.model import Request
from acp_trace.trace.jsontext import canonical, objects

#: Members of `params` by method: those without which it would be a request for something else.
_PARAMS: dict[str, tuple[str, ...]] = {
    "authenticate": ("methodId",),
    "auth/login": ("methodId",),
    "session/set_mode": ("modeId",),
    "session/set_model": ("modelId",),
    "session/set_config_option": ("configId", "value"),
    "fs/read_text_file": ("path",),
    "fs/write_text_file": ("path",),
    "terminal/create": ("command", "args"),
    methods.ELICITATION: ("mode",),
    "mcp/message": ("method",),
    "providers/set": ("id",),
    "providers/disable": ("id",),
}
#: Members of `result`, as paths.
_RESULTS: dict[str, tuple[Path, ...]] = {
    methods.ELICITATION: (("action",), ("action", "action")),
    "terminal/wait_for_exit": (("exitCode",), ("signal",)),
}
#: Members of a permission's tool call that say what it is about. Some agents give all of them one title.
_ABOUT = ("title", "rawInput")
_LONGEST = 60  #: of a gist
#: Where a permission says the kind of its tool.
KIND: Path = ("params", "toolCall", "kind")
CREATE_TERMINAL = "terminal/create"
#: Requests about a terminal that was made before.
TERMINALS = frozenset({"terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"})
#: Requests that are sent again and again until something is ready: in a row they are one.
POLLS = frozenset({"terminal/output"})


def params(method: str, given: dict[str, Any], tool_kind: str | None) -> list[tuple[Path, Any]]:
    """What is compared of the parameters that a request was given, with its place in the frame.

    `tool_kind`: of the tool call that a permission is about, if it is known from elsewhere.
    """
    if method == methods.PERMISSION:
        return [_kind(given, tool_kind), _options(given)]
    return [(("params", key), given.get(key, NOTHING)) for key in _PARAMS.get(method, ())]


def results(request: Request) -> list[tuple[Path, Any]]:
    """What is compared of a result, with its place in the frame; never whole objects."""
    values = [(path, pointers.at(request.result, path)) for path in _RESULTS.get(request.method, ())]
    return [(("result", *path), value) for path, value in values if not isinstance(value, dict)]


def key(request: Request, normalizer: Normalizer) -> Hashable:
    """What two requests match by: it is equal if their method is, and what is compared of them."""
    compared = params(request.method, request.params, request.tool_kind)
    return request.method, tuple(
        (path, "" if value is NOTHING else normalizer.text(value, path)) for path, value in compared
    )


def hint(method: str, given: dict[str, Any], normalizer: Normalizer) -> str | None:
    """What tells requests with one key apart, though it may differ.

    A prompt's text, title and raw input of a permission's tool call, the session that is opened again.
    """
    if method in methods.OPENERS:
        session = given.get("sessionId")
        return session if isinstance(session, str) else None
    if method == methods.PROMPT:
        return first_text(given.get("prompt"))
    call = given.get("toolCall")
    about = {name: call[name] for name in _ABOUT if call.get(name)} if isinstance(call, dict) else {}
    return canonical(normalizer.shown(about)) if about else None


def gist(request: Request) -> str:
    """What a request asks for, for people: `/w/a.txt`, `model small`; empty if nothing tells."""
    if request.method == methods.PROMPT:
        prompt = first_text(request.params.get("prompt"))
        return "" if prompt is None else pointers.shown(prompt, _LONGEST)
    if request.method == methods.PERMISSION:
        title = pointers.at(request.params, ("toolCall", "title"))
        title = title if isinstance(title, str) else request.call and request.call.title
        values = [_kind(request.params, request.tool_kind)[1], title]
    else:
        values = [value for _, value in params(request.method, request.params, request.tool_kind)]
    words = (pointers.shown(value, _LONGEST) for value in values if value not in (NOTHING, None, [], ""))
    text = " ".join(words)
    return pointers.shown(text, _LONGEST) if text else ""


def _kind(given: dict[str, Any], tool_kind: str | None) -> tuple[Path, Any]:
    """The kind of the tool: as the permission says it, else as the tool call did."""
    kind = pointers.at(given, KIND[1:])
    return KIND, tool_kind if not isinstance(kind, str) and tool_kind is not None else kind


def _options(given: dict[str, Any]) -> tuple[Path, Any]:
    """The kinds of the options, in any order."""
    options = objects(given.get("options"))
    kinds = sorted(str(option.get("kind", option.get("name"))) for option in options)
    return ("params", "options"), kinds
