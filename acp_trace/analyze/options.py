"""A list of config options in a message -> options, their faults, and the changes.

Pure functions over JSON values. Protocol 1 and draft 2 name the same things `id`/`configId` and
`group`/`groupId`; both are read (docs/report.md, Configuration).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_trace.trace import jsontext


class Complaint(NamedTuple):
    """A fault of an option. `path`: the place, from the list of options on."""

    code: str
    option: str
    text: str
    path: str
    expected: str | None = None


_SELECT, _BOOLEAN = "select", "boolean"
_NOT_DETAILS = ("id", "configId", "currentValue", "options")
_NOTHING: Any = object()


class Option(NamedTuple):
    """One option. Values are JSON texts; `value` is None if there is no value."""

    id: str
    type: str | None
    category: str | None
    value: str | None
    choices: tuple[str, ...]  #: values, `group/value` in groups
    values: frozenset[str]  #: the same without groups, as JSON texts
    names: tuple[str | None, ...]
    details: dict[str, str]
    is_open: bool = False  #: some choices have no value: a requested value may be one of these


class OptionChange(NamedTuple):
    """A difference between two states; before and after are JSON texts, None for an absent value."""

    option: str | None
    change: str
    before: str | None
    after: str | None


State = dict[str, Option]


def read(listed: list[Any], *, booleans: bool, say: list[Complaint]) -> State:
    """Return the options in order. `booleans`: whether the client can show them. Adds complaints to `say`."""
    state: State = {}
    for at, item in enumerate(listed):
        option_id, path = id_of(item), f"/{at}"
        if option_id is None:
            text = f"an option without an id: {jsontext.short(item)}"
            say.append(Complaint("option-malformed", "", text, path, "an option with an id"))
            continue
        if option_id in state:
            text = f"option {option_id} is listed twice"
            say.append(Complaint("option-malformed", option_id, text, path))
            continue
        state[option_id] = _option(option_id, item, path, booleans=booleans, say=say)
    return state


def id_of(option: object) -> str | None:
    """Return the id of an option in a list of options; None if it has none."""
    return _named(option, "id", "configId")


def changes(before: State, after: State) -> Iterator[OptionChange]:
    """Yield the changes: removed options, then each option of the new state in order, then their order."""
    for option_id, old in before.items():
        if option_id not in after:
            yield OptionChange(option_id, "removed", old.value, None)
    for option_id, new in after.items():
        previous = before.get(option_id)
        if previous is None:
            yield OptionChange(option_id, "added", None, new.value)
        elif previous != new:
            yield from _changed(previous, new)
    kept = [option_id for option_id in before if option_id in after]
    if kept != [option_id for option_id in after if option_id in before]:
        yield OptionChange(None, "order", jsontext.string(list(before)), jsontext.string(list(after)))


def _changed(old: Option, new: Option) -> Iterator[OptionChange]:
    if old.value != new.value:
        yield OptionChange(new.id, "value", old.value, new.value)
    if old.choices != new.choices:
        yield OptionChange(new.id, "choices", jsontext.string(old.choices), jsontext.string(new.choices))
    keys = [key for key in {**old.details, **new.details} if old.details.get(key) != new.details.get(key)]
    was, is_ = _part(old.details, keys), _part(new.details, keys)
    if old.choices == new.choices and old.names != new.names:
        was["choice_names"], is_["choice_names"] = jsontext.string(old.names), jsontext.string(new.names)
    if was or is_:
        yield OptionChange(new.id, "details", _object(was), _object(is_))


def _part(details: dict[str, str], keys: list[str]) -> dict[str, str]:
    return {key: details[key] for key in keys if key in details}


def _object(texts: dict[str, str]) -> str:
    return "{" + ",".join(f"{jsontext.string(key)}:{text}" for key, text in texts.items()) + "}"


def _option(
    option_id: str, item: dict[str, Any], path: str, *, booleans: bool, say: list[Complaint]
) -> Option:
    type_, category = jsontext.string_or_none(item.get("type")), jsontext.string_or_none(item.get("category"))
    current = item.get("currentValue", _NOTHING)
    flat, grouped = _choices(item.get("options") if type_ == _SELECT else None)
    option = Option(
        option_id,
        type_,
        category,
        None if current is _NOTHING else jsontext.canonical(current),
        tuple(f"{group}/{value}" if group is not None else value for group, value, _ in flat),
        frozenset(jsontext.string(value) for _, value, _ in flat),
        tuple(name for _, _, name in flat),
        {key: jsontext.canonical(inner) for key, inner in item.items() if key not in _NOT_DETAILS},
        type_ == _SELECT and not _is_whole(item),
    )
    missing = next((key for key in ("type", "name") if not isinstance(item.get(key), str)), None)
    if missing is not None:
        text = f"option {option_id} has no {missing}"
        say.append(Complaint("option-malformed", option_id, text, f"{path}/{missing}", "a string"))
    if type_ == _BOOLEAN and not booleans:
        text = f"boolean option {option_id}, which the client has not announced"
        say.append(Complaint("option-boolean-unannounced", option_id, text, f"{path}/type"))
    if grouped == {True, False}:
        text = f"option {option_id} has choices in groups and others outside"
        say.append(Complaint("option-mixed-choices", option_id, text, f"{path}/options"))
    if (wrong := _wrong_value(option, current)) is not None:
        text = f"option {option_id} {wrong}"
        expected = "true or false" if type_ == _BOOLEAN else "one of its choices"
        say.append(Complaint("option-no-value", option_id, text, f"{path}/currentValue", expected))
    return option


def _wrong_value(option: Option, current: Any) -> str | None:
    if option.type not in (_SELECT, _BOOLEAN):
        return None  # readers ignore an option of another type
    if current is _NOTHING or current is None:
        return "has no current value"
    if option.type == _BOOLEAN and not isinstance(current, bool):
        return f"has the current value {jsontext.short(current)}, which is not a boolean"
    if option.type == _SELECT and not option.is_open and option.value not in option.values:
        return f"has the current value {jsontext.short(current)}, which is not one of its choices"
    return None


def _choices(listed: object) -> tuple[list[tuple[str | None, str, str | None]], set[bool]]:
    """Return group, value and name of each choice; and whether there are groups, flat values, or both."""
    choices: list[tuple[str | None, str, str | None]] = []
    grouped: set[bool] = set()
    for item in jsontext.objects(listed):
        if isinstance(item.get("options"), list):
            grouped.add(True)
            group = _named(item, "group", "groupId")
            choices += [
                (group, inner["value"], jsontext.string_or_none(inner.get("name")))
                for inner in jsontext.objects(item["options"])
                if group is not None and isinstance(inner.get("value"), str)
            ]
        elif isinstance(item.get("value"), str):
            grouped.add(False)
            choices.append((None, item["value"], jsontext.string_or_none(item.get("name"))))
    return choices, grouped


def _is_whole(item: dict[str, Any]) -> bool:
    """Whether each choice has a value; otherwise a requested value may be one of the missing ones."""
    listed = item.get("options")
    return not isinstance(listed, list) or all(
        isinstance(choice, dict) and ("value" in choice or isinstance(choice.get("options"), list))
        for choice in listed
    )


def _named(item: object, *keys: str) -> str | None:
    """Return the first of these members that is a string."""
    values = (jsontext.as_object(item).get(key) for key in keys)
    return next((value for value in values if isinstance(value, str)), None)
