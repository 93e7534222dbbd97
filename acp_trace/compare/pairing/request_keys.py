"""The compared parts of a request and its result: tables by method, and the keys by which requests match.

Members that are not named here do not affect matching; `details` compares more of them. Ids that a side
invents are never compared as they are (`bindings`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.protocol import methods
from acp_trace.protocol.payloads import ParamsView, first_text
from acp_trace.story.model import Request
from acp_trace.trace.jsontext import canonical, objects

#: Members of `params` by method, without which the request would be a different one.
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
#: Members of a permission's tool call that identify it. Some agents give all of them one title.
_ABOUT = ("title", "rawInput")
_LONGEST = 60  #: characters of a gist
#: The place of the tool's kind in a permission.
KIND: Path = ("params", "toolCall", "kind")
CREATE_TERMINAL = "terminal/create"
#: Requests about an existing terminal.
TERMINALS = frozenset({"terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"})
#: Requests that are repeated until something is ready: in a row they count as one.
POLLS = frozenset({"terminal/output"})


def params(method: str, given: dict[str, Any], tool_kind: str | None) -> list[tuple[Path, Any]]:
    """Return the compared parameters of a request, with their places in the frame.

    `tool_kind`: of the tool call that a permission is about, if it is known from elsewhere.
    """
    if method == methods.PERMISSION:
        return [_kind(given, tool_kind), _options(given)]
    return [(("params", key), given.get(key, NOTHING)) for key in _PARAMS.get(method, ())]


def results(request: Request) -> list[tuple[Path, Any]]:
    """Return the compared values of a result, with their places in the frame; never whole objects."""
    values = [(path, pointers.at(request.result, path)) for path in _RESULTS.get(request.method, ())]
    return [(("result", *path), value) for path, value in values if not isinstance(value, dict)]


def key(request: Request, normalizer: Normalizer) -> Hashable:
    """Return the key of a request: equal for requests with equal methods and compared parameters."""
    compared = params(request.method, request.params, request.tool_kind)
    return request.method, tuple(
        (path, "" if value is NOTHING else normalizer.text(value, path)) for path, value in compared
    )


def hint(method: str, given: dict[str, Any], normalizer: Normalizer) -> str | None:
    """Return a text that distinguishes requests with one key, although it may differ.

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
    """Return what a request asks for, for people: `/w/a.txt`, `model small`; empty if it shows nothing."""
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
    """Return the kind of the tool: from the permission, or else from the tool call."""
    kind = ParamsView(given).tool_call.kind
    kind = tool_kind if kind is None else kind
    return KIND, NOTHING if kind is None else kind


def _options(given: dict[str, Any]) -> tuple[Path, Any]:
    """Return the kinds of the options, in any order."""
    options = objects(given.get("options"))
    kinds = sorted(str(option.get("kind", option.get("name"))) for option in options)
    return ("params", "options"), kinds
