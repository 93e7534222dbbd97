"""Where the time of a turn went: the parts, what claims a moment first, and that they add up."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.facts import Turn, UnsettledTurn
from acp_trace.analyze.turn_time import TurnTime, split
from acp_trace.protocol.updates import WRITING
from acp_trace.trace.intervals import Interval
from tests.analyze.findings.scenario import start
from tests.reading.chance import conversation
from tests.reading.talk import Said, answer, ask, call, cancel, chosen, permit, prompt, reply, stop, up, words
from tests.support import analyzed, facts_of

_PARTS = [part.name for part in fields(TurnTime)]
_MOMENTS = st.integers(-20, 120)
_INTERVALS = st.lists(st.tuples(_MOMENTS, _MOMENTS), max_size=6)


@given(st.integers(0, 100), _MOMENTS | st.none(), _INTERVALS, _INTERVALS, _INTERVALS, _INTERVALS)
def test_the_parts_add_up_and_none_is_negative(
    duration: int,
    output: int | None,
    permissions: list[Interval],
    requests: list[Interval],
    tools: list[Interval],
    writing: list[Interval],
) -> None:
    """And each is what a count of single moments says."""
    parts = split(
        (0, duration), output, permissions=permissions, requests=requests, tools=tools, writing=writing
    )
    assert sum(asdict(parts).values()) == duration
    counted = dict.fromkeys(_PARTS, 0)
    claims = {
        "permissions_ns": permissions,
        "requests_ns": requests,
        "tools_ns": tools,
        "before_output_ns": [(0, duration if output is None else output)],
        "writing_ns": writing,
        "rest_ns": [(0, duration)],
    }
    for moment in range(duration):
        first = next(name for name, claim in claims.items() if any(a <= moment < b for a, b in claim))
        counted[first] += 1
    assert asdict(parts) == counted


def _of(*said: Said) -> TurnTime:
    """The one turn's; frames are 1000 ns apart, and the turn begins with the first of them."""
    (turn,) = facts_of(*start(), *said).turns
    return _time(turn)


def _time(turn: Turn) -> TurnTime:
    return TurnTime(*(getattr(turn, name) for name in _PARTS))


def _tool(status: str | None, id: str = "c", kind: str = "tool_call_update") -> Said:
    return up(kind, toolCallId=id, status=status)


def _begun(status: str = "pending", id: str = "c") -> Said:
    return _tool(status, id, "tool_call")


def test_waiting_for_permission_is_not_time_in_tools() -> None:
    """A tool call that is under way, and waits."""
    parts = _of(
        prompt(1), words(), _begun(), _tool("in_progress"), permit(1), chosen(1), _tool("completed"),
        words(), stop(1),
    )  # fmt: skip
    assert parts == TurnTime(
        before_output_ns=1000, tools_ns=2000, permissions_ns=1000, requests_ns=0, writing_ns=0, rest_ns=4000
    )


def test_tool_calls_at_once_count_once() -> None:
    """The time in which at least one ran."""
    parts = _of(
        prompt(1), _begun("in_progress", "a"), _begun("in_progress", "b"), _tool("completed", "a"),
        _tool("completed", "b"), stop(1),
    )  # fmt: skip
    assert (parts.tools_ns, parts.rest_ns) == (3000, 1000)


@pytest.mark.parametrize(
    ("statuses", "tools_ns"),
    [
        (("pending", "in_progress", "completed"), 1000),  # pending: its input still comes
        (("pending", "pending", "completed"), 2000),  # this agent never says in_progress
        (("pending", "pending", "pending"), 0),  # it never began
        (("pending", "in_progress", "in_progress"), 2000),  # it never ended: until the turn did
    ],
)
def test_a_tool_call_runs_while_it_is_in_progress(statuses: tuple[str, ...], tools_ns: int) -> None:
    """What is known of a call that skips statuses, or never ends."""
    first, *others = statuses
    assert _of(prompt(1), _begun(first), *map(_tool, others), stop(1)).tools_ns == tools_ns


def _asked(id: int, method: str, **result: Any) -> list[Said]:
    return [call(id, method, sessionId="s", path="/w/a", terminalId="t"), reply(id, **result)]


def test_a_file_that_the_client_reads_is_the_clients_time() -> None:
    """Also while a tool call runs. A command that it runs in a terminal is the tool."""
    read = _asked(1, "fs/read_text_file", content="")
    command = _asked(2, "terminal/wait_for_exit", exitCode=0)
    parts = _of(prompt(1), _begun("in_progress"), *read, *command, _tool("completed"), stop(1))
    assert (parts.requests_ns, parts.tools_ns) == (1000, 4000)


def test_a_turn_without_output_waited_for_it_to_its_end() -> None:
    """All that nothing else claims."""
    assert _of(prompt(1), stop(1)) == TurnTime(1000, 0, 0, 0, 0, 0)


def test_an_open_turn_has_no_parts() -> None:
    """As it has no duration."""
    (turn,) = facts_of(*start(), prompt(1), words()).turns
    assert turn.duration_ns is None
    assert {getattr(turn, name) for name in _PARTS} == {None}


def test_what_the_agent_asks_between_turns_belongs_to_none() -> None:
    """And a request that names no session neither."""
    found = facts_of(
        *start(), *_asked(1, "fs/read_text_file"), prompt(1), call(2, "_x"), reply(2), stop(1), ask(3, "_y"),
        answer(3),
    )  # fmt: skip
    assert found.turns[0].requests_ns == 0


def _thought() -> Said:
    return up("agent_thought_chunk", content={"type": "text", "text": "…"})


@pytest.mark.parametrize(
    ("said", "writing_ns", "chunks"),
    [
        ([words()], 0, 1),  # a single chunk took no time
        ([words(), words(), words()], 2000, 3),
        ([_thought(), _thought(), words(), words()], 2000, 4),  # from thoughts to words it does neither
        ([words(), _thought(), words()], 0, 3),
        ([_thought(), words(), words()], 1000, 3),
        ([words(), up("usage_update"), words()], 2000, 2),  # says something of the session: no work
        ([words(), up("plan", entries=[]), words()], 0, 2),
        ([words(), up("user_message_chunk"), words()], 0, 2),
        ([words(), _begun(), words(), words()], 1000, 3),
        ([words(), permit(1), chosen(1), words(), words()], 1000, 3),
        ([words(), call(1, "_x", sessionId="s"), reply(1), words(), words()], 1000, 3),
        ([_begun("in_progress"), words(), words(), _tool("completed"), words(), words()], 1000, 4),
        ([words(), words("t"), words()], 2000, 2),  # of another session
        ([words(), cancel(), words()], 2000, 2),
    ],
)
def test_writing_is_from_chunk_to_chunk(said: list[Said], writing_ns: int, chunks: int) -> None:
    """Of one kind, with no other work of the agent between, and while nothing else claims the time."""
    (turn,) = facts_of(*start(), prompt(1), *said, stop(1)).turns
    assert (turn.writing_ns, turn.chunks) == (writing_ns, chunks)
    assert sum(asdict(_time(turn)).values()) == turn.duration_ns


def test_chunks_belong_to_the_oldest_open_turn() -> None:
    """Those between turns, late ones and history updates to none."""
    found = facts_of(
        *start(), words(), words(), prompt(1), words(), prompt(2), words(), stop(1), words(), words(),
        stop(2), words(), ask(3, "session/load", sessionId="s"), prompt(4), words(), answer(3), words(),
        stop(4),
    )  # fmt: skip
    assert [(turn.writing_ns, turn.chunks) for turn in found.turns] == [(2000, 2), (1000, 2), (0, 1)]


@pytest.mark.parametrize("seed", range(6))
def test_in_any_conversation_the_parts_are_the_duration(seed: int) -> None:
    """Overlapping prompts, cancels and answers by chance; of open turns, the time that they were open."""
    found = analyzed(conversation(seed))[0]
    took: dict[int, int | None] = {
        turn.frame: turn.duration_ns for turn in found.turns if turn.duration_ns is not None
    }
    took |= {turn.frame: turn.open_ns for turn in found.unsettled_turns}
    assert len(took) == len(found.turns) > 0
    split_turns: list[Turn | UnsettledTurn] = [*found.unsettled_turns]
    split_turns += [turn for turn in found.turns if turn.duration_ns is not None]
    for turn in split_turns:
        parts = [getattr(turn, name) for name in _PARTS]
        assert min(parts) >= 0
        assert sum(parts) == took[turn.frame]
    assert sum(turn.chunks for turn in found.turns) <= sum(
        update.count for update in found.updates if update.kind in WRITING
    )
