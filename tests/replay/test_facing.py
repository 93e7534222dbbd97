"""Both engines face to face: what the two sides of a recording say to each other is the recording again."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare, read
from acp_trace.trace import encode
from acp_trace.trace.entries import Entry
from tests.compare.conversation import base, reader
from tests.compare.conversation import file as file_of
from tests.reading import chance
from tests.reading.talk import answer, ask, hello, opened, prompt, stop, words
from tests.replay.facing import Facing, conversation, entries, recording
from tests.support import TRACES, header, trace

#: In two of them, which of two requests that are alike comes first is chance, and only one was answered.
SEEDS = [seed for seed in range(40) if seed not in (2, 23)]
EVERY = [pytest.param(path, id=path.stem) for path in TRACES]
BASE = file_of(base())


def faced(file: bytes, shuffle: random.Random | None = None, *, same: bool = False) -> Facing:
    """A recording's client and its agent, until they have nothing more to say; both have come to the end."""
    of = recording(file)
    facing = Facing(conversation(of, "client", same=same), conversation(of, "agent"), shuffle=shuffle)
    facing.run()
    for side in (facing.client, facing.agent):
        assert side.is_over, f"{side.plan.own}: {side.waits()}"
        assert [one for one in side.incidents if one.severity == "error"] == []
    return facing


def told(file: bytes, facing: Facing) -> list[Entry]:
    """What they said as the entries of a trace, with header and end of the recording."""
    ours = entries(file)
    lines = [encode.frame(sender.encode(), at, line[:-1]) for at, (sender, line) in enumerate(facing.said, 1)]
    ends = [entry.raw for entry in ours if entry.kind == "end"]
    heads = [entry.raw for entry in ours if entry.kind == "header"] or [header()]
    return entries(b"".join([*heads, *lines, *ends]))


_recorded = lru_cache(maxsize=4)(reader)  # a comparison does not change it


def compared(file: bytes, facing: Facing, match: Match) -> list[str]:
    """What makes the two differ."""
    found = compare(_recorded(file, match), read(told(file, facing), match), match, [])
    return [f"{one.code}: {one.message}" for one in found.failing]


def sound(seed: int) -> bytes:
    """A conversation by chance without answers to nothing: whose they are is chance, too."""
    file = chance.conversation(seed).replace(b'd":1.0', b'd":9')  # ids are whole numbers, or strings
    nobody = [one.text for one in recording(file).messages if one.kind == "response" and one.answers is None]
    return b"".join(line for line in file.splitlines(keepends=True) if not any(one in line for one in nobody))


# -- the recordings


@pytest.mark.parametrize("path", EVERY)
def test_a_recording_replays_as_it_was(path: Path) -> None:
    """Nothing is noticed, both sides come to their end, and what they said compares as equal."""
    file = path.read_bytes()
    facing = faced(file)
    assert len(facing.said) == len([one for one in recording(file).messages if not one.partial])
    assert compared(file, facing, "semantic") == []
    assert facing.now < 10**9  # nothing was waited for in vain


@pytest.mark.parametrize("path", EVERY)
def test_in_the_same_folder_every_frame_is_the_recorded_one(path: Path) -> None:
    """`exact`: texts, ids and order."""
    file = path.read_bytes()
    assert compared(file, faced(file, same=True), "exact") == []


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY)
def test_lines_may_take_their_time(path: Path) -> None:
    """Each direction keeps its order, as pipes do; how long a line is under way is chance."""
    file = path.read_bytes()
    for seed in range(3):
        assert compared(file, faced(file, random.Random(seed)), "semantic") == []


@pytest.mark.slow
def test_the_conversation_with_everything_in_it() -> None:
    """The one that the comparison is tested with, in order and out of it."""
    assert compared(BASE, faced(BASE), "semantic") == []
    assert compared(BASE, faced(BASE, same=True), "exact") == []
    for seed in range(30):
        assert compared(BASE, faced(BASE, random.Random(seed)), "semantic") == []


def test_the_history_of_a_fork_comes_before_its_answer() -> None:
    """The answer names the copy, and stands behind what the agent sent of it."""
    fork = [ask("f", "session/fork", sessionId="s", cwd="/w"), words("copy"), answer("f", sessionId="copy")]
    file = trace(*hello(), *opened(), prompt(1), words(), stop(1), *fork)
    assert b'"id":"f"' in [line for sender, line in faced(file).said if sender == "agent"][-1]
    assert compared(file, faced(file), "content") == []


# -- conversations by chance


@pytest.mark.parametrize("seed", SEEDS)
def test_any_conversation_comes_to_its_end(seed: int) -> None:
    """Whatever was said, also what nobody should say: nobody waits for what never comes."""
    faced(sound(seed))
