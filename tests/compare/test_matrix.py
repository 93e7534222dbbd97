"""Every deliberate change of a conversation is told by its own code, and no harmless one by any."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import CODES, Match
from acp_trace.compare.result import Comparison
from tests.compare.changes import CHANGES, Change
from tests.compare.conversation import (
    COMMANDS,
    OPTIONS,
    READ,
    asks,
    base,
    changed,
    chunk,
    codes,
    compared,
    config,
    drop,
    file,
    instead,
    put,
    tool,
)
from tests.compare.variations import VARIATIONS, Variation
from tests.reading.talk import Said, answer, refuse, stop, up
from tests.support import END, line


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.what)
def test_a_change_is_told(change: Change) -> None:
    """By its codes, and by nothing else."""
    found = changed(change.edit, change.match) if change.end is None else _ended(change)
    assert sorted(codes(found)) == sorted(change.codes), [one.message for one in found.failing]
    assert not found.equal


#: Changes of which a closer level tells more: that something is shown otherwise, or said again.
MORE = {"a title that is too long", "a time without its zone, twice"}


@pytest.mark.parametrize(
    "change", [one for one in CHANGES if one.match == "semantic"], ids=lambda change: change.what
)
def test_closer_levels_tell_it_by_the_same_codes(change: Change) -> None:
    """Frames and values that differ for the same reason are not told beside it."""
    if change.what in MORE:
        return
    closer: tuple[Match, ...] = ("content", "exact")
    for match in closer:
        found = changed(change.edit, match) if change.end is None else _ended(change._replace(match=match))
        told = {cause.first.code for cause in causes(found.failing)}
        below = {one.code for one in found.failing if one.follows}
        assert told == set(change.codes) - below, found.failing


def test_another_difference_beside_a_change_is_told_at_exact() -> None:
    """What explains one frame or place does not hide another."""
    edits = [
        (instead("was set", answer(2, configOptions=config("big"))), "config-final"),
        (drop("read on"), "tool-call-status"),
        (put("read", tool("c1", "pending", **READ)), "tool-call-twice"),
        (
            instead("commands", up("available_commands_update", availableCommands=COMMANDS[:1])),
            "choice-missing",
        ),
    ]
    beside = put("usage", up("usage_update", used=10, size=100))
    for edit, code in edits:
        found = compared(file(base()), file(beside(edit(base()))), "exact")
        assert {cause.first.code for cause in causes(found.failing)} == {code, "frame-extra"}


def _ended(change: Change) -> Comparison:
    ours, theirs = file(base()), file(change.edit(base()), end=False)
    last = line(t=10**9, end={**END, **(change.end or {})})
    return compared(ours, theirs + last, change.match)


@pytest.mark.parametrize("variation", VARIATIONS, ids=lambda variation: variation.what)
def test_a_variation_is_not_told(variation: Variation) -> None:
    """Whichever of the two comes first."""
    end = variation.more.get("end")
    more = {key: value for key, value in variation.more.items() if key != "end"}
    ours = variation.base(base())
    theirs = file(variation.edit(ours), end=end is None, **more) + (line(t=10**9, end=end) if end else b"")
    found = compared(file(ours), theirs)
    assert found.equal, [(one.code, one.message) for one in found.failing]
    assert found.counts.compared
    shown = compared(file(ours), theirs, "content")
    assert shown.equal is not variation.shows, [(one.code, one.message) for one in shown.failing]
    assert set(codes(shown)) <= {"content-differs", "permission-option-differs"}


def test_what_is_lost_before_a_cancel_is_told() -> None:
    """Where what came after it is there: the second trace was not only cancelled earlier."""
    ours = put("slow", tool("c8", "pending", kind="read"))(base())
    assert codes(compared(file(ours), file(drop("slow")(ours)))) == ["message-missing"]
    assert codes(compared(file(ours), file(drop("slow +0")(ours)))) == []


@pytest.mark.parametrize(
    ("data", "details"),
    [
        ({"details": "no model at 127.0.0.1"}, "Internal error: no model at 127.0.0.1"),
        ("no model", "Internal error: no model"),
        ({"message": "Internal error"}, "Internal error"),
        ({"details": 5}, "Internal error"),
    ],
)
def test_an_error_says_what_its_data_say(data: Any, details: str) -> None:
    """`Internal error` alone helps nobody."""
    failed = (
        "agent",
        {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "Internal error", "data": data}},
    )
    (found,) = changed(instead("stop 1", failed)).failing
    assert found.got == f"error -32603 {details}"


def test_a_tool_call_without_an_announcement_is_told_once() -> None:
    """Of which kind it is, and when it began, stood in what is missing."""
    call = {"toolCallId": "c2", "kind": "edit"}
    asked = asks(1, "session/request_permission", toolCall=call, options=OPTIONS)
    ours = instead("permission", asked)(base())
    assert codes(compared(file(ours), file(drop("edit")(ours)))) == ["tool-call-unannounced"]


def test_the_table_of_changes_is_whole() -> None:
    """Every code that makes traces differ is told by some change, but those that have a test of their own."""
    told = {code for change in CHANGES for code in change.codes}
    errors = {code for code, one in CODES.items() if one.severity == "error"}
    own = {
        "session-missing",
        "session-extra",
        "session-crossed",
        "tool-call-misleads",
        *(code for code in errors if code.startswith(("file-", "model-"))),
    }  # test_sessions.py, test_following.py, test_written_diffs.py; in tests/replay test_model_losses.py and others
    assert errors - told == own


def test_exact_takes_folders_out_of_texts() -> None:
    """Each run has a folder of its own, and agents quote it; a longer name is another one."""
    ours = put("found", chunk("I wrote to /w/a.txt and /workshop"))(base())
    theirs = put("found", chunk("I wrote to /tmp/x/a.txt and /workshop"))(base())
    moved = VARIATIONS[[one.what for one in VARIATIONS].index("another folder")]
    found = compared(file(ours), file(moved.edit(theirs), **moved.more), "exact")
    assert codes(found) == [], found.failing
    theirs = put("found", chunk("I wrote to /tmp/x/a.txt and /tmp/xshop"))(base())
    assert codes(compared(file(ours), file(moved.edit(theirs), **moved.more), "exact")) == ["frame-differs"]


@pytest.mark.parametrize(
    ("ended", "said"), [(stop(4), "completed: end_turn"), (refuse(4, -32603), "error -32603")]
)
def test_how_a_cancel_ended_is_said_once(ended: Said, said: str) -> None:
    """`cancelled: cancelled` says no more than `cancelled`, nor `error: error -32603` than its end."""
    (found,) = changed(instead("stop 2", ended)).failing
    assert (found.expected, found.got) == ("cancelled", said)
    (found,) = changed(drop("stop 2")).failing
    assert (found.expected, found.got) == ("cancelled", "unanswered")
