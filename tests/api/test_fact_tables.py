"""Tables of one trace: what the store has of it, whether it is there or in a file."""

from __future__ import annotations

import pytest

import acp_trace
from acp_trace.store import schema
from tests.commands import Commands
from tests.support import SAMPLES

STORY = next(path for path in SAMPLES if path.name == "opencode-story.jsonl")
NAMES = [table.name for table in (*schema.FACTS, schema.FRAMES)]


@pytest.mark.slow
def test_they_are_those_of_the_store(commands: Commands) -> None:
    """Column by column, row by row, of the file and of the store."""
    commands.passes("load", STORY)
    for name in NAMES:
        stored = acp_trace.query(f"SELECT * EXCLUDE (trace_id) FROM {name}")
        for trace in (STORY, "last"):
            with acp_trace.open_trace(trace) as opened:
                table = opened.table(name)
            assert (name, table.columns, table.types) == (name, stored.columns, stored.types)
            assert sorted(table.rows, key=repr) == sorted(stored.rows, key=repr), name
            assert all(type(item) in (int, str, bool, bytes, type(None)) for row in table for item in row)


def test_a_name_that_is_none_is_told() -> None:
    """With what may have been meant."""
    with acp_trace.open_trace(STORY) as opened:
        with pytest.raises(ValueError, match="there is no table 'turn' of a trace; did you mean turns"):
            opened.table("turn")
        with pytest.raises(ValueError, match="there are traces, sessions, turns"):
            opened.table("zzzzzzzz")


def test_frames_take_the_filters_of_the_command(commands: Commands) -> None:
    """The same frames for the same words."""
    with acp_trace.open_trace(STORY) as opened:
        for words, found in (
            (["10-20"], opened.frames("10-20")),
            (["--from", "client"], opened.frames(sender="client")),
            (["--method", "session/*", "--grep", "cancel"], opened.frames(method="session/*", grep="cancel")),
            (["--turn", "1"], opened.frames(turn=1)),
            (["--since", "1s", "--until", "10s"], opened.frames(since="1s", until="10s")),
            (["--update", "agent_*"], opened.frames(update="agent_*")),
            (
                ["--where", "is:error or took>1s turn:1,2"],
                opened.frames(where="is:error or took>1s turn:1,2"),
            ),
        ):
            listed = commands.json("frames", str(STORY), *words, "--no-logs")
            assert [frame.frame for frame in found] == [one["frame"] for one in listed], words
            assert listed
        assert [frame.frame for frame in opened.frames(3, 5)] == [3, 5]
        for wrong in ({"sender": "x"}, {"grep": "("}, {"since": "soon"}, {"where": "x:y"}):
            with pytest.raises(acp_trace.api.BadFilter):
                opened.frames(**wrong)  # type: ignore[arg-type]
        with pytest.raises(acp_trace.api.NoSuchTurn):
            opened.frames(turn=99)
