"""What two traces told their models, whoever recorded them: paired by what was asked, and told by code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from acp_trace.compare.difference import compare, read
from acp_trace.compare.model_divergences import with_model
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import Comparison
from acp_trace.trace.entries import Entry
from tests.reading.talk import answer, ask
from tests.replay.model_talk import SYSTEM, TOOLS, Call, session, talk, turn

FIRST, SECOND = Call("Go."), Call("Go on.")


def compared(expected: Sequence[Entry], actual: Sequence[Entry], *, strict: bool = False) -> Comparison:
    models = ModelReader(), ModelReader()
    readers = read(expected, model=models[0]), read(actual, model=models[1])
    facts = readers[0].facts(), readers[1].facts()
    return with_model(compare(*readers), models, facts, strict=strict)


def two(**changes: Any) -> list[Entry]:
    """A session of two turns, each with a call."""
    return session(*turn(replace(FIRST, **changes)), *turn(replace(SECOND, **changes), id=4))


#: What the second trace is, and what is said of it.
CHANGES = {
    "a prompt": (
        two(system="You help.\nBe kind."),
        "model-prompt-changed",
        "calls 1, 2: system prompt: 1 line changed",
    ),
    "a tool": (two(tools=TOOLS[:1]), "model-tools-changed", "calls 1, 2: tool write removed"),
    "a parameter": (
        two(temperature=0.7),
        "model-params-changed",
        "calls 1, 2: parameter temperature: 0.5 → 0.7",
    ),
    "a call more": (
        session(*turn(FIRST, Call("Sum it up.", tools=())), *turn(SECOND, id=4)),
        "model-call-extra",
        "call 2 in the actual trace: m-1, no tools; last user: Sum it up.",
    ),
    "a call less": (
        session(*turn(FIRST), *turn(id=4)),
        "model-call-missing",
        "call 2: m-1, 2 tools; last user: Go on.",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_told_by_its_code_and_nothing_else(change: str) -> None:
    """As a note, or as a difference where that is asked for."""
    actual, code, message = CHANGES[change]
    found = compared(two(), actual)
    assert found.equal
    assert [(each.code, each.message) for each in found.divergences] == [(code, message)]
    assert not compared(two(), actual, strict=True).equal


def test_a_trace_is_equal_to_itself() -> None:
    """Each call matches its own."""
    found = compared(two(), two())
    assert found.divergences == []
    assert found.model is not None
    assert (found.model.mode, found.model.calls, found.model.matched) == (None, 2, {"raw": 2})


def test_what_each_run_makes_anew_is_no_change() -> None:
    """The directory of the session, and the day; what really changed is told without them."""

    def at(cwd: str, day: str, more: str = "") -> list[Entry]:
        opened = [ask(1, "session/new", cwd=cwd), answer(1, sessionId="s")]
        call = Call(system=f"{SYSTEM}\nYou work in {cwd}. Today is {day}.{more}")
        return talk(ask(0, "initialize", protocolVersion=1), *opened, *turn(call))

    here, there = ("/home/a/project", "2026-11-20"), ("/tmp/x/other", "2027-01-02")
    assert compared(at(*here), at(*there)).divergences == []
    (change,) = compared(at(*here), at(*there, "\nBe kind.")).divergences
    assert change.message == "call 1: system prompt: 1 line added"


def test_where_the_agent_is_installed_is_no_change() -> None:
    """Some tell their models where their own files are."""

    def installed(where: str) -> list[Entry]:
        call = Call(system=f"{SYSTEM}\nYour skills are in {where}/node_modules/agent/skills.")
        agent = {"argv": [f"{where}/node_modules/.bin/agent", "--acp"], "cwd": "/w"}
        return talk(ask(0, "initialize", protocolVersion=1), *turn(call), agent=agent)

    assert compared(installed("/home/a/one"), installed("/opt/b")).divergences == []


def test_what_a_trace_lacks_is_no_difference() -> None:
    """One without a model's side; and calls behind the end of a trace that breaks off."""
    plain = [entry for entry in two() if entry.kind != "model"]
    assert compared(two(), plain).model is None
    assert compared(plain, two()).divergences == []
    cut = compared(two(), session(*turn(FIRST), is_whole=False))
    assert "model-call-missing" not in [each.code for each in cut.divergences]
