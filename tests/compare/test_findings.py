"""Findings that only one of two traces has: a new one is a divergence, one that is gone a note."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.findings.codes import CODES as FINDINGS
from acp_trace.compare.causes import causes
from acp_trace.compare.codes import CODES, Match
from acp_trace.compare.explained import REPORTED_BY
from acp_trace.compare.result import Comparison
from tests.analyze.model_side import called, whole
from tests.compare.conversation import (
    Edit,
    base,
    both,
    changed,
    chunk,
    codes,
    compared,
    drop,
    file,
    instead,
    put,
)
from tests.reading.talk import Said, ask, cancel, prompt, refuse, stop, up


def info(**fields: Any) -> Said:
    return up("session_info_update", **fields)


def long(*titles: str) -> Edit:
    """With titles that are too long."""
    return put("title", *(info(title=title * 501) for title in titles))


def notes(found: Comparison) -> list[str]:
    return [note.message for note in found.notes if note.code == "finding-fixed"]


def test_a_new_finding_is_told_with_its_code_and_frame() -> None:
    """In the words of the finding, at the frame of the actual trace."""
    (found,) = changed(long("x")).failing
    assert (found.code, found.session_id, found.expected, found.count) == ("finding-new", "s", None, 1)
    assert found.message.startswith("title-too-long (agent) in session/update session_info_update: ")
    assert found.got == "session/update session_info_update"
    assert found.got_event is not None
    assert found.got_event.frame == 25


def test_findings_of_one_kind_are_one() -> None:
    """With their number; and more of what was there before are not new."""
    (found,) = changed(long("x", "y")).failing
    assert found.count == 2
    assert codes(compared(file(long("x")(base())), file(long("x", "y", "z")(base())))) == []


def test_one_fault_in_several_kinds_of_frames_is_one_cause() -> None:
    """Its repeats stand below it, and each says which kind of frame it is about."""

    def odd(named: Any) -> Any:
        return [
            (name, (side, {**said, "jsonrpc": "1.0"} if side == "agent" else said))
            for name, (side, said) in named
        ]

    found = changed(odd).failing
    assert {divergence.code for divergence in found} == {"finding-new"}
    (cause,) = causes(found)
    assert len(cause.divergences) == len({divergence.message for divergence in found}) > 9
    told = " ".join(each.message for each in found)
    assert "not-jsonrpc (agent) in session/update plan: " in told
    assert "not-jsonrpc (agent) in the answer to session/new: " in told


def test_a_finding_that_is_gone_is_a_note() -> None:
    """In the words of what it was; not if the place itself is gone, nor if a trace has no end."""
    found = compared(file(long("x")(base())), file(base()))
    assert found.equal
    (note,) = notes(found)
    assert note.startswith("title-too-long (agent) in session/update session_info_update is gone: ")
    assert not notes(
        compared(file(put("bye", info(title="x" * 501))(drop("title")(base()))), file(drop("title")(base())))
    )
    assert not notes(compared(file(long("x")(base())), file(base(), end=False)))


@pytest.mark.parametrize(
    ("match", "told"), [("outcome", []), ("semantic", ["finding-new"]), ("exact", ["finding-new"])]
)
def test_the_level_that_looks_for_findings(match: Match, told: list[str]) -> None:
    """From `semantic` on; at `exact`, the frame is not told a second time as one that is new."""
    assert codes(changed(long("x"), match)) == told


@pytest.mark.parametrize(
    "edit",
    [
        instead("stop 2", stop(4)),
        instead("stop 2", refuse(4, -32603)),
        drop("stop 2"),
        put("stop 1", chunk("P.S.")),
        put("found", ("agent", "a line"), ("agent", [{}]), ("agent", {"hello": 1})),
        put("found", up("mood_update")),
        lambda named: [*named[:3], ("session", refuse("new s", -32000)), *named[4:]],
    ],
)
def test_a_finding_that_a_divergence_tells_is_not_told_again(edit: Edit) -> None:
    """Whether it stands at that frame, or follows from a session that was not opened."""
    found = changed(edit)
    assert not found.equal
    assert "finding-new" not in codes(found)


@pytest.mark.parametrize(("origin", "told"), [("recorded", True), ("replay", False), ("mock", True)])
def test_what_the_player_breaks_is_not_told(origin: str, told: bool) -> None:
    """The client of a replay sends what was recorded: its findings say nothing about the agent."""
    odd = {**ask(6, "session/set_mode", sessionId="s", modeId="no-such")[1], "jsonrpc": "1.0"}
    actual = file(instead("mode", ("client", odd))(base()), origin=origin)
    assert codes(compared(file(base()), actual)) == ["finding-new"] * told


def test_what_stands_behind_the_end_of_a_recording_is_not_told() -> None:
    """Nobody knows what would have come there."""
    cut = file(base()[:23], end=False)
    assert codes(compared(cut, file(long("x")(base())))) == []


def test_notes_of_the_analysis_are_not_told() -> None:
    """They break nothing."""
    found = changed(put("title", info(_meta={"a": {"b": 1}}), info(_meta={"a": {"c": 1}})))
    assert "finding-new" not in codes(found)


def test_the_table_names_codes_that_there_are() -> None:
    """On both sides."""
    assert set(REPORTED_BY) <= set(FINDINGS)
    assert {code for _, codes in REPORTED_BY.values() for code in codes} <= set(CODES)


def test_a_model_call_that_goes_on_after_a_cancel() -> None:
    """How long is the model's choice: 60 ms here and 140 ms there are one behaviour, to break it off another."""

    def trace(ended: int, broken_by: str | None = None) -> bytes:
        model = called(1, 10, ended, says=[(20, "Ye")], broken_by=broken_by)
        return whole((5, prompt(1)), *model, (100, cancel()), (300, stop(1, "cancelled")))

    short, long, broken_off = trace(160), trace(240), trace(140, "agent")
    assert (
        codes(compared(short, long))
        == codes(compared(long, short))
        == codes(compared(long, broken_off))
        == []
    )
    assert not notes(compared(long, short))
    assert [each.about for each in compared(broken_off, long).failing] == ["model-call-outlives-cancel"]
    assert len(notes(compared(long, broken_off))) == 1


@pytest.mark.parametrize(("origin", "said"), [("recorded", True), ("replay", False)])
def test_an_error_of_both_traces_is_said_unless_the_player_breaks_the_rule(origin: str, said: bool) -> None:
    """It is no divergence. Who compares two builds would take one of them for right."""
    edit = put("stop 1", prompt(9, "no-such-session"), refuse(9, -32002))
    longer = both(edit, put("title", info(title="x")))
    found = compared(file(edit(base())), file(longer(base()), origin=origin))
    assert not {"finding-new", "finding-fixed"} & {one.code for one in found.divergences}
    shared = {one.code: (one.blame, one.got_frame - one.expected_frame) for one in found.shared}
    assert shared.get("unknown-session") == (("client", 1) if said else None)
