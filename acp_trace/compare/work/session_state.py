"""Configuration and metadata of a session: the final state, and the steps to it.

Config: each option by itself, with who changed it; whether the answer to a config change or its update comes
first does not matter. Metadata: whether each field was set, cleared or never sent; texts and times are not
compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp_trace.analyze import facts, options
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.result import Divergences
from acp_trace.compare.trace_pair import TracePair, Value
from acp_trace.compare.work import config_steps
from acp_trace.compare.work.config_steps import NOT_APPLIED, ConfigStep
from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.story.model import Story
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import object_in, value_or_none

_COMPARED = ("added", "removed", "value", "choices", "order")  #: details are names and descriptions


#: The client's last request, by session and option: the value, and whether it is a legacy mode.
_Wanted = dict[tuple[str, str | None], tuple[str | None, bool, int | None]]


@dataclass(slots=True)
class _Ledger:
    """The changes of one session."""

    options: dict[str, list[ConfigStep]] = field(default_factory=lambda: defaultdict(list))
    final: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, int] = field(default_factory=dict)  #: the frame that named a field last, by its path
    present: set[str] = field(default_factory=set)  #: the fields that have a value at the end


def compare(traces: TracePair, pairing: Pairing) -> Divergences:
    """Compare both ledgers of every session."""
    ledgers, actual_ledgers = (_ledgers(story) for story in (traces.expected, traces.actual))
    for session, actual_session in pairing.sessions:
        expected = ledgers.get(session.id, _Ledger())
        actual = actual_ledgers.get(actual_session.id, _Ledger())
        for option in dict.fromkeys([*expected.options, *actual.options]):
            yield from _option(traces, pairing, session.id, option, expected, actual)
        for path in dict.fromkeys([*expected.metadata, *actual.metadata]):
            yield from _field(traces, session.id, path, expected, actual)


def _option(
    traces: TracePair,
    pairing: Pairing,
    session_id: str,
    option: str,
    expected: _Ledger,
    actual: _Ledger,
) -> Divergences:
    steps, actual_steps = expected.options.get(option, []), actual.options.get(option, [])
    last, actual_last = (side[-1].value if side else Value(None, ()) for side in (steps, actual_steps))
    name = config_steps.name(option)
    whole = traces.expected.whole and traces.actual.whole
    if whole and option in expected.final and option not in actual.final:
        message, was = f"{name} is no longer listed at the end", pointers.shown(expected.final[option])
        if steps and not actual_steps:
            message, last = config_steps.unlisted(option, steps[0]), steps[0].value
        yield traces.divergence("option-missing", session_id, message, last.frame, actual_last.frame, was=was,
                                now="no such option", about=option)  # fmt: skip
    elif whole and option in actual.final and not steps:
        yield traces.divergence("option-new", session_id, f"{name} is new", None, actual_last.frame,
                                was="no such option", now=pointers.shown(actual.final[option]))  # fmt: skip
    elif _is_asked_otherwise(pairing, steps[-1:], actual_steps[-1:]):
        # its value at the end follows from that request, but not the values before it
        yield from _timeline(traces, pairing, session_id, option, steps, actual_steps)
    elif whole and (option in expected.final or option in actual.final):
        ends = (
            Value(value.frame, value.path, ledger.final.get(option, NOTHING))
            for value, ledger in ((last, expected), (actual_last, actual))
        )
        refused = next((step for step in reversed(actual_steps) if step.change == NOT_APPLIED), None)
        why = "" if refused is None or refused in steps else f"{config_steps.phrase(option, None, refused)}; "
        what = f"{why}{name} at the end:"
        if other := traces.difference("config-final", session_id, what, *ends, about=option):
            yield other
        else:
            yield from _timeline(traces, pairing, session_id, option, steps, actual_steps)
    else:
        yield from _timeline(traces, pairing, session_id, option, steps, actual_steps)


def _timeline(
    traces: TracePair,
    pairing: Pairing,
    session_id: str,
    option: str,
    expected: list[ConfigStep],
    actual: list[ConfigStep],
) -> Divergences:
    normal = [_normal(step, traces.expected_normalizer) for step in expected]
    actual_normal = [_normal(step, traces.actual_normalizer) for step in actual]
    pairs = enumerate(zip(normal, actual_normal, strict=False))
    at = next((i for i, pair in pairs if pair[0] != pair[1]), None)
    if at is None:
        shorter = traces.expected if len(normal) < len(actual_normal) else traces.actual
        if len(normal) == len(actual_normal) or not shorter.whole:
            return
        at = min(len(normal), len(actual_normal))
    step, actual_step = (side[at] if at < len(side) else None for side in (expected, actual))
    if _is_asked_otherwise(pairing, expected[at : at + 1], actual[at : at + 1]):
        return
    if step is not None and step.value.frame in pairing.refused:
        return  # a refused request changes nothing: that is reported for the request
    if step is not None and actual_step is not None and step[:2] == actual_step[:2]:
        name, values = config_steps.name(option), (step.value, actual_step.value)
        if other := traces.difference("config-timeline", session_id, f"{name}:", *values, about=option):
            yield other
        return
    both = _same_set(pairing, step, actual_step)
    frames = (None if each is None else each.value.frame for each in both)
    was, now = (config_steps.words(each) for each in both)
    message = config_steps.phrase(option, *both)
    yield traces.divergence("config-timeline", session_id, message, *frames, was=was, now=now, about=option)


def _is_asked_otherwise(
    pairing: Pairing, expected: Sequence[ConfigStep], actual: Sequence[ConfigStep]
) -> bool:
    """Whether the client's request for a step is missing in the other trace, which is reported itself."""
    return any(step.asked in pairing.missing for step in expected) or any(
        step.asked in pairing.extra for step in actual
    )


def _same_set(
    pairing: Pairing, step: ConfigStep | None, actual_step: ConfigStep | None
) -> tuple[ConfigStep | None, ConfigStep | None]:
    """Return both steps; for a config change that was not applied, the same change in the other trace.

    Steps are paired by their place, and a change to the value that the option has already is not a step.
    """
    if actual_step is not None and actual_step.change == NOT_APPLIED:
        frame = pairing.counterpart(actual=actual_step.value.frame)
        return _applied(step, actual_step, frame), actual_step
    if step is not None and step.change == NOT_APPLIED:
        frame = pairing.counterpart(expected=step.value.frame)
        return step, _applied(actual_step, step, frame)
    return step, actual_step


def _applied(step: ConfigStep | None, refused: ConfigStep, frame: int | None) -> ConfigStep | None:
    """Return the step of the other trace at this frame, which answers the same config change as `refused`."""
    if frame is None or (step is not None and step.value.frame == frame):
        return step
    return ConfigStep("set", "value", Value(frame, (), refused.value.value), by_mode=refused.by_mode)


def _normal(step: ConfigStep, normalizer: Normalizer) -> tuple[str, str, str]:
    value = "" if step.value.value is NOTHING else normalizer.text(step.value.value, step.value.path)
    return step.cause, step.change, value


def _field(traces: TracePair, session_id: str, path: str, expected: _Ledger, actual: _Ledger) -> Divergences:
    was, now = _state(path, expected), _state(path, actual)
    if was == now:
        return
    if now == "set":
        code, is_certain = "metadata-set", traces.expected.whole
    elif now == "cleared":
        code, is_certain = "metadata-cleared", traces.expected.whole and traces.actual.whole
    else:
        code = "title-never-set" if path == "/title" else "metadata-never-set"
        is_certain = traces.actual.whole
    if is_certain:
        message = f"{path[1:]} is {now}; in the expected trace, it is {was}"
        frames = expected.metadata.get(path), actual.metadata.get(path)
        yield traces.divergence(code, session_id, message, *frames, was=was, now=now, about=path)


def _state(path: str, ledger: _Ledger) -> str:
    if path not in ledger.metadata:
        return "never sent"
    return "set" if path in ledger.present else "cleared"


# -- facts -> ledgers


def _ledgers(story: Story) -> dict[str, _Ledger]:
    """Return the ledgers of a story, by session."""
    ledgers: dict[str, _Ledger] = defaultdict(_Ledger)
    changes: dict[tuple[str, int, bool], list[facts.ConfigChange]] = defaultdict(list)
    for change in story.facts.config_changes:
        changes[change.session_id, change.frame, change.legacy].append(change)
    wanted: _Wanted = {}
    for entry in sorted(story.facts.config_entries, key=lambda entry: entry.frame):
        options = ledgers[entry.session_id].options
        if entry.cause == "set" and entry.error_code is None:
            wanted[entry.session_id, entry.requested_id] = (
                entry.requested_value,
                entry.legacy,
                entry.asked_frame,
            )
            if entry.honoured is False:
                options[entry.requested_id or ""].append(_not_applied(story, entry))
        for change in changes.pop((entry.session_id, entry.frame, entry.legacy), ()):
            if change.change in _COMPARED:
                option = config_steps.MODE if change.legacy else change.option or "the order of options"
                options[option].append(_step(story, entry, change, wanted))
    for field_change in story.facts.metadata_changes:
        path = "/".join(field_change.path.split("/")[:3])
        ledgers[field_change.session_id].metadata[path] = field_change.frame
    for session in story.facts.sessions:
        ledger = ledgers[session.session_id]
        ledger.final = object_in(session.config.encode())
        if session.mode is not None:
            ledger.final[config_steps.MODE] = session.mode
        meta = object_in(session.meta.encode())
        ledger.present = {f"/_meta/{json_pointer.written((key,))[1:]}" for key in meta}
        ledger.present |= {"/title"} if session.title is not None else set()
        ledger.present |= {"/updatedAt"} if session.updated_at is not None else set()
    return ledgers


def _not_applied(story: Story, entry: facts.ConfigEntry) -> ConfigStep:
    """Return the step of a config change whose answer holds another value."""
    value = Value(entry.frame, (), value_or_none((entry.requested_value or "").encode()))
    message = story.message(entry.frame)
    places = _option_places(message, entry.requested_id)
    answered = next((pointers.at(message, (*place, "currentValue")) for place in places), NOTHING)
    return ConfigStep("set", NOT_APPLIED, value, answered=answered)


def _step(
    story: Story,
    entry: facts.ConfigEntry,
    change: facts.ConfigChange,
    wanted: _Wanted,
) -> ConfigStep:
    """Return one change; if the client requested the value, it is the client's, in any message."""
    asks = [wanted.get((change.session_id, option)) for option in (change.option, "mode")]
    asked = next((ask for ask in asks if ask is not None and ask[0] == change.after), None)
    if entry.cause == "agent" and change.after is not None and asked is not None:
        cause = "set"
    else:
        cause = "set" if entry.asked_frame is not None else entry.cause
    value = NOTHING if change.after is None else value_or_none(change.after.encode())
    path = next(_path(story, change), ())
    opener = (cause == "setup" and story.at(change.frame).method) or "session/new"
    by_mode = cause == "set" and (entry.legacy if asked is None else asked[1])
    frame = entry.asked_frame if asked is None or entry.asked_frame is not None else asked[2]
    place = Value(change.frame, path, value)
    return ConfigStep(cause, change.change, place, opener, asked=frame, by_mode=by_mode)


def _path(story: Story, change: facts.ConfigChange) -> Iterator[Path]:
    """Yield the places of a new value in its frame."""
    message = story.message(change.frame)
    if change.legacy:
        for path in (("result", "modes", "currentModeId"), ("params", "update", "currentModeId")):
            if pointers.at(message, path) is not NOTHING:
                yield path
        return
    for place in _option_places(message, change.option):
        yield (*place, "options" if change.change == "choices" else "currentValue")


def _option_places(message: Any, id_: str | None) -> Iterator[Path]:
    """Yield the places of an option in a frame."""
    for root in (("result", "configOptions"), ("params", "update", "configOptions")):
        listed = pointers.at(message, root)
        for index, option in enumerate(listed if isinstance(listed, list) else ()):
            if options.id_of(option) == id_:
                yield (*root, str(index))
