"""What the player noticed and what the comparison found, as one list: one cause is told once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from acp_trace.compare.causes import causes
from acp_trace.replay.incidents import RUN_CODES, Incident
from acp_trace.replay.settings import Settings, changed
from acp_trace.replay.verdict.mask_proposals import only_varies
from acp_trace.replay.verdict.verdict import ReplayVerdict, judge_run
from tests.compare.conversation import READ, Edit, base, both, drop, instead, put, tool
from tests.compare.conversation import file as file_of
from tests.reading.talk import decline, stop, up
from tests.replay.facing import entries
from tests.replay.lines import chunk, reads


def frame(name: str, edit: Edit = lambda named: named) -> int:
    """The number of a frame of the conversation, changed or not."""
    return [one for one, _ in edit(base())].index(name) + 1


def place(name: str, edit: Edit) -> Any:
    """The same as the how many-th of its side."""
    said = edit(base())
    at = [one for one, _ in said].index(name)
    sender = said[at][1][0]
    return sender, sum(one[1][0] == sender for one in said[: at + 1])


def verdict(edit: Edit, *incidents: Incident, died: bool = False, **settings: Any) -> ReplayVerdict:
    """That of a live run which is the conversation, changed."""
    live = entries(file_of(edit(base())))
    how = changed(Settings(), settings, Path())
    return judge_run(entries(file_of(base())), live, incidents, how, died=died, steps=20, sent=19)


def told(found: ReplayVerdict) -> list[str]:
    return [one.code for one in found.comparison.divergences if one.severity == "error"]


def same(named: Any) -> Any:
    return named


def test_nothing_differs() -> None:
    """It passed, because something was compared."""
    found = verdict(same)
    assert found.passed
    assert found.comparison.counts.compared > 10
    assert (found.steps, found.sent) == (20, 19)


def test_nothing_was_compared() -> None:
    """An empty recording passes nothing."""
    found = judge_run([], [], [], Settings(), died=False, steps=0, sent=0)
    assert found.comparison.equal
    assert not found.passed


def test_an_agent_that_was_not_there_to_the_end() -> None:
    """It has not passed, whatever was compared until then; its end is not told as one."""
    assert not verdict(same, died=True).passed


def test_what_ended_the_run_comes_first() -> None:
    """And once."""
    edit = instead("stop 1", stop(3, "refusal"))
    end = Incident("timeout", "nothing happened for too long: …", got=("agent", 20))
    found = verdict(edit, end, died=True)
    assert told(found)[0] == "timeout"
    assert told(found).count("timeout") == 1
    assert len(told(found)) == 2
    event = found.comparison.divergences[0].got_event
    assert event is not None
    assert event.sender == "agent"


def test_a_timeout_names_what_was_not_answered() -> None:
    """And since when, for whoever reads no frames."""
    cut = both(drop("stop 2"), lambda named: named[: [name for name, _ in named].index("prompt 3")])
    end = Incident("timeout", "nothing happened for too long: …", got=("agent", 17))
    first = verdict(cut, end, died=True).comparison.divergences[0]
    assert first.message == (
        "session/prompt #28 is unanswered 0 s after session/cancel #30; nothing happened for too long: …"
    )
    assert (first.expected, first.got) == ("an answer to session/prompt #28", "the last frame that came")
    waiting = drop("cancel")(cut(base()))
    first = verdict(lambda _: waiting, end, died=True).comparison.divergences[0]
    assert first.message.startswith("session/prompt #28 is unanswered 0 s after it was sent; ")


def test_a_request_without_an_answer_is_told_once() -> None:
    """By the comparison, with the player's reason; the error that it got is no divergence beside it."""
    edit = put("bye", reads(9, "/w/other"), decline(9, -32602))
    incident = Incident(
        "request-unmatched",
        "fs/read_text_file is not in the recording, nearest #15: path was a, is b",
        "s",
        expected=frame("fs read"),
        got=place("bye +0", edit),
        reason="nearest #15: path was a, is b",
    )
    (one,) = verdict(edit, incident).comparison.divergences
    assert one.code == "request-extra"
    assert one.message.endswith("(nearest #15: path was a, is b)")
    (alone,) = verdict(edit).comparison.divergences
    assert alone.code == "request-extra"


def test_a_request_without_an_answer_that_the_comparison_does_not_tell() -> None:
    """Then the player does, with the frame that came and the nearest one."""
    incident = Incident(
        "request-unmatched", "it is not in the recording, why", "s", expected=5, got=("agent", 1), now="x/y"
    )
    (one,) = verdict(same, incident).comparison.divergences
    assert (one.code, one.message, one.got) == ("request-unmatched", incident.message, "x/y")
    assert one.got_event is not None
    assert one.got_event.frame == 2
    assert one.expected_event is not None
    assert one.expected_event.frame == 5


def test_a_request_that_did_not_come_is_told_once() -> None:
    """By the comparison: its code says more."""
    edit = drop("permission", "allowed")
    incident = Incident(
        "answer-unused", "…", "s", expected=frame("permission"), was="session/request_permission"
    )
    assert told(verdict(edit, incident)) == ["permission-missing"]
    assert told(verdict(same, incident)) == ["answer-unused"]


def test_a_skipped_cancel_is_told_once() -> None:
    """By the player, who knows why it was not sent."""
    edit = drop("cancel")
    incident = Incident("step-skipped", "session/cancel was not sent", "s", expected=frame("cancel"))
    found = told(verdict(edit, incident))
    assert found.count("step-skipped") == 1
    assert "notification-missing" not in found
    assert "notification-missing" in told(verdict(edit))


def test_they_stand_in_the_order_of_the_recording() -> None:
    """Whoever found them."""
    edit = drop("title")
    late = Incident("step-late", "…", "s", expected=frame("mode"))
    early = Incident("step-skipped", "…", "s", expected=frame("set"))
    found = told(verdict(edit, late, early))
    assert found[0] == "step-skipped"
    assert found.index("step-late") > found.index("step-skipped")


def test_a_place_that_is_not_there() -> None:
    """A trace that lost its end: the incident is told without it."""
    incident = Incident("request-unmatched", "it is not in the recording, why", "s", got=("agent", 999))
    (one,) = verdict(same, incident).comparison.divergences
    assert one.got_event is None


def test_a_budget_that_is_not_kept() -> None:
    """One more divergence, with what it was; one that is kept is none."""
    found = verdict(same, budget=["turn.duration max < 1ms", "turn.duration max < 1ns"])
    assert told(found) == ["over-budget"]
    assert [one.ok for one in found.budgets] == [True, False]
    assert not found.passed
    (one,) = found.comparison.divergences
    assert one.expected == "turn.duration max < 1ns"
    assert one.got is not None
    assert one.got.endswith((" ms", " s", " µs"))
    assert one.message == f"{one.expected}: {one.got}"


def test_a_budget_relative_to_the_recording() -> None:
    """Both times are in the message; a recording without a sample allows nothing."""
    found = verdict(same, budget=["turn.duration max <= 1000000x", "turn.duration max < 0.000001x"])
    (one,) = found.comparison.divergences
    assert [each.ok for each in found.budgets] == [True, False]
    assert re.fullmatch(r"turn.duration max < 0.000001x \(recorded: \S+ \S+\): \S+ \S+", one.message)
    (one,) = verdict(same, budget=["latency no/such max < 2x"]).comparison.divergences
    assert one.message == "latency no/such max < 2x (recorded: no sample): no sample"


def test_a_budget_without_a_sample() -> None:
    """It failed."""
    edit = drop("cancel", "prompt 2", "slow", "stop 2")
    found = verdict(edit, budget=["cancel.settle p95 < 2s"])
    (one,) = [one for one in found.comparison.divergences if one.code == "over-budget"]
    assert one.got == "no sample"
    first, *_ = causes(found.comparison.failing)
    assert one in first.consequences
    assert "over-budget" not in {cause.first.code for cause in causes(found.comparison.failing)}


def test_a_budget_without_a_sample_is_a_failure_by_itself() -> None:
    """If nothing else failed: the recording has no such moment either."""
    found = verdict(same, budget=["latency no/such max < 1s"])
    assert told(found) == ["over-budget"]
    assert not found.comparison.divergences[0].follows


NOTES = {
    "agent-outside",
    "command-run",
    "fault-not-reached",
    "file-not-written",
    "files-missing",
    "files-not-compared",
    "model-away",
    "session-stored",
    "stalled",
    "variable-left-out",
    "variable-permitted",
    "written-outside",
}


def test_what_is_allowed_does_not_fail() -> None:
    """It is a note, and its use is counted; what is not allowed fails beside it."""
    allow = ["update-missing usage_update", "message-extra"]
    found = verdict(drop("usage"), allow=allow)
    assert found.passed
    (note,) = found.comparison.notes
    assert (note.code, note.allowed) == ("update-missing", allow[0])
    assert [(use.allowance, use.uses) for use in found.comparison.allowances] == [
        (allow[0], 1),
        (allow[1], 0),
    ]
    assert told(verdict(drop("usage", "title"), allow=allow)) == ["title-never-set", "metadata-never-set"]


def test_what_comes_after_the_end_of_the_recording() -> None:
    """Proves nothing, whatever it is: its client was gone by then. What comes before it is told."""
    edit = put("closed", chunk("P.S."), up("plan", entries=[]), reads(9, "/w/b"))
    incident = Incident("request-unmatched", "…", "s", got=place("closed +2", edit), reason="it is new")
    live = entries(file_of(edit(base())))
    _, whole = place("closed", edit)
    for whole_at, codes in ((None, {"update-after-stop", "request-extra"}), (whole, set())):
        found = judge_run(entries(file_of(base())), live, [incident], Settings(), died=False, steps=20, sent=19,
                          whole_at=whole_at)  # fmt: skip
        assert set(told(found)) - {"update-extra"} == codes, told(found)


def test_every_code_has_its_line() -> None:
    """A sentence, and whether it is an error."""
    for code, row in RUN_CODES.items():
        assert row.code == code
        assert row.meaning.endswith(".")
        assert row.severity == ("note" if code in NOTES else "error")


def test_a_run_that_ended_early() -> None:
    """Its trace has an end, which every other command shows: it is the conversation that has none."""
    live = entries(file_of(base()[:6]))
    found = judge_run(entries(file_of(base())), live, [], Settings(), died=True, steps=20, sent=2).comparison
    assert found.got.complete
    (note,) = [one for one in found.divergences if one.code == "truncated"]
    assert note.message == "the run ended early: compared up to its frame 6"


def test_what_may_only_vary_from_run_to_run() -> None:
    """A value with other numbers or another id; not other words, and not what is gone."""
    title = "Read a.txt in job-{}"
    sides = [entries(file_of(instead("read", tool("c1", "pending", **{**READ, "title": one}))(base()))) for one in (
        title.format(17), title.format("2b"), title.format("two")
    )]  # fmt: skip

    def varies(was: int, now: int) -> bool:
        settings = changed(Settings(), {"match": "content"}, Path())
        found = judge_run(sides[was], sides[now], [], settings, died=False, steps=1, sent=1)
        return only_varies(found.comparison)

    assert (varies(0, 1), varies(0, 2), varies(0, 0)) == (True, False, False)
    assert not only_varies(verdict(drop("plan")).comparison)
