"""Two readings, expected and actual -> divergences: lost content, and at `content`, changed values."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from acp_trace.compare.content import aspects, lost_words, shown
from acp_trace.compare.content.aspects import INPUT, SESSION_TITLE, TITLE, Aspect
from acp_trace.compare.content.readings import Readings, Source, of_session, openers, read, updates
from acp_trace.compare.content.shapes import is_filled
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair, Value
from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING
from acp_trace.protocol.updates import SESSION_INFO
from acp_trace.story.model import Call, SessionStory, Story, UpdateRun
from acp_trace.trace import json_pointer

_EDIT = "edit"
_MESSAGES = {
    "content-lost": "{of} no longer has {names}",
    "content-outside": "{of}: {what} outside of the session's directory",
    "choice-missing": "no longer offered: {what} {names}",
}


class _Compared(NamedTuple):
    """What is compared, with a name for people, and its frames, in case one of the two shows nothing."""

    session_id: str
    of: str
    frame: int
    actual_frame: int


def call(traces: TracePair, session_id: str, of: str, expected: Call, actual: Call) -> Divergences:
    """Compare the content of two matching tool calls that are alike in kind and statuses."""
    before, after = updates(traces.expected, expected.frames), updates(traces.actual, actual.frames)
    if not shown.are_values_compared(traces) and _is_same(traces, before, after):
        return
    was, now = read(aspects.OF_CALL, before), read(aspects.OF_CALL, after)

    def is_given(aspect: Aspect) -> bool:
        is_edit = aspect.given != "same input" and expected.kind == _EDIT
        return aspect.given == "always" or is_edit or _same_input(traces, was, now)

    compared = _Compared(session_id, of, expected.frame, actual.frame)
    reported = yield from _compare(traces, compared, aspects.OF_CALL, was, now, is_given)
    if shown.are_values_compared(traces) and reported.isdisjoint({INPUT.what, TITLE.what}):
        yield from _passing_title(traces, compared, before, after)


def _passing_title(
    traces: TracePair, compared: _Compared, expected: Sequence[Source], actual: Sequence[Source]
) -> Divergences:
    """Report the first title that was shown for a while and that the expected trace never showed.

    How complete a title is while it is still being written is chance: one may be the beginning of another.
    """
    known = dict.fromkeys(title for _, title in _titles_of(expected, traces.expected_uncounted))
    for frame, title in _titles_of(actual, traces.actual_uncounted) if known else ():
        if title in known:  # most are: comparing each with all others takes far longer
            continue
        if not any(title.startswith(each) or each.startswith(title) for each in known):
            was, now = pointers.shown_pair(next(iter(known)), title)
            message = f"{compared.of}: intermediate title {was} → {now}"
            pointer = json_pointer.written(TITLE.paths[0])
            yield traces.divergence("content-differs", compared.session_id, message, compared.frame, frame,
                                    was=was, now=now, pointer=pointer)  # fmt: skip
            return


def _titles_of(sources: Iterable[Source], normalizer: Normalizer) -> Iterator[tuple[int, str]]:
    """Yield the titles in some updates, as they are compared, with their frames."""
    path = TITLE.paths[0]
    for frame, _, message in sources:
        title = normalizer.shown(pointers.at(message, path), path)
        if isinstance(title, str) and is_filled(title):
            yield frame, title


def _is_same(traces: TracePair, expected: Sequence[Source], actual: Sequence[Source]) -> bool:
    """Whether updates of tool calls are equal except for ids, so that no shape is lost.

    Most tool calls of a run are. Reading their content would cost ten times as much.
    """
    sides = (traces.expected, expected), (traces.actual, actual)
    plain = [[_without_ids(message) for *_, message in sources] for _, sources in sides]
    texts = (story.at(frame).text for story, sources in sides for frame, *_ in sources)
    return plain[0] == plain[1] and traces.sees_alike(texts)


def _without_ids(message: Any) -> Any:
    update = pointers.at(message, ("params", "update"))
    return {**update, "toolCallId": None} if isinstance(update, dict) else update


def turn(traces: TracePair, session_id: str, expected: UpdateRun, actual: UpdateRun) -> Divergences:
    """Compare the content of the updates of one kind in a turn."""
    was = read(aspects.OF_TURN, updates(traces.expected, expected.frames))
    now = read(aspects.OF_TURN, updates(traces.actual, actual.frames))
    compared = _Compared(session_id, "the plan", expected.frame, actual.frame)
    yield from _compare(traces, compared, aspects.OF_TURN, was, now)


def sessions(traces: TracePair, pairs: Iterable[tuple[SessionStory, SessionStory]]) -> Divergences:
    """Compare what sessions offer, and their titles. If a trace has no end, the rest is unknown."""
    if not traces.actual.whole:
        return
    stories = traces.expected, traces.actual
    opened_by = [openers(story) for story in stories]
    for pair in pairs:
        was, now = (
            read(aspects.OF_SESSION, of_session(story, session, by.get(session.id, ()), aspects.OF_SESSION))
            for story, session, by in zip(stories, pair, opened_by, strict=True)
        )
        title = aspects.OF_SESSION.index(SESSION_TITLE)
        if was[title].value != now[title].value:
            was[title], now[title] = _titles(stories, pair, (was[title], now[title]))
        compared = _Compared(pair[0].id, "the session", pair[0].frame, pair[1].frame)
        yield from _compare(traces, compared, aspects.OF_SESSION, was, now)


def _titles(
    stories: tuple[Story, Story], pair: tuple[SessionStory, SessionStory], last: tuple[Value, Value]
) -> tuple[Value, Value]:
    """Return the titles of a session to compare: the last that both have in a turn, or behind the same turn.

    When an agent names a session outside its turns is chance, and clients do not wait for a title at the end.
    """
    titles = [_titles_by_place(*side) for side in zip(stories, pair, strict=True)]
    common = {None} | (titles[0].keys() & titles[1].keys())
    left = [[title for place, title in each.items() if place in common] for each in titles]
    if all(left):
        return left[0][-1], left[1][-1]
    behind_all = [list(each)[-1:] == [len(session.turns)] for each, session in zip(titles, pair, strict=True)]
    nothing = Value(None, SESSION_TITLE.paths[0])
    return last if behind_all[0] == behind_all[1] else (nothing, nothing)


def _titles_by_place(story: Story, session: SessionStory) -> dict[int | None, Value]:
    """Return the last title at each place, in order: behind a number of turns, or None: in a turn."""
    titles: dict[int | None, Value] = {}
    run = session.states.get(SESSION_INFO)
    for frame in () if run is None else run.frames:
        (title,) = read((SESSION_TITLE,), updates(story, (frame,)))
        if title.value is not NOTHING:
            begun = [turn for turn in session.turns if turn.frame < frame]
            is_over = all(turn.settled_frame is not None and turn.settled_frame < frame for turn in begun)
            place = len(begun) if is_over else None
            titles.pop(place, None)
            titles[place] = title
    return titles


def _same_input(traces: TracePair, was: Readings, now: Readings) -> bool:
    """Whether two tool calls had the same input; if no input is shown, the title decides."""
    at = aspects.OF_CALL.index(INPUT)
    if not is_filled(was[at].value) and not is_filled(now[at].value):
        at = aspects.OF_CALL.index(TITLE)
    values = (
        traces.expected_uncounted.shown(was[at].value, was[at].path),
        traces.actual_uncounted.shown(now[at].value, now[at].path),
    )
    return pointers.same(*values)


def _compare(
    traces: TracePair,
    compared: _Compared,
    rows: Sequence[Aspect],
    was: Readings,
    now: Readings,
    is_given: Callable[[Aspect], bool] = lambda _: True,
) -> Generator[Divergence, None, set[str]]:
    """Compare row by row; return the aspects with a divergence, which must not be reported twice.

    `is_given`: whether the shape of a row is compared; only called if the row lost something.
    """
    reported: set[str] = set()
    pairs = [_pair(*row) for row in zip(rows, was, now, strict=True)]
    for aspect, pair in zip(rows, pairs, strict=True):
        names = [] if aspect.what in reported else _lost(traces, aspect, *pair)
        if names and is_given(aspect):
            yield _lost_divergence(traces, compared, aspect, *pair, names)
            reported.add(aspect.what)
    if not shown.are_values_compared(traces):
        return reported
    for aspect, (value, actual_value) in zip(rows, pairs, strict=True):
        if not aspect.value or not reported.isdisjoint({aspect.what, aspect.repeats}):
            continue
        if aspect.elsewhere and NOTHING in (value.value, actual_value.value):
            continue
        if not (is_filled(value.value) or is_filled(actual_value.value)):
            continue  # `[]` shows as much as NOTHING
        sides = _placed(value, compared.frame), _placed(actual_value, compared.actual_frame)
        what = f"{compared.of}: {aspect.what}"
        other = shown.difference(
            traces, compared.session_id, what, *sides, keyed=aspect.keyed, figures=aspect.figures
        )
        if other:
            yield other
            reported.add(aspect.what)
            if aspect is INPUT:  # everything else follows from it
                break
    return reported


def _pair(aspect: Aspect, was: Value, now: Value) -> tuple[Value, Value]:
    """Return two values as far as they can be compared."""
    if not aspect.common or NOTHING in (was.value, now.value):
        return was, now
    both = set(was.value) & set(now.value)
    before, after = (Value(each.frame, each.path, _kept(each.value, both)) for each in (was, now))
    return before, after


def _kept(value: Any, names: set[str]) -> Any:
    """Return the members of an object, or the items of a list, with these names."""
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if key in names}
    return [name for name in value if name in names]


def _lost(traces: TracePair, aspect: Aspect, was: Value, now: Value) -> list[str]:
    """Return what is gone of a shape."""
    if aspect.shape is None or was.value is NOTHING or (aspect.elsewhere and now.value is NOTHING):
        return []
    there = aspect.shape(was.value, traces.expected_uncounted.path)
    still = [] if now.value is NOTHING else aspect.shape(now.value, traces.actual_uncounted.path)
    return [name for name in there if name not in still]


def _lost_divergence(
    traces: TracePair, compared: _Compared, aspect: Aspect, was: Value, now: Value, names: Sequence[str]
) -> Divergence:
    offered = ", ".join(names)
    what = f"{aspect.what}s" if aspect.keyed and len(names) > 1 else aspect.what
    message = (aspect.message or _MESSAGES[aspect.code]).format(
        of=compared.of, what=what, names=offered if aspect.keyed else lost_words.listed(names)
    )
    shown_now = "nothing" if now.value is NOTHING else aspect.words(now.value)
    return traces.divergence(
        aspect.code,
        compared.session_id,
        message,
        was.frame,
        now.frame if now.frame is not None else compared.actual_frame,
        was=offered if aspect.keyed else aspect.words(was.value),
        now="not offered" if aspect.keyed else shown_now,
        pointer=json_pointer.written(was.path),
        about=aspect.what,
    )


def _placed(value: Value, frame: int) -> Value:
    return value if value.frame is not None else Value(frame, value.path, value.value)
