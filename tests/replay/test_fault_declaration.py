"""What a person writes of a fault, and what can be meant: read, refused with a place, and written again."""

from __future__ import annotations

import re

import pytest

from acp_trace.analyze.findings.codes import CODES
from acp_trace.replay.faults.aims import Aim, aims, check, fits
from acp_trace.replay.faults.chaos import chosen
from acp_trace.replay.faults.declaration import KINDS, FaultError, fault, parse
from acp_trace.replay.faults.sending import _DO
from acp_trace.replay.plan.builder import plan
from tests.reading.talk import cancel, prompt, stop
from tests.replay.lines import START, chunk
from tests.replay.playbook import recorded

_AIMS = [
    Aim("initialize", "request", 1),
    Aim("session/prompt", "request", 2),
    Aim("fs/read_text_file", "response", 1),
]


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_is_read_and_written(name: str) -> None:
    """With its value and its number, and without the number."""
    kind = KINDS[name]
    method = kind.only or "session/prompt"
    made = fault(name, method, kind.example, 2)
    assert parse(made.text) == made
    assert parse(fault(name, method, kind.example).text).nth is None
    assert {*kind.named, *kind.excused} <= {*CODES}
    assert not kind.parts or name in _DO


def test_values_are_read() -> None:
    """Times in seconds and milliseconds, codes below zero."""
    assert parse("delay 1.5s on session/prompt").time_ns == 1_500_000_000
    assert parse("delay 20ms on session/prompt").time_ns == 20_000_000
    assert parse("error -32000 on session/prompt").number == -32000
    assert parse("malformed on session/prompt #12").number == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a fault, such as 'delay 5s on session/prompt'"),
        ("delya 5s on session/prompt", "'delya' is not a kind of fault; did you mean delay"),
        ("xyzzy on session/prompt", "'xyzzy' is not a kind of fault: it is not one of delay"),
        ("delay on session/prompt", "expected a value, such as 'delay 5s'"),
        ("delay 5 on session/prompt", "expected a time above 0 and up to an hour, such as 5s"),
        ("delay 0s on session/prompt", "expected a time above 0"),
        ("delay 999999s on session/prompt", "expected a time above 0"),
        ("drop 5s on session/prompt", "drop takes no value: expected 'on METHOD'"),
        ("drop", "expected 'on METHOD', such as 'on session/prompt'"),
        ("model-429 on", "expected 'on METHOD', such as 'on model'"),
        ("drop on session/prompt 2", "expected #N, the number of the message"),
        ("drop on session/prompt #0", "expected #N"),
        ("drop on session/prompt #1 now", "expected #N"),
        ("malformed x on session/prompt", "expected a number, such as 7"),
    ],
)
def test_what_is_no_fault_is_refused(text: str, why: str) -> None:
    """With one message, and a caret under the place."""
    with pytest.raises(FaultError, match=re.escape(why)) as refused:
        parse(text)
    assert str(refused.value).endswith(("^", "~"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("drop on session/promt", "no session/promt of the client; did you mean session/prompt? It can be on: initialize"),
        ("never on session/prompt", "never makes no sense on session/prompt. It can be on: fs/read_text_file"),
        ("late-chunk on session/prompt", "late-chunk is a fault of the agent: `replay` plays the client"),
        ("drop on session/prompt #3", "session/prompt comes only 2 times"),
        ("drop on initialize #2", "initialize comes only once"),
        ("model-429 on model", "there is no recorded call of a model, and no other message can have this fault"),
    ],
)  # fmt: skip
def test_what_a_recording_cannot_have_is_refused(text: str, why: str) -> None:
    """Before anything is started, and with what it has."""
    with pytest.raises(FaultError, match=re.escape(why)):
        check([parse(text)], _AIMS, "client")


def test_the_aims_of_a_recording() -> None:
    """Of each side its own messages; an answer has the name of what it answers, an update its kind, too."""
    of = recorded(*START, prompt(1), chunk("a"), chunk("b"), cancel(), stop(1))
    client = {(aim.name, aim.part): aim.times for aim in aims(plan(of, "client"), calls=2)}
    assert client["session/prompt", "request"] == 1
    assert client["session/cancel", "notification"] == 1
    assert client["model", None] == 2
    agent = {aim.name: aim for aim in aims(plan(of, "agent"))}
    assert agent["session/prompt"][1:] == ("response", 1, False)
    assert agent["agent_message_chunk"][1:] == ("notification", 2, False)
    assert agent["session/update"].is_general


@pytest.mark.parametrize("own", ["client", "agent"])
def test_a_seed_chooses_what_can_be(own: str) -> None:
    """The same seed the same faults; each fits its message, and can be repeated by its text."""
    aims_ = [*_AIMS, Aim("session/update", "notification", 3, is_general=True)]
    texts = set()
    for seed in range(300):
        faults = chosen(seed, aims_, own)  # type: ignore[arg-type]
        assert faults == chosen(seed, aims_, own)  # type: ignore[arg-type]
        assert 1 <= len(faults) <= 3
        check(faults, aims_, own)  # type: ignore[arg-type]
        for each in faults:
            assert parse(each.text) == each
            assert any(fits(each.kind, aim) for aim in aims_ if aim.name == each.method)
        texts |= {each.text for each in faults}
    assert len(texts) > 50
    assert chosen(1, [], "client") == []
