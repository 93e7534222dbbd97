"""Configuration and metadata of a session: what they come to, and by which steps.

Config: each option by itself, with who changed it; that a set was answered by an update and then by its
response, or the other way round, makes no difference. Metadata: whether each field was set, cleared or
never sent; texts and times are not compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from acp_trace.analyze import facts
from acp_trace.compare import pointers
from acp_trace.compare.collector import Collector, Value
from acp_trace.compare.normalizer import Normalizer
from acp_trace.compare.pointers import NOTHING, Path
from acp_trace.compare.sessions import Both
from acp_trace.compare.story import Story
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import value_or_none

_MODE = "legacy mode"
_IGNORED = "not honoured:"
_COMPARED = ("added", "removed", "value", "choices", "order")  #: details are names and descriptions


class _Step(NamedTuple):
    """One change of an option. `cause`: setup, set or agent; `value`: where it stands, and what it is."""

    cause: str
    change: str
    value: Value


@dataclass(slots=True)
class _Ledger:
    """What became of one session."""

    options: dict[str, list[_Step]] = field(default_factory=lambda: defaultdict(list))
    final: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, int] = field(default_factory=dict)  #: the frame that named a field last, by its path
    present: set[str] = field(default_factory=set)  #: the fields that have a value at the end


def compare(found: Collector, sessions: Iterable[Both]) -> None:
    """Compares both ledgers of every session."""
    ours, theirs = (_ledgers(story) for story in (found.expected, found.actual))
    for one, other in sessions:
        was, now = ours.get(one.id, _Ledger()), theirs.get(other.id, _Ledger())
        for option in dict.fromkeys([*was.options, *now.options]):
            _option(found, one.id, option, was, now)
        for path in dict.fromkeys([*was.metadata, *now.metadata]):
            _field(found, one.id, path, was, now)


def _option(found: Collector, session_id: str, option: str, was: _Ledger, now: _Ledger) -> None:
    steps, its = was.options.get(option, []), now.options.get(option, [])
    here, there = (side[-1].value if side else Value(None, ()) for side in (steps, its))
    name = option if " " in option else f"option {option}"
    whole = found.expected.whole and found.actual.whole
    if whole and option in was.final and option not in now.final:
        found.say("option-missing", session_id, f"{name} vanished", here.frame, there.frame,
                  was=pointers.shown(was.final[option]), now="no such option")  # fmt: skip
    elif whole and option in now.final and not steps:
        found.say("option-new", session_id, f"{name} is new", None, there.frame,
                  was="no such option", now=pointers.shown(now.final[option]))  # fmt: skip
    elif whole and (option in was.final or option in now.final):
        ends = (
            Value(last.frame, last.path, ledger.final.get(option, NOTHING))
            for last, ledger in ((here, was), (there, now))
        )
        if found.same("config-final", session_id, f"{name} at the end", *ends):
            _timeline(found, session_id, name, steps, its)
    else:
        _timeline(found, session_id, name, steps, its)


def _timeline(found: Collector, session_id: str, name: str, was: list[_Step], now: list[_Step]) -> None:
    ours, theirs = (
        [_told(step, found.expected_normalizer) for step in was],
        [_told(step, found.actual_normalizer) for step in now],
    )
    at = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        if len(ours) == len(theirs) or not (
            found.expected.whole if len(ours) < len(theirs) else found.actual.whole
        ):
            return
        at = min(len(ours), len(theirs))
    step, its = (side[at] if at < len(side) else None for side in (was, now))
    if step is not None and its is not None and step[:2] == its[:2]:
        found.same("config-timeline", session_id, name, step.value, its.value)
        return
    frames = (None if one is None else one.value.frame for one in (step, its))
    before, after = ("no change" if one is None else _words(one) for one in (step, its))
    found.say("config-timeline", session_id, f"{name}: {before}, now {after}", *frames, was=before, now=after)


def _told(step: _Step, normalizer: Normalizer) -> tuple[str, str, str]:
    value = "" if step.value.value is NOTHING else normalizer.text(step.value.value, step.value.path)
    return step.cause, step.change, value


def _words(step: _Step) -> str:
    by = {"setup": "on opening", "set": "by the client", "agent": "by the agent"}[step.cause]
    what = "" if step.change == "value" else f"{step.change} "
    return f"{what}{pointers.shown(step.value.value)} {by}"


def _field(found: Collector, session_id: str, path: str, was: _Ledger, now: _Ledger) -> None:
    sent, its = was.metadata.get(path), now.metadata.get(path)
    before, after = _state(path, was), _state(path, now)
    if before == after:
        return
    if after == "set":
        code, seen = "metadata-set", found.expected.whole
    elif after == "cleared":
        code, seen = "metadata-cleared", found.expected.whole and found.actual.whole
    else:
        code, seen = "title-never-set" if path == "/title" else "metadata-never-set", found.actual.whole
    if seen:
        told = f"{path[1:]} {_BEFORE[before]} and {_NOW[after]}"
        found.say(code, session_id, told, sent, its, was=before, now=after)


_BEFORE = {"never sent": "was never sent", "set": "was set", "cleared": "was cleared"}
_NOW = {"never sent": "is not sent now", "set": "is set now", "cleared": "is cleared now"}


def _state(path: str, ledger: _Ledger) -> str:
    if path not in ledger.metadata:
        return "never sent"
    return "set" if path in ledger.present else "cleared"


# -- facts -> ledgers


def _ledgers(story: Story) -> dict[str, _Ledger]:
    """The ledgers of a story, by session."""
    found: dict[str, _Ledger] = defaultdict(_Ledger)
    changes: dict[tuple[str, int, bool], list[facts.ConfigChange]] = defaultdict(list)
    for change in story.facts.config_changes:
        changes[change.session_id, change.frame, change.legacy].append(change)
    wanted: dict[tuple[str, str | None], str | None] = {}
    for entry in sorted(story.facts.config_entries, key=lambda one: one.frame):
        options = found[entry.session_id].options
        if entry.cause == "set" and entry.error_code is None:
            wanted[entry.session_id, entry.requested_id] = entry.requested_value
            if entry.honoured is False:
                value = Value(entry.frame, (), value_or_none((entry.requested_value or "").encode()))
                options[entry.requested_id or ""].append(_Step("set", _IGNORED, value))
        for change in changes.pop((entry.session_id, entry.frame, entry.legacy), ()):
            if change.change in _COMPARED:
                option = _MODE if change.legacy else change.option or "the order of options"
                options[option].append(_step(story, entry, change, wanted))
    for one in story.facts.metadata_changes:
        path = "/".join(one.path.split("/")[:3])
        found[one.session_id].metadata[path] = one.frame
    for session in story.facts.sessions:
        ledger = found[session.session_id]
        ledger.final = _object(session.config)
        if session.mode is not None:
            ledger.final[_MODE] = session.mode
        ledger.present = {f"/_meta/{json_pointer.written((key,))[1:]}" for key in _object(session.meta)}
        ledger.present |= {"/title"} if session.title is not None else set()
        ledger.present |= {"/updatedAt"} if session.updated_at is not None else set()
    return found


def _step(
    story: Story,
    entry: facts.ConfigEntry,
    change: facts.ConfigChange,
    wanted: dict[tuple[str, str | None], str | None],
) -> _Step:
    """One change; where the client asked for the value, it is the client's, whatever carried it."""
    asked = entry.cause == "agent" and change.after is not None
    if asked and change.after in [wanted.get((change.session_id, one)) for one in (change.option, "mode")]:
        cause = "set"
    else:
        cause = "set" if entry.asked_frame is not None else entry.cause
    value = NOTHING if change.after is None else value_or_none(change.after.encode())
    path = next(_path(story, change), ())
    return _Step(cause, change.change, Value(change.frame, path, value))


def _path(story: Story, change: facts.ConfigChange) -> Iterator[Path]:
    """Where in its frame a new value stands."""
    message = story.message(change.frame)
    if change.legacy:
        for path in (("result", "modes", "currentModeId"), ("params", "update", "currentModeId")):
            if pointers.at(message, path) is not NOTHING:
                yield path
        return
    for root in (("result", "configOptions"), ("params", "update", "configOptions")):
        listed = pointers.at(message, root)
        for index, option in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(option, dict) and option.get("id", option.get("configId")) == change.option:
                yield (*root, str(index), "options" if change.change == "choices" else "currentValue")


def _object(text: str) -> dict[str, Any]:
    found = value_or_none(text.encode())
    return found if isinstance(found, dict) else {}
