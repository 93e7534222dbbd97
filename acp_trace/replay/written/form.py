"""A written conversation in a person's form, read and checked: a table of TOML, or of Python.

It is under `record` in `NAME.replay.toml` and in a test (docs/pytest.md, "Record once"), or is the file that
`acp-trace drive` plays (docs/drive.md). `steps` defines what the steps become; nothing is played here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args

from acp_trace.protocol import updates
from acp_trace.protocol.methods import METHODS
from acp_trace.replay.written import blocks
from acp_trace.replay.written.profiles import PROFILES, acting_as
from acp_trace.replay.written.sessions import name_of
from acp_trace.replay.written.steps import (
    COMMON,
    VERBS,
    After,
    ElicitationAction,
    Permission,
    Reading,
    WrittenConversation,
    WrittenStep,
)
from acp_trace.trace import near_misses

_MOST_UPDATES = 1_000_000
_MOST_NS = 3600 * 1_000_000_000
_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|min)")
_UNITS = {"ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
_UPDATES = re.compile(r"(\d{1,7}) updates?")
#: What a step can wait for in a turn: kinds of updates, and an agent's requests.
_KINDS = {"permission", *updates.BY_KIND, *(row.name for row in METHODS if row.handler != "agent")}
_BY = ("notification", "request")


class WrittenError(ValueError):
    """An empty or invalid conversation. The message is one line."""


def conversation(value: object) -> WrittenConversation:
    """Read a table: `{"prompts": ["Hello"], "permission": "allow_once"}`. Raises WrittenError."""
    given = _checked(value, _KEYS, "it")
    steps = [step for key in ("prompts", "steps") for step in given.pop(key, ())]
    if not steps:
        raise WrittenError('it has no prompts: add `prompts = ["…"]`, or `steps`')
    if isinstance(value, Mapping) and "prompts" in value and "steps" in value:
        raise WrittenError("it has prompts and steps: a prompt can be a step")
    profile = given.pop("as", None)
    written = WrittenConversation(tuple(_opened(steps)), **given)
    return written if profile is None else acting_as(written, profile)


def script(text: str) -> tuple[tuple[str, ...], WrittenConversation]:
    """Return the agent's command (empty if none) and the conversation of a file. Raises WrittenError."""
    try:
        given = tomllib.loads(text)
    except RecursionError:
        raise WrittenError("it is nested too deep") from None
    except ValueError as error:
        raise WrittenError(str(error).partition(";")[0]) from None
    agent = given.pop("agent", [])
    if not isinstance(agent, list) or not all(isinstance(word, str) and "\0" not in word for word in agent):
        raise WrittenError("agent must be the agent's command, a list of strings")
    return tuple(agent), conversation(given)


def _opened(steps: Sequence[WrittenStep]) -> Iterator[WrittenStep]:
    """Yield the steps, with a new session before the first step that needs one, if none is open by then."""
    is_open, names = False, set()
    for number, step in enumerate(steps, 1):
        if step.session is not None and step.session not in names:
            raise WrittenError(f"step {number}: no step before it opens session {step.session!r}")
        if VERBS[step.verb].of_session and not is_open and step.session is None:
            yield WrittenStep("new", "session")
            is_open = True
        if VERBS[step.verb].opens:
            is_open = True
            names.add(name_of(step))
        yield step


def _prompts(value: object, key: str) -> list[WrittenStep]:
    if not isinstance(value, (list, tuple)):
        raise WrittenError(f"{key} is {value!r}: it must be a list of strings, or of tables with `text`")
    return [step for each in value for step in _prompt(each)]


def _prompt(value: object) -> list[WrittenStep]:
    if isinstance(value, str):
        value = {"text": value}
    given = _checked(value, _PROMPT_KEYS, "a prompt")
    if not given.get("text"):
        raise WrittenError("a prompt has no text")
    text = given.pop("text")
    return _with_cancel(WrittenStep("prompt", text, given))


def _with_cancel(step: WrittenStep) -> list[WrittenStep]:
    """Return a prompt, and the step that cancels it, if the prompt has one."""
    after = step.beside.get("cancel_after")
    if after is None:
        return [step]
    return [step, WrittenStep("cancel", True, session=step.session, after=After(updates=after))]


def _steps(value: object, key: str) -> list[WrittenStep]:
    if not isinstance(value, (list, tuple)):
        raise WrittenError(f"{key} is {value!r}: it must be a list of tables")
    return [step for number, each in enumerate(value, 1) for step in _step(each, f"step {number}")]


def _step(value: object, what: str) -> list[WrittenStep]:
    if not isinstance(value, Mapping):
        raise WrittenError(f'{what} is {value!r}: it must be a table such as {{ prompt = "Hello" }}')
    named = [key for key in value if key in VERBS]
    if len(named) != 1:
        said = " and ".join(named) if named else _unknown(next(iter(value), ""), VERBS)
        raise WrittenError(
            f"{what} has {'two verbs, ' if named else 'no verb'}{said}: give one of {', '.join(VERBS)}"
        )
    verb = named[0]
    allowed = {verb: VERBS[verb].value, **VERBS[verb].beside, **COMMON}
    given = _checked(value, {key: (key, _READINGS[reading]) for key, reading in allowed.items()}, what)
    main = given.pop(verb)
    if main is False or main == "":
        raise WrittenError(f"{what}: {verb} is {main!r}: leave the step out, or give a value")
    if verb == "set_option" and "value" not in given:
        raise WrittenError(f"{what}: set_option needs `value`")
    if verb == "cancel" and given.get("by") == "request" and given.get("session"):
        raise WrittenError(f"{what}: $/cancel_request names a request: leave session out")
    after, wait, session = given.pop("after", None), given.pop("wait", True), given.pop("session", None)
    return _with_cancel(WrittenStep(verb, main, given, session, wait, after))


def _unknown(word: object, known: Mapping[str, object]) -> str:
    return f" ({word}{near_misses.suggestion(str(word), known, most=1)})" if word else ""


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise WrittenError(f"{key} is {value!r}: it must be a string")
    return value


def _permission(value: object, key: str) -> Permission:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) and each for each in value):
        return tuple(value)
    raise WrittenError(f"{key} is {value!r}: it must be an answer such as allow_once, or a list of answers")


def _updates(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_UPDATES:
        raise WrittenError(f"{key} is {value!r}: it must be a number of updates, from 0 on")
    return value


def _flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise WrittenError(f"{key} is {value!r}: it must be true or false")
    return value


def _time(value: object, key: str) -> int:
    """Return a time in ns."""
    found = _TIME.fullmatch(value) if isinstance(value, str) else None
    ns = round(float(found[1]) * _UNITS[found[2]]) if found else _MOST_NS + 1
    if ns > _MOST_NS:
        raise WrittenError(f"{key} is {value!r}: it must be a time up to an hour, such as 200ms or 2s")
    return ns


def _after(value: object, key: str) -> After:
    """Parse `200ms`, `3 updates`, `tool_call`, or several of these with `or`: at most one of each."""
    found: dict[str, Any] = {}
    for text in value.split(" or ") if isinstance(value, str) else [""]:
        if _TIME.fullmatch(text):
            part: dict[str, Any] = {"ns": _time(text, key)}
        elif updates := _UPDATES.fullmatch(text):
            part = {"updates": _updates(int(updates[1]), key)}
        else:
            part = {"seen": text} if text in _KINDS or text.startswith("_") else {}
        if not part or part.keys() & found.keys():
            raise WrittenError(
                f"{key} is {value!r}: it must be 200ms, 3 updates, or a kind such as tool_call"
            )
        found |= part
    return After(**found)


def _choice(choices: Sequence[str]) -> Callable[[object, str], Any]:
    def read(value: object, key: str) -> Any:
        if value not in choices:
            raise WrittenError(f"{key} is {value!r}: it must be {' or '.join(choices)}")
        return value

    return read


def _value(value: object, key: str) -> str | bool:
    if not isinstance(value, (str, bool)):
        raise WrittenError(f"{key} is {value!r}: it must be a string, or true or false")
    return value


def _json(value: object, key: str) -> Any:
    """Return a value that JSON can hold: no date, no NaN."""
    if isinstance(value, Mapping):
        return {_text(name, key): _json(each, key) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(each, key) for each in value]
    if value is None or isinstance(value, (str, int)) or (isinstance(value, float) and value - value == 0):
        return value
    raise WrittenError(f"{key} has {value!r}, which is not a JSON value")


def _texts(value: object, key: str) -> list[str]:
    if not isinstance(value, (list, tuple)):
        raise WrittenError(f"{key} is {value!r}: it must be a list of strings")
    return [_text(each, key) for each in value]


def _tables(value: object, key: str) -> list[dict[str, Any]]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(each, Mapping) for each in value):
        raise WrittenError(f"{key} is {value!r}: it must be a list of tables")
    return [_json(each, key) for each in value]


def _blocks(value: object, key: str) -> list[dict[str, Any] | str]:
    """Return content blocks: tables unchanged, or the word for a small block of that kind."""
    if not isinstance(value, (list, tuple)):
        raise WrittenError(f"{key} is {value!r}: it must be a list")
    for each in value:
        if not isinstance(each, Mapping) and each not in blocks.SAMPLES:
            raise WrittenError(f"{key} has {each!r}: it must be {', '.join(blocks.SAMPLES)}, or a table")
    return [_json(each, key) for each in value]


_Parse = Callable[[object, str], Any]
_READINGS: Mapping[Reading, _Parse] = {
    "text": _text,
    "name": _text,
    "session": _text,
    "flag": _flag,
    "time": _time,
    "permission": _permission,
    "after": _after,
    "by": _choice(_BY),
    "any": _json,
    "tables": _tables,
    "texts": _texts,
    "blocks": _blocks,
    "updates": _updates,
    "value": _value,
}
#: Possible keys, the field of each, and its reader.
_PROMPT_KEYS: dict[str, tuple[str, _Parse]] = {
    "text": ("text", _text),
    "permission": ("permission", _permission),
    "cancel_after": ("cancel_after", _updates),
    "content": ("content", _blocks),
}
_KEYS: dict[str, tuple[str, _Parse]] = {
    "prompts": ("prompts", _prompts),
    "steps": ("steps", _steps),
    "permission": ("permission", _permission),
    "files": ("files", _flag),
    "terminals": ("terminals", _flag),
    "elicitation": ("elicitation", _choice(get_args(ElicitationAction))),
    "booleans": ("booleans", _flag),
    "mixed_ids": ("mixed_ids", _flag),
    "as": ("as", _choice(tuple(PROFILES))),
}


def _checked(value: object, keys: Mapping[str, tuple[str, _Parse]], what: str) -> dict[str, Any]:
    """Return the fields of a table. Raises WrittenError."""
    if not isinstance(value, Mapping):
        raise WrittenError(f"{what} is {value!r}: it must be a table with {', '.join(keys)}")
    fields: dict[str, Any] = {}
    for key, given in value.items():
        if key not in keys:
            hint = near_misses.suggestion(str(key), keys, most=1) or f": it is not one of {', '.join(keys)}"
            raise WrittenError(f"{what} has no {key!r}{hint}")
        name, parse = keys[key]
        fields[name] = parse(given, key)
    return fields
