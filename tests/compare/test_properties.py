"""What holds for any two traces, and for any order that chance gives to independent streams."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.compare.codes import CODES, MATCHES, Match, at_level
from tests.compare.conversation import (
    asks,
    base,
    chunk,
    compared,
    file,
    is_in_order,
    permission,
    prompts,
    tool,
)
from tests.reading.chance import conversation
from tests.reading.talk import Said, chosen, hello, opened, reply, stop, up
from tests.support import trace

SEEDS = st.integers(0, 10**6)
LEVELS = st.sampled_from(MATCHES)


@given(SEEDS, SEEDS, LEVELS)
def test_any_two_can_be_compared(one: int, other: int, match: Match) -> None:
    """Nothing is raised, the counts are possible, and what is told belongs to the level."""
    found = compared(conversation(one), conversation(other), match)
    assert 0 <= found.counts.compared <= found.counts.recorded
    assert (
        0
        <= found.counts.unmatched
        <= found.counts.recorded + found.got.frames_client + found.got.frames_agent
    )
    for told in found.divergences:
        assert at_level(told.code, match)
        assert told.severity == CODES[told.code].severity
        assert told.message
        assert told.count > 0
        assert is_in_order(told)


@given(SEEDS, LEVELS)
def test_any_one_is_its_own(seed: int, match: Match) -> None:
    """However odd it is."""
    found = compared(conversation(seed), conversation(seed), match)
    assert found.equal, found.failing
    assert found.counts.unmatched == 0


@given(st.integers(1, 40), st.integers(1, 40), LEVELS)
def test_any_beginning_can_be_compared(one: int, other: int, match: Match) -> None:
    """Of a trace that breaks off, nothing is told that would only come later."""
    whole = base()
    cut = file(whole[:one], end=False)
    assert compared(file(whole), cut, match).equal
    assert compared(cut, file(whole), match).equal
    assert compared(cut, file(whole[:other], end=False), match).equal


# -- independent streams

_Stream = list[Said]


def _segment(name: int) -> st.SearchStrategy[list[_Stream]]:
    """Streams of the agent between two of its requests."""
    texts = st.integers(0, 4)
    streams = [
        texts.map(lambda n: [chunk(f"word {at}") for at in range(n)]),
        texts.map(lambda n: [chunk(f"thought {at}", "agent_thought_chunk") for at in range(n)]),
        st.integers(0, 2).map(lambda n: [up("plan", entries=[at]) for at in range(n)]),
        st.integers(0, 2).map(lambda n: [up("usage_update", used=at, size=9) for at in range(n)]),
    ]
    calls = [_call(f"c{name}{at}", kind) for at, kind in enumerate(("read", "edit", "search"))]
    return st.tuples(*streams, *calls).map(list)


def _call(id: str, kind: str) -> st.SearchStrategy[_Stream]:
    statuses = st.lists(st.sampled_from(["in_progress", "completed", "failed"]), max_size=3)
    begin = tool(id, "pending", kind=kind, title=kind)
    return statuses.map(lambda told: [begin, *(tool(id, status) for status in told)])


def _interleaved(streams: list[_Stream], seed: int) -> list[Said]:
    """All of the streams, each in its order, else by chance."""
    left = [list(one) for one in streams if one]
    found, dice = [], random.Random(seed)
    while left:
        one = dice.choice(left)
        found.append(one.pop(0))
        left = [rest for rest in left if rest]
    return found


def _conversation(segments: list[list[_Stream]], seed: int) -> bytes:
    """A turn with a request of the agent after each segment but the last."""
    said = [*hello(), *opened(), prompts(1)]
    for at, streams in enumerate(segments):
        said += _interleaved(streams, seed + at)
        if at == 0:
            said += [permission(0, "c00"), chosen(0, optionId="yes")]
        elif at < len(segments) - 1:
            said += [asks(at, "fs/read_text_file", path=f"/w/{at}"), reply(at, content="")]
    return trace(*said, stop(1))


@given(st.tuples(_segment(0), _segment(1), _segment(2)).map(list), SEEDS, SEEDS, LEVELS)
def test_independent_streams_may_change_order(
    segments: list[list[_Stream]], one: int, other: int, match: Match
) -> None:
    """Between two requests of the agent, at every level."""
    found = compared(_conversation(segments, one), _conversation(segments, other), match)
    assert found.equal, [(told.code, told.message) for told in found.failing]
    assert found.counts.unmatched == 0
