"""Details of requests: what is gone is told from `semantic` on, another value from `content` on."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.result import Comparison
from tests.compare.conversation import (
    Named,
    asks,
    base,
    changed,
    codes,
    compared,
    file,
    instead,
    prompts,
    put,
)
from tests.reading.talk import reply

_TEXT = {"type": "content", "content": {"type": "text", "text": "Edit it?"}}
_DIFF = {"type": "diff", "path": "/w/a.txt", "newText": "x"}
_CALL = {
    "toolCallId": "c2",
    "title": "Edit a.txt",
    "rawInput": {"path": "/w/a.txt"},
    "content": [_TEXT, _DIFF],
}
_ENV = [{"name": "TERM", "value": "dumb"}, {"name": "HOME", "value": "/w/home"}]
_SHELL = {"command": "ls", "args": [], "cwd": "/w", "env": _ENV, "outputByteLimit": 100}
_FORM = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object"}}


def _told(
    method: str, was: dict[str, Any], now: dict[str, Any], match: Match = "semantic", *masks: str
) -> Comparison:
    """What differs if one request is asked with other parameters."""
    files = []
    for params in (was, now):
        named: Named = put("found", asks(9, method, **params), reply(9))(base())
        files.append(file(named))
    return compared(files[0], files[1], match, masks)


def _permission(**changes: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    return ("session/request_permission", {"toolCall": _CALL}, {"toolCall": {**_CALL, **changes}})


_LOST = [
    (_permission(rawInput=None, title=""), "raw input and a title"),
    (_permission(rawInput={}), "raw input"),
    (_permission(title="undefined"), "a title"),
    (_permission(content=[_TEXT]), "a diff in its content"),
    (
        _permission(content=[{**_TEXT, "content": {"type": "text", "text": " "}}, _DIFF]),
        "text in its content",
    ),
    (("fs/write_text_file", {"path": "a", "content": "x"}, {"path": "a", "content": ""}), "content"),
    (
        ("elicitation/create", _FORM, {**_FORM, "message": "", "requestedSchema": {}}),
        "a message and requestedSchema",
    ),
]


@pytest.mark.parametrize(("asked", "what"), _LOST, ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_gone_is_told(asked: tuple[str, Any, Any], what: str) -> None:
    """Once, with all that is gone; that it came is told by nothing but `content`."""
    method, was, now = asked
    (found,) = _told(method, was, now).failing
    assert (found.code, found.message) == ("content-lost", f"{method} no longer has {what}")
    assert codes(_told(method, was, now, "content")) == ["content-lost"]
    assert not codes(_told(method, now, was))
    assert codes(_told(method, now, was, "content")) == ["content-differs"]


_OTHER = [
    _permission(rawInput={"path": "/w/b.txt"}, title="Edit b.txt"),
    _permission(title="Change a.txt"),
    _permission(content=[_TEXT, {**_DIFF, "newText": "y"}]),
    ("fs/write_text_file", {"path": "a", "content": "x"}, {"path": "a", "content": "y"}),
    ("fs/read_text_file", {"path": "a"}, {"path": "a", "line": 7}),
    ("elicitation/create", _FORM, {**_FORM, "message": "Who?"}),
]


@pytest.mark.parametrize("asked", _OTHER)
def test_another_value_is_told_by_content(asked: tuple[str, Any, Any]) -> None:
    """And by nothing before it."""
    assert not codes(_told(*asked))
    assert codes(_told(*asked, "content")) == ["content-differs"]


@pytest.mark.parametrize(
    "change",
    [
        {"cwd": "/etc"},
        {"cwd": None},
        {"env": _ENV[:1]},
        {"env": [*_ENV, {"name": "LD_PRELOAD", "value": "x.so"}]},
        {"env": [{"name": "TERM", "value": "xterm"}, _ENV[1]]},
        {"outputByteLimit": 50},
    ],
)
def test_what_no_model_decides_on_is_told_at_semantic(change: dict[str, Any]) -> None:
    """The directory, environment and limit of a terminal."""
    asked = "terminal/create", _SHELL, {**_SHELL, **change}
    assert codes(_told(*asked)) == codes(_told(*asked, "content")) == ["request-params"]


def test_what_is_no_difference() -> None:
    """The order of variables; what is null in place of missing; other content where another file is edited."""
    same = {**_SHELL, "env": _ENV[::-1]}
    assert not codes(_told("terminal/create", _SHELL, same, "content"))
    assert not codes(_told("fs/read_text_file", {"path": "a"}, {"path": "a", "line": None}, "content"))
    assert not codes(_told(*_permission(rawInput={"path": "/w/b"}, title="Write b", content=[])))


def test_a_prompt_is_compared_by_content() -> None:
    """Between two clients, and behind `mock`."""
    edit = instead("prompt 1", prompts(3, "something else"))
    assert not codes(changed(edit))
    assert codes(changed(edit, "content")) == ["content-differs"]


def test_the_mask_that_is_proposed_hides_the_value() -> None:
    """And is used then."""
    edit = instead("prompt 1", prompts(3, "something else"))
    (found,) = changed(edit, "content").failing
    assert found.mask == "/params/prompt/*/text:string"
    assert not codes(changed(edit, "content", [found.mask]))


def test_a_mask_hides_values_of_an_environment() -> None:
    """A port, say; a variable that is new is told all the same."""
    ports = [[*_ENV, {"name": "PORT", "value": port}] for port in ("4711", "4712")]
    was, now = ({**_SHELL, "env": env} for env in ports)
    assert codes(_told("terminal/create", was, now)) == ["request-params"]
    assert not codes(_told("terminal/create", was, now, "semantic", "/params/env"))
    assert codes(_told("terminal/create", _SHELL, now, "semantic", "/params/env")) == ["request-params"]
