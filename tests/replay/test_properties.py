"""What holds for any recording and any live side: nothing raises, nothing waits for the future, time is linear."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.replay.conversation.client_progress import ClientProgress
from acp_trace.replay.conversation.engine import Options
from acp_trace.replay.conversation.scheduler import Scheduler
from acp_trace.replay.declared import Unmatched
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.plan.steps import Plan
from acp_trace.trace.entries import Sender
from tests.analyze.test_properties import _ANSWER, _JSON, _MESSAGE, _UPDATE
from tests.compare.conversation import base
from tests.compare.conversation import file as file_of
from tests.counting import executed_lines
from tests.reading import chance
from tests.reading.talk import Said, answer, ask, cancel, hello, opened, prompt, reply, stop
from tests.replay.facing import Facing, conversation, recording
from tests.replay.lines import START, asks, chunk, may, picks, reads, tool
from tests.replay.playbook import recorded
from tests.support import TRACES, trace

BASE = recording(file_of(base()))
OWN: list[Sender] = ["client", "agent"]
_SAID = st.tuples(st.sampled_from(["client", "agent"]), _MESSAGE | _ANSWER | _UPDATE | _JSON)
_LINE = (_MESSAGE | _ANSWER | _UPDATE | _JSON).map(lambda one: json.dumps(one).encode()) | st.binary(
    max_size=20
)


def sound(made: Plan) -> None:
    """Every own line is one step, and no step waits for what comes after it."""
    of = made.recording
    own = [one.frame for one in of.messages if one.sender == made.own and not one.partial]
    assert [step.frame for step in made.steps] == [*own, None]
    assert sorted(step.number for steps in made.tracks.values() for step in steps) == [
        step.number for step in made.steps
    ]
    for step in made.steps[:-1]:
        frame = step.frame or 0
        waits = [
            *step.within,
            *step.over,
            *step.received,
            *filter(None, (step.answers, step.turn, step.target)),
        ]
        waits += [of.exchanges[one].response_frame or 0 for one in step.responses]
        waits += made.received.get(step.track, ())[: step.received_count]
        assert all(one < frame for one in waits), step
        assert step.pause_ns >= 0
        assert step.late_ns >= 0


@pytest.mark.parametrize("own", OWN)
def test_no_step_waits_for_something_later_than_itself(own: Sender) -> None:
    """In any recording that there is, and in those by chance."""
    for path in TRACES:
        sound(plan(recording(path.read_bytes()), own))
    for seed in range(30):
        sound(plan(recording(chance.conversation(seed)), own))


@given(said=st.lists(_SAID, max_size=25), own=st.sampled_from(OWN))
def test_any_entries_have_a_plan(said: list[Said], own: Sender) -> None:
    """Whatever they hold."""
    sound(plan(recorded(*hello(), *said), own))


@given(file=st.binary(max_size=200))
def test_any_bytes_have_a_plan(file: bytes) -> None:
    """Nor does a file that is no trace raise."""
    for own in OWN:
        sound(plan(recording(file), own))


@given(data=st.data(), own=st.sampled_from(OWN), pace=st.sampled_from([0.0, 1.0]))
def test_a_live_side_may_say_anything(data: st.DataObject, own: Sender, pace: float) -> None:
    """At any time, in any order, for a while: the engine never raises, and always knows what it waits for."""
    told = [one.text for one in BASE.messages if one.sender != own]
    unmatched = data.draw(st.sampled_from(get_args(Unmatched)))
    talk = conversation(BASE, own, Options(pace, unmatched, {"fs/read_text_file": lambda _, __: None}))
    now = 0
    lines = data.draw(st.lists(st.sampled_from(told) | _LINE, max_size=40))
    for line in lines:
        now += data.draw(st.sampled_from([0, 1, 10**6, 10**9, 40 * 10**9]))
        for out in (*talk.receive(line, now), *talk.due(now)):
            assert out.endswith(b"\n")
            assert out.count(b"\n") == 1
        assert (talk.wake() or now) >= now
        assert talk.deadline is None or talk.deadline > 0
        assert talk.is_over or talk.waits()
    talk.on_closed()
    assert talk.gone


def test_a_live_side_may_say_the_same_again_and_again() -> None:
    """Every message of the recording ten times."""
    for own in OWN:
        talk = conversation(BASE, own)
        for one in BASE.messages:
            for _ in range(10):
                if one.sender != own:
                    talk.receive(one.text, 0)
                    list(talk.due(0))


# -- how long it takes


class Looks:
    """Counts how often conditions are looked at, instead of the clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for of, name in ((Scheduler, "_is_due"), (Scheduler, "_is_paced"), (ClientProgress, "_has_come")):
            self._counted(monkeypatch, of, name)

    def _counted(self, monkeypatch: pytest.MonkeyPatch, of: Any, name: str) -> None:
        real = getattr(of, name)

        def counted(*args: Any) -> Any:
            self.count += 1
            return real(*args)

        monkeypatch.setattr(of, name, counted)


def turns(many: int) -> list[Said]:
    """One session with as many turns, each with chunks and requests."""
    said = [*START]
    for n in range(many):
        said += [
            prompt(n),
            *[chunk()] * 6,
            tool(f"c{n}"),
            may(n, f"c{n}"),
            picks(n),
            reads(f"r{n}", f"/w/{n}"),
        ]
        said += [reply(f"r{n}", content=""), stop(n)]
    return said


def sessions(many: int) -> list[Said]:
    """As many sessions, all open at once."""
    said = hello()
    for n in range(many):
        said += opened(f"s{n}")
    for n in range(many):
        said += [prompt(n, f"s{n}"), chunk(session=f"s{n}")]
    for n in range(many):
        said += [may(n, session=f"s{n}"), picks(n), stop(n)]
    return said


def pipelined(many: int) -> list[Said]:
    """All requests at once, then all answers."""
    asked = [ask(n, "session/set_mode", sessionId="s", modeId=f"m{n}") for n in range(many)]
    return [*START, *asked, *[answer(n) for n in range(many)], cancel()]


def asked_at_once(many: int) -> list[Said]:
    """All requests of the agent at once."""
    asked = [reads(n, f"/w/{n}") for n in range(many)]
    return [*START, prompt("p"), *asked, *[reply(n, content="") for n in range(many)], stop("p")]


def polls(many: int) -> list[Said]:
    """A terminal that is looked at again and again."""
    said = [*START, prompt("p"), asks("t", "terminal/create", command="x"), reply("t", terminalId="t")]
    for n in range(many):
        said += [asks(n, "terminal/output", terminalId="t"), reply(n, output="", truncated=False)]
    return [*said, stop("p")]


@pytest.mark.parametrize(
    "made", [turns, sessions, pipelined, asked_at_once, polls], ids=lambda one: one.__name__
)
def test_twice_as_long_takes_twice_as_long(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In looks at conditions, for both sides."""
    counts = []
    for many in (100, 200):
        of = recorded(*made(many))
        looks = Looks(monkeypatch)
        faced(of)
        counts.append(looks.count)
    assert counts[1] < 2.5 * counts[0], counts


def faced(of: Recording) -> Facing:
    facing = Facing(conversation(of, "client"), conversation(of, "agent"))
    facing.run()
    assert facing.client.is_over, facing.client.waits()
    assert facing.agent.is_over, facing.agent.waits()
    return facing


def test_thousands_of_frames() -> None:
    """Plan and both sides; four times the frames are four times the work, and not sixteen times."""
    of = recording(trace(*turns(400)))
    assert len(of.messages) > 5_000
    faced(of)
    small, large = (recording(trace(*turns(count))) for count in (25, 100))
    assert executed_lines(lambda: faced(large)) < 6 * executed_lines(lambda: faced(small))
