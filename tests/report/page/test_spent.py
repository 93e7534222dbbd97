"""Tokens and cost of a trace, its sessions, turns and models; and whose its time was."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.report.page.owned_time import owned_time
from acp_trace.report.page.spent import Spent
from tests.reading.talk import hello, opened, prompt
from tests.support import REPOSITORY, analyzed, result, trace, update


def _told(data: bytes) -> dict[str, Any]:
    facts, frames = analyzed(data)
    spent = Spent(facts)
    spent.add(frames)
    return spent.document()


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
    assert told["sum"] == "800 tokens in, 160 out."
    assert not told["has_cost"]
    assert [group["heading"] for group in told["groups"]] == ["Turn", "Model"]
    assert told["groups"][0]["rows"][1] == ["Turn 1", ["transcript", {"turn": 2}], "200", "–", "40", ""]
    assert told["groups"][1]["rows"] == [["standin", ["model", {"call": 1}], "800", "–", "160", ""]]


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
        ["7", "–", "2", "0.5 USD"],
        ["1\u202f000", "900", "1", "2.00 USD"],
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
