"""A part of a trace's facts: one session, or what happened from some frame on."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from acp_trace.analyze.facts import ROWS, Facts, ModelCall, NetworkStream, Session, Turn
from acp_trace.report.selection import NoSuchSession, NoSuchTurn, select
from tests.analyze.findings.scenario import hello
from tests.handmade import made, trace
from tests.reading.talk import Said, answer, ask, cancel, chosen, opened, permit, prompt, stop, up, words
from tests.report import turn_story
from tests.support import facts_of

_OPTION = {
    "id": "model",
    "name": "M",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}],
}


#: What a trace says of all its sessions together.
_OF_ALL = ("last_frame_ns", "silence_from_ns", "silence_ns", "silence_frame")


def _turn(number: int, session: str) -> list[Said]:
    """Something of everything; nine frames."""
    return [
        prompt(number, session),
        up("tool_call", session, toolCallId="c", title="t", status="pending"),
        permit(number, session),
        up("session_info_update", session, title=session, _meta={"n": number}),
        cancel(session),
        chosen(number, "cancelled"),
        up("config_option_update", session, configOptions=[{**_OPTION, "name": str(number)}]),
        stop(number, "cancelled"),
        words(session),
    ]


#: Frames: 3 to 4 and 5 to 6 open two sessions, 7 to 15, 16 to 24 and 25 to 33 are turns, 34 to 35 name none, 36 is a turn that never ends.
_FRAMES = facts_of(
    *hello(),
    *opened("ses_one", configOptions=[_OPTION]),
    *opened("ses_two", configOptions=[_OPTION]),
    *_turn(1, "ses_one"),
    *_turn(2, "ses_two"),
    *_turn(3, "ses_one"),
    ask(9, "unheard/of"),
    answer(9),
    prompt(10, "ses_two"),
)
_CALLS = [
    made(ModelCall, call=1, session_id="ses_one", turn=0),
    made(ModelCall, call=2, session_id="ses_two", turn=0),
]
_STREAMS = [
    made(NetworkStream, stream=1, session_id="ses_one", frame=7, last_frame=15),
    made(NetworkStream, stream=2, session_id="ses_one", frame=8, last_frame=33),
    made(NetworkStream, stream=3, session_id="ses_two", frame=16, last_frame=36),
    made(NetworkStream, stream=4),
]
_FACTS = replace(_FRAMES, model_calls=_CALLS, streams=_STREAMS)


def _lists(found: Facts) -> dict[str, list[object]]:
    return {name: getattr(found, name) for name in ROWS}


def test_the_example_holds_something_of_everything() -> None:
    """Otherwise the other tests say little."""
    assert [name for name, rows in _lists(_FACTS).items() if not rows] == []


def test_everything_is_the_same_object() -> None:
    """Where nothing is asked for, nothing is copied."""
    assert select(_FACTS) is _FACTS


def test_one_session() -> None:
    """Only what names it; exchanges and findings of no session belong to none."""
    found = select(_FACTS, session="ses_two")
    of_all: Any = {name: getattr(_FACTS.trace, name) for name in _OF_ALL}
    assert replace(found.trace, **of_all) == _FACTS.trace
    for name, rows in _lists(found).items():
        whole = [one for one in _lists(_FACTS)[name] if getattr(one, "session_id", None) == "ses_two"]
        assert rows == whole, name
        assert rows, name
    assert [one.frame for one in found.turns] == [16, 36]


def test_from_a_frame_on() -> None:
    """Each fact by its frame, a cascade by that of its cancel."""
    found = select(_FACTS, since_frame=16)
    assert {one.frame for one in found.turns} == {16, 25, 36}
    assert [one.frame for one in found.cancellations] == [20, 29]
    assert {one.cancel_frame for one in found.cascades} == {20, 29}
    assert min(one.frame for one in found.exchanges) == 16
    for name in (
        "config_entries",
        "config_changes",
        "metadata_updates",
        "metadata_changes",
        "permissions",
        "findings",
    ):
        assert min(one.frame for one in getattr(found, name)) >= 16, name


def test_a_call_of_the_model_by_its_time() -> None:
    """It has no frame: those that began after the last request or response before that frame."""
    found = turn_story.story()
    assert [call.call for call in select(found, since_frame=16).model_calls] == [4, 5, 6]
    assert [call.call for call in select(found, since_frame=16, session="ses_4f1d20aa").model_calls] == [5, 6]
    assert [call.call for call in select(found, session="ses_4f1d20aa", turn=1).model_calls] == [5]


def test_a_stream_by_its_first_and_last_frame() -> None:
    """It is there if one of its frames may be; without frames, if all of them are wanted."""

    def streams(**wanted: Any) -> list[int]:
        return [stream.stream for stream in select(_FACTS, **wanted).streams]

    assert streams(since_frame=15) == [1, 2, 3]
    assert streams(since_frame=16) == [2, 3]
    assert streams(session="ses_one") == [1, 2]
    assert streams(session="ses_one", turn=0) == [1, 2]
    assert streams(session="ses_one", turn=1) == [2]
    assert streams() == [1, 2, 3, 4]


def test_the_frame_itself_is_in() -> None:
    """And the one before it is not."""
    assert [one.frame for one in select(_FACTS, since_frame=36).turns] == [36]
    assert select(_FACTS, since_frame=37).turns == []


def test_sessions_and_their_counts_stay_whole() -> None:
    """They are what they are at the end of the trace."""
    found = select(_FACTS, since_frame=10_000)
    assert (found.sessions, found.updates) == (_FACTS.sessions, _FACTS.updates)
    assert (found.turns, found.exchanges, found.findings) == ([], [], [])


def test_both_at_once() -> None:
    """Of one session, from a frame on."""
    found = select(_FACTS, session="ses_one", since_frame=16)
    assert [one.frame for one in found.turns] == [25]
    assert [one.session_id for one in found.sessions] == ["ses_one"]
    assert {one.session_id for one in found.exchanges} == {"ses_one"}


@pytest.mark.parametrize("text", ["ses_one", "one", "ses_o", "_one"])
def test_a_session_by_how_it_begins_or_ends(text: str) -> None:
    """If that is one session only."""
    assert [one.session_id for one in select(_FACTS, session=text).sessions] == ["ses_one"]


def test_a_whole_id_is_meant_before_a_beginning() -> None:
    """`a` where there is `ab` as well."""
    both = facts_of(*hello(), *opened("ab"), *opened("a"), *opened("ba"))
    assert [one.session_id for one in select(both, session="a").sessions] == ["a"]
    assert [one.session_id for one in select(both, session="ab").sessions] == ["ab"]


@pytest.mark.parametrize(
    ("text", "why", "candidates"),
    [
        ("ses_", "ses_ matches 2 sessions", ["ses_one", "ses_two"]),
        ("", " matches 2 sessions", ["ses_one", "ses_two"]),
        ("es_on", "there is no session es_on in this trace", ["ses_one", "ses_two"]),
        ("ses_three", "there is no session ses_three in this trace", ["ses_one", "ses_two"]),
    ],
)
def test_a_session_that_is_not_meant_clearly(text: str, why: str, candidates: list[str]) -> None:
    """One line, and the ids to choose from."""
    with pytest.raises(NoSuchSession) as raised:
        select(_FACTS, session=text)
    assert (str(raised.value), raised.value.candidates) == (why, candidates)


def test_a_trace_without_sessions_has_none_to_choose_from() -> None:
    """And at most five are named."""
    with pytest.raises(NoSuchSession) as raised:
        select(facts_of(*hello()), session="s")
    assert raised.value.candidates == []
    many = facts_of(*hello(), *[said for number in range(9) for said in opened(f"s{number}")])
    with pytest.raises(NoSuchSession) as raised:
        select(many, session="s")
    assert (str(raised.value), len(raised.value.candidates)) == ("s matches 9 sessions", 5)


def test_no_list_is_forgotten() -> None:
    """A new list of facts is selected from like the others."""
    assert {one.name for one in fields(Facts)} == {"trace", "outside", "malformed", *ROWS}
    found = _lists(select(_FACTS, session="ses_one"))
    assert all(getattr(one, "session_id", None) == "ses_one" for rows in found.values() for one in rows)


def test_one_turn_of_a_session() -> None:
    """What belongs to it, and what else happened between its prompt and its end."""
    found = select(_FACTS, session="ses_one", turn=1)
    assert [(one.turn, one.frame) for one in found.turns] == [(1, 25)]
    for name in ("tool_calls", "permissions", "metadata_updates", "config_entries", "cancellations"):
        frames = [one.frame for one in getattr(found, name)]
        assert frames, name
        assert all(25 <= frame <= 32 for frame in frames), name
    assert [one.session_id for one in found.sessions] == ["ses_one"]
    assert found.model_calls == []
    assert [one.call for one in select(_FACTS, session="ses_one", turn=0).model_calls] == [1]


def test_a_turn_that_is_not_there_or_of_no_one_session() -> None:
    """As `frames --turn` says it."""
    for session, turn in (("ses_two", 2), (None, 2), (None, 0)):
        with pytest.raises(NoSuchTurn, match=f"turn {turn}"):
            select(_FACTS, session=session, turn=turn)


def test_a_refusal_names_the_sessions_as_reports_do() -> None:
    """S1 with its title, or the end of its id; and so does that of a turn."""
    sessions = [
        made(Session, session_id=id_, title=title) for id_, title in (("aaaaaaaaaaaa", "T\x07"), ("b", None))
    ]
    found = trace("t", *sessions, made(Turn, session_id="b", turn=0, frame=3))
    with pytest.raises(NoSuchSession, match="no session S9") as raised:
        select(found, session="S9")
    assert raised.value.named == ['S1 "T\\x07"', "S2 b"]
    with pytest.raises(NoSuchTurn, match="no turn of a session S1"):
        select(found, session="S1", turn=0)
