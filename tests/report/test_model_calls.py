"""The calls of the model: the section of `show`, its line of the overview, and what a cancel did not save."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from acp_trace.analyze.facts import Cancellation, Facts, ModelCall, Turn
from acp_trace.report.statements.model_calls import astray, is_recorded
from acp_trace.report.text.call_list import how
from acp_trace.report.text.cancels import cancellations
from acp_trace.report.text.model_calls import calls, overview
from acp_trace.report.text.show import SECTIONS, Page, show
from tests.handmade import made, trace

_MS = 1_000_000


def _call(number: int, took_ms: int | None = 5, **given: object) -> ModelCall:
    took = None if took_ms is None else took_ms * _MS
    usual = {"session_id": "s", "turn": 0, "model": "m-1", "provider": "anthropic", "stop_reason": "end_turn"}
    return made(ModelCall, call=number, **{**usual, "duration_ns": took, "tools": "[]", **given})


def _lines(found: Facts, width: int = 140, *, all_: bool = False) -> list[str]:
    return calls(found, width, all_=all_).plain.splitlines()


def _overview(*facts: ModelCall | Turn, **given: object) -> str:
    return "   ".join(text.plain for text in overview(trace("t", *facts, **given)))


def test_a_call_is_one_line() -> None:
    """When, how long, tokens, how it ended, which tools it asked for and how often."""
    tokens = {"input_tokens_total": 12_400, "cached_tokens": 9_000, "output_tokens_total": 312}
    call = _call(1, 1200, tools='["read","read","bash"]', first_token_ns=400 * _MS, **tokens)
    retry = _call(3, 20, started_ns=90 * _MS, retry_of=2, beside=True)
    assert [line.replace("\u202f", " ") for line in _lines(trace("t", call, retry))] == [
        " call  turn     at  first    took      in  cached  out  stop      tools",
        "    1     0  0.000  400ms   1.20s  12 400   9 000  312  end_turn  read × 2, bash",
        "    3     0  0.090         20.0ms                       end_turn  beside · retry of 2",
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"aborted": True, "stop_reason": None}, "aborted"),
        ({"error": "Slow down", "status": 429}, "error 429"),
        ({"error": "broken off by the provider", "status": 200}, "error"),
        ({"duration_ns": None}, "never ended"),
        ({"stop_reason": None, "status": 200}, "status 200"),
        ({"stop_reason": None, "status": None}, "no answer"),
        ({"stop_reason": "a\x1b[2J"}, "a\\e[2J"),
    ],
)
def test_how_a_call_ended(given: dict[str, object], told: str) -> None:
    """In one word or two."""
    call = made(ModelCall, **{"duration_ns": 1, "stop_reason": "stop", **given})
    assert how(call)[0] == told
    assert how(call, live=True)[0] == ("open" if told == "never ended" else told)


def test_why_a_call_failed_stands_behind_it() -> None:
    """Nothing that a provider says drives the terminal."""
    text = "\n".join(_lines(trace("t", _call(1, error="Too\nmany\x1b[2J", status=429))))
    assert "error 429  Too many\\e[2J" in text


def test_of_many_those_that_failed_and_the_longest_are_shown() -> None:
    """In their order, and how many are left out."""
    many = [_call(number, number) for number in range(1, 101)]
    many[0], many[1] = _call(1, 0, error="no"), _call(2, 0, aborted=True)
    shown = _lines(trace("t", *many))
    assert [int(line.split()[0]) for line in shown[1:-1]] == [1, 2, *range(83, 101)]
    assert shown[-1] == " 20 of 100 calls, which failed or took longest; all: show --section model --all"
    assert len(_lines(trace("t", *many), all_=True)) == 101


def test_a_session_and_a_model_are_named_where_there_are_several() -> None:
    """A call of no session that anybody knows has a dash."""
    found = trace("t", _call(1), _call(2, session_id="u", model="m-2"), _call(3, session_id=None, turn=None))
    head, *lines = _lines(found)
    assert head.split()[:5] == ["call", "session", "turn", "at", "model"]
    assert [line.split()[1:3] for line in lines] == [["s", "0"], ["u", "0"], ["–", "–"]]
    assert astray(found) == "1 of no known session"
    assert "session" not in _lines(trace("t", _call(1), _call(2, session_id=None)))[0]


def test_how_the_sessions_of_calls_were_found_is_told() -> None:
    """Once below them; with counts if there are several ways."""
    header = _call(1, joined_by="header x-session-id")
    assert _lines(trace("t", header, _call(2)))[-1] == " session found by header x-session-id"
    several = trace("t", header, header, _call(2, joined_by="time"))
    assert _lines(several)[-1] == " session found by header x-session-id (2), time (1)"
    assert " ".join(_lines(several, 40)[-2:]).split() == _lines(several)[-1].split()


def test_the_overview_says_how_often_and_how_long() -> None:
    """Times that overlap count once; of many models the two that were called most are named."""
    tokens = {"input_tokens_total": 100, "cached_tokens": 60, "output_tokens_total": 7}
    every = [
        _call(1, 10, **tokens), _call(2, 10, started_ns=5 * _MS, **tokens), _call(3, 1, error="x"),
        _call(4, 1, model="m-2", retry_of=3), _call(5, 1, model="m-3", aborted=True, session_id=None),
        _call(6, None, started_ns=20 * _MS),
    ]  # fmt: skip
    assert _overview(*every, duration_ns=30 * _MS) == (
        "4 calls to m-1 at anthropic   1 to m-2 at anthropic   1 to others   busy 25.0 ms   "
        "200 tokens in (120 cached), 14 out   1 failed   1 aborted   1 never ended   1 retry   1 of no known session"
    )


def test_a_part_without_a_call_is_told() -> None:
    """Other turns of the trace have calls. A side that was not recorded is not mentioned."""
    silent = made(Turn, model_calls=0)
    assert _overview(silent) == "no model calls"
    assert is_recorded(trace("t", silent))
    assert _overview(made(Turn)) == ""


@pytest.mark.parametrize("name", sorted(SECTIONS.keys() - {"overview"}))
def test_a_section_that_is_asked_for_says_that_it_is_empty(name: str) -> None:
    """In one line: nothing at all would not be an answer."""
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        show(console, Page(trace("t"), [], live=False, width=80, all_=False), [name])
    assert captured.get().startswith("no ")
    assert captured.get().count("\n") == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"aborted": True, "cancel_to_end_ns": 110 * _MS, "output_after_cancel": 40},
            "model call 7  aborted after 110 ms; 40 characters still came",
        ),
        (
            {"cancel_to_end_ns": 2000 * _MS, "output_after_cancel": 1, "tokens_after_cancel": 1},
            "model call 7  ran to its end after 2.00 s; 1 character (1 token) still came",
        ),
        ({"error": "x", "cancel_to_end_ns": 0, "output_after_cancel": 0}, "model call 7  failed after 0 µs"),
        ({"duration_ns": None}, "model call 7  never ended"),
    ],
)
def test_what_became_of_a_call_that_was_open_at_a_cancel(given: dict[str, Any], told: str) -> None:
    """How long after the cancel it ended, and what still came."""
    cancel = made(
        Cancellation, kind="session/cancel", frame=9, sender="client", session_id="s",
        target_frame=3, outcome="cancelled", settled_frame=10, settle_ns=5,
    )  # fmt: skip
    call = _call(7, **{"cancel_frame": 9, **given})
    found = trace("t", made(Turn, session_id="s", frame=3), cancel, call, _call(8))
    console = Console(width=140, color_system=None)
    with console.capture() as captured:
        console.print(cancellations(found, 140, all_=False))
    assert f"   └ {told}\n" in captured.get().replace("\u00a0", " ")
    assert "call 8" not in captured.get()
