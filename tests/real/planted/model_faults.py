"""Faults in what an agent tells its model: the table, and what is done to the body of a request. Pure.

Written for the forms of four providers by hand, apart from what acp-trace reads them with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Body = dict[str, Any]
#: The new body. `call`: how many there were before it.
BodyEdit = Callable[[Body, int], None]


class ModelFault(NamedTuple):
    """One fault; `codes` as those of a `Fault`. `calls`: how often each request is made."""

    name: str
    codes: str
    edit: BodyEdit
    calls: int = 1
    left_out: str = ""


_LISTS = ("messages", "input", "contents")
_OWN = ("assistant", "model")


def _messages(body: Body) -> list[Any]:
    for name in _LISTS:
        if isinstance(body.get(name), list):
            return body[name]  # type: ignore[no-any-return]
    return []


def _parts(message: Any) -> list[Any]:
    """The parts of a message, if it has some."""
    found = message.get("content", message.get("parts")) if isinstance(message, dict) else None
    return found if isinstance(found, list) else []


def _results(body: Body) -> Iterator[tuple[Any, str]]:
    """Where the results of tools stand: what holds one, and under which name."""
    for message in _messages(body):
        if message.get("role") == "tool":
            yield message, "content"
        elif str(message.get("type", "")).endswith("_call_output"):
            yield message, "output"
        for part in _parts(message):
            if isinstance(part, dict) and part.get("type") == "tool_result":
                yield part, "content"
            elif isinstance(part, dict) and isinstance(part.get("functionResponse"), dict):
                yield part["functionResponse"], "response"


def _strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_strings(each, change) for each in value]
    if isinstance(value, dict):
        return {key: each if key == "type" else _strings(each, change) for key, each in value.items()}
    return value


def _in_results(change: Callable[[str], str], most: int | None = None) -> BodyEdit:
    def edit(body: Body, _call: int) -> None:
        for holder, name in [*_results(body)][:most]:
            holder[name] = _strings(holder[name], change)

    return edit


def _without(is_gone: Callable[[Any], bool], most: int | None = None) -> BodyEdit:
    """Messages, or parts of some, are not told."""

    def edit(body: Body, _call: int) -> None:
        left = most

        def keep(value: Any) -> bool:
            nonlocal left
            if left == 0 or not is_gone(value):
                return True
            left = left - 1 if left is not None else None
            return False

        messages = _messages(body)
        messages[:] = [message for message in messages if keep(message)]
        for message in messages:
            parts = _parts(message)
            parts[:] = [part for part in parts if keep(part)]
        messages[:] = [
            message
            for message in messages
            if _parts(message) or message.get("content", message.get("parts")) != []
        ]

    return edit


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and (
        value.get("role") == "tool"
        or str(value.get("type", "")).endswith("_call_output")
        or value.get("type") == "tool_result"
        or "functionResponse" in value
    )


def _is_answer(value: Any) -> bool:
    """What the model said, without the calls of tools."""
    return (
        isinstance(value, dict)
        and value.get("role") in _OWN
        and not value.get("tool_calls")
        and not any(
            "functionCall" in part or part.get("type") == "tool_use"
            for part in _parts(value)
            if isinstance(part, dict)
        )
    )


def _users(body: Body) -> list[Any]:
    """The messages of the user, from the last on, that hold no result of a tool."""
    return [
        message
        for message in reversed(_messages(body))
        if message.get("role") == "user" and not any(map(_is_result, _parts(message)))
    ]


def _text_parts(message: Any) -> list[Any]:
    return [part for part in _parts(message) if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _last_words(change: Callable[[str], str]) -> BodyEdit:
    """The words of the user that were said last."""

    def edit(body: Body, _call: int) -> None:
        for message in _users(body)[:1]:
            if isinstance(message.get("content"), str):
                message["content"] = change(message["content"])
            for part in _text_parts(message)[-1:]:
                part["text"] = change(part["text"])

    return edit


def _in_answers(change: Callable[[str], str]) -> BodyEdit:
    def edit(body: Body, _call: int) -> None:
        for message in filter(_is_answer, _messages(body)):
            if isinstance(message.get("content"), str):
                message["content"] = change(message["content"])
            for part in _text_parts(message):
                part["text"] = change(part["text"])

    return edit


def _half(text: str) -> str:
    return text[: len(text) // 2] if len(text) > 8 else text


def _other_word(text: str) -> str:
    return text.replace("milk", "silk").replace("Eggs", "Oggs")


def _system(change: Callable[[Any], Any]) -> BodyEdit:
    def edit(body: Body, _call: int) -> None:
        for name in ("system", "instructions", "systemInstruction", "system_instruction"):
            if body.get(name):
                body[name] = _strings(body[name], change)
                return
        for message in _messages(body)[:1]:
            if message.get("role") in ("system", "developer"):
                for name in ("content", "parts"):
                    if name in message:
                        message[name] = _strings(message[name], change)

    return edit


def _tools(body: Body) -> list[Any]:
    tools = body.get("tools") or []
    declared = tools[0].get("functionDeclarations") if tools and isinstance(tools[0], dict) else None
    return declared if isinstance(declared, list) else tools


def _tool(change: Callable[[Any], None]) -> BodyEdit:
    def edit(body: Body, _call: int) -> None:
        for tool in _tools(body)[:1]:
            change(tool.get("function", tool))

    return edit


def _drop_tool(body: Body, _call: int) -> None:
    del _tools(body)[:1]


def _param(*names: str, value: Any) -> BodyEdit:
    def edit(body: Body, _call: int) -> None:
        for holder in (body, body.get("generationConfig")):
            for name in names:
                if isinstance(holder, dict) and name in holder:
                    holder[name] = value

    return edit


def _hotter(body: Body, _call: int) -> None:
    holder = body.get("generationConfig", body)
    holder["temperature"] = 0.123


def _swapped_results(body: Body, _call: int) -> None:
    found = [*_results(body)]
    if len(found) > 1:
        (one, one_name), (other, other_name) = found[0], found[-1]
        one[one_name], other[other_name] = other[other_name], one[one_name]


def _nothing(_body: Body, _call: int) -> None:
    pass


MODEL_FAULTS = [
    ModelFault("all tool results are empty", "model-result-lost", _in_results(lambda _: "")),
    ModelFault("the first tool result is empty", "model-result-lost", _in_results(lambda _: "", 1)),
    ModelFault("tool results are cut in half", "model-result-lost", _in_results(_half)),
    ModelFault("words in tool results are replaced", "model-result-changed model-result-differs", _in_results(_other_word)),
    ModelFault("all tool results are missing", "model-result-lost model-call-extra", _without(_is_result)),
    ModelFault("the first tool result is missing", "model-result-lost model-call-extra", _without(_is_result, 1)),
    ModelFault("two tool results are swapped", "model-result-changed model-result-differs model-result-lost", _swapped_results, left_out="both reach the model, and calls that run at the same time end in any order"),
    ModelFault("a remark is added to each tool result", "model-result-changed model-result-differs", _in_results(lambda text: f"{text}\n(planted)" if text else text)),
    ModelFault("the user's last message is empty", "model-text-lost model-call-extra model-unserved", _last_words(lambda _: "")),
    ModelFault("the user's last message is cut in half", "model-text-lost model-call-extra model-unserved", _last_words(_half)),
    ModelFault("letters in the user's last message are replaced", "model-text-lost model-call-extra model-unserved", _last_words(lambda text: text.replace("e", "3"))),
    ModelFault("all earlier answers of the model are missing", "model-history-lost model-call-extra", _without(_is_answer)),
    ModelFault("the first earlier answer of the model is missing", "model-history-lost model-call-extra", _without(_is_answer, 1)),
    ModelFault("earlier answers of the model are cut in half", "model-history-lost model-call-extra", _in_answers(_half)),
    ModelFault("words in earlier answers of the model are replaced", "model-history-lost model-call-extra", _in_answers(lambda text: text.replace("I ", "We "))),
    ModelFault("the model gets only the last message", "model-history-lost model-text-lost model-result-lost model-call-extra", lambda body, _: _messages(body).__delitem__(slice(0, -1))),
    ModelFault("another system prompt", "model-prompt-changed", _system(lambda text: f"{text}\nplanted")),
    ModelFault("the system prompt is empty", "model-prompt-changed", _system(lambda _: "")),
    ModelFault("the first tool is not offered", "model-tools-changed", _drop_tool),
    ModelFault("a tool has another name", "model-tools-changed", _tool(lambda tool: tool.update(name="planted"))),
    ModelFault("a tool has another description", "model-tools-changed", _tool(lambda tool: tool.update(description="planted"))),
    ModelFault("another model is requested", "model-params-changed", _param("model", value="planted")),
    ModelFault("another temperature", "model-params-changed", _hotter),
    ModelFault("a lower limit for output tokens", "model-params-changed", _param("max_tokens", "max_output_tokens", "maxOutputTokens", "max_completion_tokens", value=7)),
    ModelFault("each model call is made twice", "model-call-extra", _nothing, calls=2),
    ModelFault("the fourth model call is not made", "model-call-missing", _nothing, calls=0),
]  # fmt: skip
