"""Which recorded call answers a request, and how strictly it matched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.model.matching.levels import LEVELS
from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.matching.pairing import pair_calls
from acp_trace.model.matching.shapes import MatchedCall, MissedCall
from acp_trace.normalize.moved_places import MovedPlaces
from tests.model.matching.calls import asks, body, recorded, request, tool
from tests.reentries import reentries

MOVED = MovedPlaces.of([("/home/ann", "/tmp/home"), ("/home/ann/shop", "/tmp/run/work")])
SESSION = "0b8e3f4a-1111-4222-8333-444455556666"
OTHER_SESSION = "9c1d2e3f-aaaa-4bbb-8ccc-ddddeeeeffff"


def _user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


_DATED = "<system-reminder>\nToday's date is 2026-11-26. Rely on the latest.\n</system-reminder>"
_DATED_LATER = _DATED.replace("2026-11-26", "2026-12-03")
_NUDGE = "<system-reminder>Call a tool.</system-reminder>"
_CONTEXT = "<environment_context>zsh</environment_context>"
#: What an agent adds to the user's words is at another place.
_MOVED_BLOCKS = [
    (body(_user("go"), _user(_DATED)), body(_user(_DATED_LATER), _user("go"))),
    (body(_user("go"), _user(_DATED)), body(_user("go", _DATED_LATER))),
    (body(_user("go"), _user(_DATED)), body({"role": "system", "content": "It is today."}, _user("go"))),
    (
        body(_user("go"), _user(_DATED), asks(), tool("a")),
        body(_user("go"), asks(), tool("a"), _user(_DATED)),
    ),
    (body(_user("Today's date is 2026-11-26.", "go")), body(_user("go", "Current date: 2026-12-03"))),
    (body(_user(_CONTEXT, "go")), body(_user("go", _CONTEXT))),
    (body(_user(_CONTEXT), _user("go")), body(_user("go", _CONTEXT))),
]
#: The user said something else, whatever is beside it; or the agent did.
_OTHER_WORDS = [
    (body(_user("go"), _user(_DATED)), body(_user("stop"), _user(_DATED))),
    (body(_user("go"), _user(_DATED)), body(_user(_DATED), _user("stop"))),
    (body(_user(_CONTEXT, "go")), body(_user("stop", _CONTEXT))),
    (body(_user("<a>x</a>", "go")), body(_user("go", "<a>y</a>"))),
    (body(_user("first", "then")), body(_user("then", "first"))),
    (body(_user("go")), body(_user("go"), _user(_NUDGE))),
    (body(_user(_DATED)), body(_user("go", _DATED))),
    (
        body(_user("go"), _user(_DATED), asks(), tool("a")),
        body(_user(_DATED), _user("go"), asks("other"), tool("a")),
    ),
]


def match(
    was: dict[str, Any], now: dict[str, Any], places: MovedPlaces = MOVED, **options: Any
) -> str | None:
    """The level at which a request matches a recorded one; None if it does not."""
    result = Matcher(recorded(was), places, **options).match(request(now))
    return result.level if isinstance(result, MatchedCall) else None


def test_levels_are_in_the_order_of_their_strictness() -> None:
    """The names are in the documents, and their order decides."""
    assert LEVELS == ("raw", "ids", "environment", "sorted", "output", "loose")


@pytest.mark.parametrize(
    ("level", "was", "now"),
    [
        ("raw", body("hello"), body("hello")),
        ("ids", body("hello", user=SESSION), body("hello", user=OTHER_SESSION)),
        ("ids", body(f"in {SESSION}"), body(f"in {OTHER_SESSION}")),
        ("ids", body("in ses_0a1b2c3d4e"), body("in ses_9f8e7d6c5b")),
        ("ids", body("Your ID is `code-puppy-7a5f58`."), body("Your ID is `code-puppy-0c9e1b`.")),
        ("ids", body("<function f at 0x7ff169e22ff0>"), body("<function f at 0x7f0011aa22bb>")),
        ("ids", body("x", prompt_cache_key="session-1a"), body("x", prompt_cache_key="session-2b")),
        ("ids", body("x-billing-header: v=2.1.2fd; by=me;"), body("x-billing-header: v=2.1.e1a; by=me;")),
        ("environment", body("cwd: /home/ann/shop/a"), body("cwd: /tmp/run/work/a")),
        ("environment", body("see file:///home/ann/shop"), body("see file:///tmp/run/work")),
        ("environment", body("in -home-ann-shop/x"), body("in -tmp-run-work/x")),
        ("environment", body("project shop"), body("project work")),
        ("environment", body("home ~/shop"), body("home ../run/work")),
        ("environment", body("It is 2026-11-22."), body("It is 2027-01-03.")),
        ("environment", body("Sun Nov 22 2026"), body("Mon Jan 4 2027")),
        ("environment", body("x", at=1795378937), body("x", at=1795379999)),
        ("environment", body("ran with pid 431 for"), body("ran with pid 99812 for")),
        ("environment", body("root 10 Nov 22 23:50 notes"), body("root 10 Dec  2 00:01 notes")),
        ("environment", body("Process Group PGID: 5687"), body("Process Group PGID: 106211")),
        ("sorted", body("x", a=1, b={"c": 1, "d": 2}), {**body("x", b={"d": 2, "c": 1}), "a": 1}),
        (
            "sorted",
            body("x", meta=json.dumps({"at": "2026-11-22", "id": SESSION})),
            body("x", meta=json.dumps({"id": OTHER_SESSION, "at": "2026-11-23"})),
        ),
        ("output", body("x", asks(), tool("total 8")), body("x", asks(), tool("total 12\nb"))),
        ("loose", body("x", temperature=1, tools=[]), body("x", tools=[])),
        *(("loose", was, now) for was, now in _MOVED_BLOCKS),
        *((None, was, now) for was, now in _OTHER_WORDS),
        (None, body("one"), body("two")),
        (None, body("one"), body("one", "answer", "one")),
        # An answer that a cancel broke off: crow-cli tells it if it came far enough.
        ("loose", body("one", "the beginn", "two"), body(_user("one"), _user("two"))),
        ("loose", body(_user("one"), _user("two")), body("one", "the beginn", "two")),
        (None, body("one", "the beginn", "two"), body("two")),
        (None, body("one", asks(), tool("a"), _user("two")), body(_user("one"), _user("two"))),
    ],
)
def test_a_request_matches_at_the_strictest_level_that_forgives_its_difference(
    level: str | None, was: dict[str, Any], now: dict[str, Any]
) -> None:
    """Each level forgives one kind of difference, and no more than that."""
    assert match(was, now) == level


def test_equal_requests_get_their_answers_in_the_recorded_order_and_then_the_last_again() -> None:
    """First in, first out."""
    matcher = Matcher(recorded(body("x"), body("y"), body("x")), MovedPlaces())
    results = [matcher.match(request(body("x"))) for _ in range(3)]
    assert [(result.call.call, result.again) for result in results if isinstance(result, MatchedCall)] == [
        (1, False),
        (3, False),
        (3, True),
    ]


def test_equal_ones_are_served_in_turn_also_if_they_are_equal_only_once_they_are_moved() -> None:
    """First in, first out holds at each level."""
    matcher = Matcher(recorded(body("in /home/ann/shop"), body("in /home/ann/shop")), MOVED)
    results = [matcher.match(request(body("in /tmp/run/work"))) for _ in range(3)]
    assert [(result.call.call, result.again) for result in results if isinstance(result, MatchedCall)] == [
        (1, False),
        (2, False),
        (2, True),
    ]


def test_requests_in_any_order_get_their_own_answers() -> None:
    """The content decides, not the position."""
    bodies = [body(f"task {word}") for word in ("one", "two", "three", "four")]
    matcher = Matcher(recorded(*bodies), MovedPlaces())
    results = [matcher.match(request(bodies[index])) for index in (2, 0, 3, 1)]
    assert [result.call.call for result in results if isinstance(result, MatchedCall)] == [3, 1, 4, 2]


def test_the_last_name_of_a_directory_may_be_tamed() -> None:
    """Agents name their own directories after the project: `~/.agent/tmp/my-shop`."""
    places = MovedPlaces.of([("/home/ann/My_Shop", "/tmp/run/_q2_x9")])
    was, now = body("notes in tmp/my-shop, tag My-Shop"), body("notes in tmp/q2-x9, tag q2-x9")
    assert match(was, now, places) == "environment"


def test_two_sessions_in_two_directories_stay_apart() -> None:
    """Each pair of directories is one of its own, also if their names sort otherwise in the run."""
    places = MovedPlaces.of([("/w/one", "/t/b"), ("/w/two", "/t/a")])
    matcher = Matcher(recorded(body("in /w/one"), body("in /w/two")), places)
    results = [matcher.match(request(body(f"in {cwd}"))) for cwd in ("/t/a", "/t/b")]
    assert [(result.call.call, result.level) for result in results if isinstance(result, MatchedCall)] == [
        (2, "environment"),
        (1, "environment"),
    ]


def test_a_session_keeps_to_the_answers_of_one_recorded_session() -> None:
    """Two sessions that say the same: which one began first says which answers are whose."""
    first, second = (body("x", user=id) for id in (SESSION, OTHER_SESSION))
    later = [body("x", "y", "z", user=id) for id in (SESSION, OTHER_SESSION)]
    matcher = Matcher(recorded(first, second, *later), MovedPlaces())
    new = ("1" + SESSION[1:], "2" + SESSION[1:])
    asked = [
        body("x", user=new[0]),
        body("x", user=new[1]),
        *(body("x", "y", "z", user=id) for id in new[::-1]),
    ]
    results = [matcher.match(request(each)) for each in asked]
    assert [result.call.call for result in results if isinstance(result, MatchedCall)] == [1, 2, 4, 3]


def test_two_ids_of_the_recording_are_not_one_of_the_run() -> None:
    """What is one id in the recording is one in the run."""
    was = body(f"from {SESSION} to {OTHER_SESSION}")
    assert match(was, body(f"from {SESSION} to {SESSION}"), loose=False) is None


def test_an_id_that_the_model_made_is_compared_as_it_is() -> None:
    """The run has it from the recording: another one belongs to another answer."""
    answer = 'data: {"id": "resp_0123456789ab", "choices": []}\n\n'
    calls = recorded(body("x"), body("go on from resp_0123456789ab"), answers=[answer, ""])
    matcher = Matcher(calls, MovedPlaces(), loose=False)
    assert isinstance(matcher.match(request(body("go on from resp_ba9876543210"))), MissedCall)
    assert isinstance(matcher.match(request(body("go on from resp_0123456789ab"))), MatchedCall)


def test_a_side_request_may_quote_what_a_tool_gave() -> None:
    """`ls -la` prints minutes and sizes, and a summary has them as plain text."""
    was, now = "total 8\n-rw-r--r-- 1 me me 12 a.txt 02:24", "total 16\n-rw-r--r-- 1 me me 13 a.txt 02:59"
    quoting = "Summarise this.\n<result>{}</result>\nIn one line."
    calls = recorded(body("x", asks(), tool(was)), body(quoting.format(was)))
    matcher = Matcher(calls, MovedPlaces(), loose=False)
    results = [matcher.match(request(body(quoting.format(now)))) for _ in range(1)]
    matcher = Matcher(calls, MovedPlaces(), loose=False)
    results += [
        matcher.match(request(each)) for each in (body("x", asks(), tool(now)), body(quoting.format(now)))
    ]
    assert [(result.call.call, result.level) for result in results if isinstance(result, MatchedCall)] == [
        (2, "output"),
        (1, "output"),
        (2, "output"),
    ]


@pytest.mark.parametrize(
    "text", ["{}", "Please read this file now: {}", "Fix these files, please:\n{}\nThanks."]
)
def test_what_tools_gave_in_both_is_no_quote_of_what_varies(text: str) -> None:
    """Two prompts name two files that `ls` shows: they are two requests."""
    listing = "notes.txt\nother.txt"
    calls = recorded(body("x", asks(), tool(listing)), body(text.format("notes.txt")))
    matcher = Matcher(calls, MovedPlaces())
    assert isinstance(matcher.match(request(body("x", asks(), tool(listing)))), MatchedCall)
    assert isinstance(matcher.match(request(body(text.format("other.txt")))), MissedCall)


def test_a_side_request_may_quote_more_or_less_of_what_the_model_said() -> None:
    """It is sent while the model speaks; but what else it says has to be the same."""
    answer = f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': 'I look at it.'}}]})}\n\n"
    quoting = "Write a title for this session of an agent, in a few words: {} Fix the {}."
    calls = recorded(body("x"), body(quoting.format("", "door")), answers=[answer, ""])
    results = [
        Matcher(calls, MovedPlaces()).match(request(body(quoting.format("I look at it.", what))))
        for what in ("door", "wall")
    ]
    assert [isinstance(result, MatchedCall) for result in results] == [True, False]


@pytest.mark.parametrize(
    "text", ["Write a poem of {} lines", "A poem for my friend, please.\nIt has {} lines."]
)
def test_what_no_tool_gave_is_never_forgiven(text: str) -> None:
    """A prompt with another number in it is another prompt."""
    calls = recorded(body("x", asks(), tool("total 8")), body(text.format(8)))
    assert isinstance(Matcher(calls, MovedPlaces()).match(request(body(text.format(9)))), MissedCall)


def test_a_miss_names_the_nearest_call_and_what_differs() -> None:
    """The nearest has most in common with the request."""
    calls = recorded(body("one", tools=[]), body("a long text that both have", "yes", "two"))
    result = Matcher(calls, MovedPlaces()).match(request(body("a long text that both have", "yes", "three")))
    assert isinstance(result, MissedCall)
    assert result.nearest is calls[1]
    assert result.difference is not None
    assert result.difference.changed == ("messages",)


def test_nothing_is_near_in_an_empty_recording() -> None:
    """A request of it misses, with nothing to name."""
    assert Matcher([], MovedPlaces()).match(request(body("x"))) == MissedCall(None, None)


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"[1, 2]", b'{"a": ', b'{"model": "m", "messages": [{"role": 3}]}']
)
def test_no_body_is_too_odd(data: bytes) -> None:
    """What nobody can read matches nothing else."""
    calls = recorded(body("x"))
    assert isinstance(Matcher(calls, MovedPlaces()).match(request(data)), MissedCall)


def test_loose_keeps_to_the_point_in_the_conversation_and_takes_what_is_most_alike() -> None:
    """A request for a title with the same words of the user is not taken for it."""
    tools = [{"type": "function", "function": {"name": name}} for name in ("read", "write")]
    system = {"role": "system", "content": "You help.\nBe kind."}
    title = {"role": "system", "content": "Write a title."}
    user = {"role": "user", "content": "x"}
    calls = recorded(body(title, user), body(system, user, tools=tools))
    changed = {"role": "system", "content": "You help.\nBe short."}
    result = Matcher(calls, MovedPlaces()).match(request(body(changed, user, tools=tools[:1])))
    assert isinstance(result, MatchedCall)
    assert (result.call.call, result.level) == (2, "loose")
    assert isinstance(
        Matcher(calls, MovedPlaces(), loose=False).match(request(body(changed, user, tools=tools[:1]))),
        MissedCall,
    )


def test_of_calls_that_are_alike_loose_takes_each_once_in_their_order() -> None:
    """A prompt that changed does not mix up the answers; beyond the recorded number, nothing answers."""
    was, now = ({"role": "system", "content": f"You help.\nBe {word}."} for word in ("kind", "short"))
    matcher = Matcher(
        recorded(body(was, {"role": "user", "content": "x"}), body(was, {"role": "user", "content": "x"})),
        MovedPlaces(),
    )
    results = [matcher.match(request(body(now, {"role": "user", "content": "x"}))) for _ in range(3)]
    assert [result.call.call for result in results[:2] if isinstance(result, MatchedCall)] == [1, 2]
    assert isinstance(results[2], MissedCall)


def test_pairs_have_each_call_of_both_sides_once() -> None:
    """A call that was served already has no pair in the other trace."""
    was, now = recorded(body("a"), body("b"), body("c")), recorded(body("c"), body("a"), body("d"), body("a"))
    pairs = [
        (pair.recorded and pair.recorded.call, pair.actual and pair.actual.call, pair.level)
        for pair in pair_calls(was, now)
    ]
    assert pairs == [(3, 1, "raw"), (1, 2, "raw"), (None, 3, None), (None, 4, None), (2, None, None)]


@pytest.mark.parametrize(
    ("was", "now", "most"),
    [
        (body("go"), body("go"), 1),
        (body("in /home/ann/shop"), body("in /tmp/run/work"), 3),
        (body(_user("go"), _user(_DATED)), body(_user(_DATED_LATER), _user("go")), 10),
    ],
    ids=["raw", "environment", "loose"],
)
def test_a_request_enters_few_packages_twice(was: dict[str, Any], now: dict[str, Any], most: int) -> None:
    """Whoever looks for why a call matches has few places to go."""
    matcher = Matcher(recorded(was), MOVED)
    assert reentries(lambda: matcher.match(request(now))) == most
