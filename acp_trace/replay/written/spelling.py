"""A conversation as the text of a script: TOML with a comment for each part. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acp_trace.replay.written.exercises import ScriptPart
from acp_trace.replay.written.steps import After, WrittenConversation, WrittenStep
from acp_trace.trace import jsontext

_FLAGS = ("files", "terminals", "booleans", "mixed_ids")


def spelled(
    agent: Sequence[str], written: WrittenConversation, parts: Sequence[ScriptPart], cwd: str | None = None
) -> str:
    """Return the text of a script. `agent`: its command; empty for one at a URL. `parts`: the steps.

    `cwd`: the directory in which the agent was started, if one was given.
    """
    needs = "" if cwd is None else f"  # start it with --agent-cwd {_value(cwd)}"
    lines = [f"agent = {_value(list(agent))}{needs}"] if agent else []
    if written.permission is not None:
        lines.append(f"permission = {_value(written.permission)}  # or allow_once, the name of an option …")
    lines += [
        f"{name} = true" for name in ("files", "terminals", "booleans", "mixed_ids") if getattr(written, name)
    ]
    if written.elicitation is not None:
        lines.append(f"elicitation = {_value(written.elicitation)}")
    lines += ["", "steps = ["]
    for part in parts:
        lines.append(f"  # {part.title}")
        lines += [f"  {step_text(step)}," for step in part.steps]
    return "\n".join([*lines, "]", ""])


def step_text(step: WrittenStep) -> str:
    """Return a step as it is in a script: `{ prompt = "Hello", session = "main" }`."""
    words: dict[str, Any] = {step.verb: step.value, **step.beside}
    if step.session is not None:
        words["session"] = step.session
    if not step.wait:
        words["wait"] = False
    if step.after is not None:
        words["after"] = str(step.after)
    if step.verb == "pause":
        words["pause"] = str(After(ns=step.value))
    return _value(words)


def _value(value: Any) -> str:
    """Return a value in TOML, in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):  # TOML reads JSON's escapes alike; other control characters are escaped too
        return "".join(map(_printable, jsontext.string(value)))
    return jsontext.text(value).decode()


def _printable(one: str) -> str:
    return one if one.isprintable() else f"\\u{ord(one):04x}" if ord(one) < 0x10000 else f"\\U{ord(one):08x}"


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _value(key)
