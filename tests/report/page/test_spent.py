"""Tokens and cost of a trace, its sessions, turns and models; and whose its time was."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from acp_trace.report.json.report import document as report
from acp_trace.report.page.documents import SpentDocument
from acp_trace.report.page.spent import document
from acp_trace.report.statements.spent import spent
from acp_trace.report.statements.time_spent import owned_time
from acp_trace.report.text.show import Page, show
from tests.reading.talk import answer, ask, hello, opened, prompt, stop
from tests.support import REPOSITORY, analyzed, result, trace, update


def _told(data: bytes) -> SpentDocument:
    facts, _ = analyzed(data)
    return document(facts)


def _sample(name: str) -> bytes:
    return (REPOSITORY / "sample_traces" / f"{name}.jsonl").read_bytes()


def _cost(amount: object, currency: object = "USD", session: str = "s") -> tuple[str, Any]:
    return "agent", update(
        session, "usage_update", used=1, size=2, cost={"amount": amount, "currency": currency}
    )


def _turn(number: int, *between: tuple[str, Any], **usage: int) -> list[tuple[str, Any]]:
    end = result(number, stopReason="end_turn", usage=usage)
    return [prompt(number), *between, ("agent", end)]


def test_calls_of_a_model_are_summed() -> None:
    """By turn and by model, with a place on the page for each."""
    told = _told(_sample("gemini-model"))
    assert told["sum"] == "800 tokens in, 160 out. Turn 0 and turn 2 used most: 300 tokens in, 60 out each."
    assert not told["has_cost"]
    assert [group["heading"] for group in told["groups"]] == ["Turn", "Model"]
    assert told["groups"][0]["rows"][1] == ("Turn 1", ("transcript", {"turn": 2}), "200", "–", "40", "")
    assert told["groups"][1]["rows"] == [("standin", ("model", {"call": 1}), "800", "–", "160", "")]


def test_agents_say_tokens_and_cost() -> None:
    """In a trace without the model's side; the cost is that of the session so far, so a turn's is the difference."""
    told = _told(
        trace(
            *hello(), *opened("s"),
            *_turn(50, _cost(0.5), inputTokens=7, outputTokens=2),
            *_turn(51, _cost(0.75), _cost(2.5), inputTokens=1000, cachedReadTokens=900, outputTokens=1),
        )
    )  # fmt: skip
    assert told["sum"] == (
        "1\u202f007 tokens in (900 cached), 3 out, 2.50 USD. "
        "Turn 1 cost most: 2.00 USD, 1\u202f000 tokens in (900 cached), 1 out."
    )
    assert [row[2:] for row in told["groups"][0]["rows"]] == [
        ("7", "–", "2", "0.5 USD"),
        ("1\u202f000", "900", "1", "2.00 USD"),
    ]


@pytest.mark.parametrize("amount", [True, "1", None, -1, 1e400, 10**400, {"a": 1}])
def test_what_is_no_amount_costs_nothing(amount: object) -> None:
    """A hostile agent may say anything."""
    data = trace(
        *hello(), *opened("s"), *_turn(50, _cost(amount), _cost(1, 2), inputTokens=-5, outputTokens=3)
    )
    told = _told(data)
    assert told["sum"] == "0 tokens in, 3 out."
    assert not told["has_cost"]


def test_a_trace_without_any_says_nothing() -> None:
    """The page then has no such section."""
    assert _told(trace(*hello(), *opened("s")))["sum"] == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opencode-story", "Of 3.45 s in 3 turns: agent and model 3.33 s, tools 125 ms, client 487 µs."),
        ("incomplete", ""),
    ],
)
def test_time_has_owners(name: str, said: str) -> None:
    """Most first. Without the model's side, nobody can tell an agent's time from its model's."""
    assert owned_time(analyzed(_sample(name))[0].turns) == said


@pytest.mark.parametrize(
    ("amount", "words"), [(2e-05, "0.00002"), (0.00421, "0.00421"), (0.5, "0.5"), (2.0, "2.00")]
)
def test_small_amounts_are_no_powers_of_ten(amount: float, words: str) -> None:
    """They are written out."""
    data = trace(*hello(), *opened(), *_turn(1, _cost(amount)))
    assert _told(data)["sum"].endswith(f"{words} USD.")


def _costs(*said: tuple[str, Any]) -> tuple[str, list[list[str]]]:
    """The sum, and the costs in each group."""
    told = _told(trace(*hello(), *opened("s"), *said))
    return told["sum"], [[row[-1] for row in group["rows"]] for group in told["groups"]]


@pytest.mark.parametrize(
    ("first", "costs"),
    [
        (0.75, ["0.5 USD", "0.25 USD"]),  # OpenCode: the copy has cost what its original had
        (0.25, ["0.5 USD", "0.25 USD"]),  # claude-agent-acp: it counts from 0
    ],
)
def test_a_fork_begins_at_the_cost_of_its_original(first: float, costs: list[str]) -> None:
    """What the original cost is counted once."""
    fork = [ask(60, "session/fork", sessionId="s", cwd="/w"), answer(60, sessionId="copy")]
    turn = [prompt(61, "copy"), _cost(first, session="copy"), stop(61)]
    assert _costs(*_turn(50, _cost(0.5)), *fork, *turn) == (
        "0.75 USD. Turn S1.0 cost most: 0.5 USD.",
        [costs, costs],
    )


def test_a_loaded_session_begins_at_what_it_cost() -> None:
    """That is known if this trace says it, as history or before; else the first amount says nothing of a turn."""
    load = [ask(60, "session/load", sessionId="s", cwd="/w", mcpServers=[]), answer(60)]
    assert _costs(*_turn(50, _cost(0.5)), *load, *_turn(61, _cost(0.75)))[0].startswith("0.75 USD.")
    other = [ask(60, "session/load", sessionId="old", cwd="/w", mcpServers=[])]
    turns = [
        [prompt(number, "old"), _cost(amount, session="old"), stop(number)]
        for number, amount in ((61, 3.5), (62, 4.0))
    ]
    assert _costs(*other, answer(60), *turns[0], *turns[1])[0].startswith("0.5 USD.")
    assert _costs(*other, _cost(3.0, session="old"), answer(60), *turns[0], *turns[1])[0].startswith(
        "1.00 USD."
    )


def test_the_terminal_and_json_say_the_same_sum() -> None:
    """In the overview, where people look for the tokens of a trace and the turn that cost most."""
    facts, _ = analyzed(trace(*hello(), *opened("s"), *_turn(50, _cost(0.5)), *_turn(51, _cost(2.5))))
    out = StringIO()
    page = Page(facts, [], live=False, width=100, all_=False)
    show(Console(file=out, width=100), page, ("overview",))
    assert " Spent 2.50 USD. Turn 1 cost most: 2.00 USD.\n" in out.getvalue()
    made = report(facts).spent
    assert (made.cost, made.most, made.input_tokens) == ({"USD": 2.5}, "S1.1", 0)


def test_turns_that_used_equally_much_are_all_named() -> None:
    """Two of several by name: `Turn 0 and 1 more` reads as turns 0 and 1. And if all are equal, no turn used most."""
    turns = [_turn(50, inputTokens=7), _turn(51, inputTokens=9), _turn(52, inputTokens=9)]
    talk = [line for turn in turns for line in turn]
    told = _told(trace(*hello(), *opened("s"), *talk))
    assert told["sum"] == "25 tokens in, 0 out. Turn 1 and turn 2 used most: 9 tokens in, 0 out each."
    assert _told(trace(*hello(), *opened("s"), *talk[2:]))["sum"] == "18 tokens in, 0 out."
    more = _told(trace(*hello(), *opened("s"), *talk, *_turn(53, inputTokens=9)))
    assert " Turn 1 and 2 others used most: 9 " in more["sum"]


def test_a_cancelled_turn_has_its_tokens_on_the_terminal_too() -> None:
    """Its model calls are known, although its agent never said what it used."""
    facts, _ = analyzed(_sample("gemini-model"))
    (cancelled,) = [turn for turn in facts.turns if turn.stop_reason == "cancelled"]
    used = spent(facts).turns[cancelled.frame].said()
    assert used
    out = StringIO()
    facts.session_events.clear()
    show(Console(file=out, width=140), Page(facts, (), False, 140, False), ["timeline"])
    below = out.getvalue().partition(f"#{cancelled.frame} ")[2].partition("#")[0]
    assert used in below.replace("\xa0", " ")
