"""What a run told its model, beside its recording: each change by its code, once, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_trace.compare.causes import causes
from acp_trace.compare.result import ModelOutcome
from acp_trace.replay.incidents import Incident
from acp_trace.replay.settings import Settings, changed
from acp_trace.replay.verdict.verdict import ReplayVerdict, judge_run
from acp_trace.report.ci.comparison_junit import replays_junit as junit
from acp_trace.report.ci.diff_annotations import workflow_commands
from acp_trace.report.ci.places import Place
from acp_trace.report.json.replay import document
from acp_trace.report.statements.replays import Replayed
from acp_trace.report.text.replays import report
from acp_trace.trace.entries import Entry, EntryKind
from tests.reading.talk import prompt, refuse
from tests.replay.lines import START
from tests.replay.model_talk import TOOLS, Call, Other, session, talk, turn

FIRST, SECOND = Call("Go."), Call("Go on.")
RECORDED = session(*turn(FIRST), *turn(SECOND, id=4))
RAW, LOOSE = "raw", "loose"


def by(call: Call, number: int, level: str = RAW, **more: Any) -> Call:
    """A call that a recorded one answered."""
    return replace(call, served={"call": number, "level": level, **more})


def missed(call: Call, nearest: int) -> Call:
    """A call that nothing answered."""
    return replace(call, served={"nearest": nearest}, status=400)


def judged(run: Sequence[Entry], recorded: Sequence[Entry] = RECORDED, **settings: Any) -> ReplayVerdict:
    how = changed(Settings(), settings, Path())
    return judge_run(recorded, run, [], how, died=False, steps=4, sent=4)


def outcome(found: ReplayVerdict) -> ModelOutcome:
    assert found.comparison.model is not None
    return found.comparison.model


def codes(found: ReplayVerdict) -> list[tuple[str, str]]:
    return [(each.code, each.severity) for each in found.comparison.divergences]


def test_a_run_that_asks_the_same() -> None:
    """Each call is counted by how it matched; nothing differs."""
    found = judged(session(*turn(by(FIRST, 1)), *turn(by(SECOND, 2, "environment"), id=4)))
    assert found.passed
    assert codes(found) == []
    model = outcome(found)
    assert (model.mode, model.calls, model.unmatched) == ("recorded", 2, 0)
    assert list(model.matched.items()) == [("raw", 1), ("environment", 1)]


def test_a_model_that_is_served_is_compared_by_what_it_says() -> None:
    """Unless another level is asked for, or nothing was served."""
    run = session(*turn(by(FIRST, 1)), *turn(by(SECOND, 2), id=4))
    assert judged(run).comparison.match == "content"
    assert judged(run, match="semantic").comparison.match == "semantic"
    assert judged(run, model="live").comparison.match == "semantic"
    unasked = [entry for entry in RECORDED if entry.kind is not EntryKind.MODEL]
    assert judged(unasked, unasked).comparison.match == "semantic"
    assert judged(unasked).comparison.match == "semantic"


def told_otherwise(**changes: Any) -> list[Entry]:
    """A run that tells the model something else in each call."""
    return session(
        *turn(by(replace(FIRST, **changes), 1, LOOSE)), *turn(by(replace(SECOND, **changes), 2, LOOSE), id=4)
    )


#: A planted fault: the run, the code, and what is said.
PLANTED = {
    "a prompt": (
        told_otherwise(system="You help.\nBe kind."),
        "model-prompt-changed",
        "calls 1, 2: system prompt: 1 line changed",
    ),
    "a tool": (told_otherwise(tools=TOOLS[:1]), "model-tools-changed", "calls 1, 2: tool write removed"),
    "a parameter": (
        told_otherwise(temperature=0.7),
        "model-params-changed",
        "calls 1, 2: parameter temperature: 0.5 → 0.7",
    ),
    "a call once more": (
        session(*turn(by(FIRST, 1), by(FIRST, 1, again=True)), *turn(by(SECOND, 2), id=4)),
        "model-call-extra",
        "call 2 in the actual trace: asks the same again as call 1 of the recording",
    ),
    "another call": (
        session(*turn(by(FIRST, 1), missed(Call("Sum it up."), 2)), *turn(by(SECOND, 2), id=4)),
        "model-call-extra",
        "call 2 in the actual trace: not in the recording; most like call 2, but for message 1 (user): 1 line changed",
    ),
    "a call in the place of one": (
        session(*turn(by(FIRST, 1)), *turn(missed(Call("Sum it up."), 2), id=4)),
        "model-call-extra",
        "call 2 in the actual trace: not in the recording; most like call 2, but for message 1 (user): 1 line changed",
    ),
    "a call less": (
        session(*turn(by(FIRST, 1)), *turn(id=4)),
        "model-call-missing",
        "call 2: m-1, 2 tools; last user: Go on.",
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_told_by_its_code_and_nothing_else(fault: str) -> None:
    """As a note; with `model_strict` it fails, and an allowance makes it a note again."""
    run, code, message = PLANTED[fault]
    found = judged(run)
    assert found.passed
    assert codes(found) == [(code, "note")]
    assert found.comparison.divergences[0].message == message
    assert [change.code for change in outcome(found).changes] == [code]
    assert outcome(found).unmatched == ("not in the recording" in message)
    strict = judged(run, model_strict=True)
    assert not strict.passed
    assert codes(strict) == [(code, "error")]
    assert judged(run, model_strict=True, allow=[code]).passed


def test_an_agent_that_asks_no_model_is_told_once() -> None:
    """Such as one that is played by `mock`: nothing shows what it makes of the model's answers."""
    found = judged(session(*turn(), *turn(id=4)))
    assert [(each.code, each.message) for each in found.comparison.divergences] == [
        ("model-unserved", "the agent made no model calls; the recording has 2 calls")
    ]
    assert not found.passed
    assert judged(session(*turn(), *turn(id=4)), allow=["model-unserved"]).passed


def test_a_run_of_another_recording_is_compared_by_what_it_says() -> None:
    """Which of its calls answered says nothing of an alternative."""
    run = session(*turn(by(FIRST, 1, LOOSE)), *turn(by(SECOND, 2, LOOSE), id=4), replay_of="another")
    turned = session(*turn(SECOND), *turn(FIRST, id=4))
    assert outcome(judged(run, turned)).matched == {"raw": 2}
    assert codes(judged(run, turned)) == []


def test_what_a_miss_brought_about_is_told_below_it() -> None:
    """The provider's error is ours: it is one cause, and the miss is it. In another turn nothing follows."""
    failed = [prompt(3), missed(Call("Sum it up."), 2), refuse(3, -32603, "400 not in the recording")]
    found = judged(session(*failed, *turn(by(SECOND, 2), id=4)))
    assert not found.passed
    (cause,) = causes(found.comparison.failing)
    assert cause.first.code == "model-call-extra"
    assert {each.code for each in cause.consequences} == {"error-instead-of-result", "message-missing"}
    assert [(each.code, each.severity) for each in found.comparison.notes] == [("model-call-missing", "note")]
    allowed = judged(session(*failed, *turn(by(SECOND, 2), id=4)), allow=["model-call-extra"])
    assert allowed.passed, "what follows from it is allowed as well"
    elsewhere = session(*turn(by(FIRST, 1)), *turn(missed(Call("Sum it up."), 2), id=4, reason="refusal"))
    first = session(*turn(missed(Call("Sum it up."), 2)), *turn(by(SECOND, 2), id=4, reason="refusal"))
    assert [len(causes(judged(run).comparison.failing)[0].consequences) for run in (elsewhere, first)] == [
        1,
        0,
    ]


def test_an_agent_that_ends_after_a_miss() -> None:
    """That it is gone follows from the miss, too; calls that did not come by then are not missing."""
    gone = Incident("agent-gone", "the agent ended")
    run = session(*turn(by(FIRST, 1)), prompt(4), missed(Call("Sum it up."), 1))
    found = judge_run(RECORDED, run, [gone], Settings(), died=True, steps=4, sent=4)
    (cause,) = causes(found.comparison.failing)
    assert cause.first.code == "model-call-extra"
    assert "agent-gone" in [each.code for each in cause.consequences]
    assert "model-call-missing" not in [code for code, _ in codes(found)]


def test_a_miss_that_the_agent_tries_again_is_told_once() -> None:
    """However often it does."""
    misses = [missed(Call("Sum it up."), 2)] * 3
    found = judged(session(*turn(by(FIRST, 1), *misses), *turn(by(SECOND, 2), id=4)))
    assert [each.message for each in found.comparison.divergences] == [
        "calls 2–4 in the actual trace: not in the recording; most like call 2, but for message 1 (user): 1 line changed"
    ]
    assert (outcome(found).calls, outcome(found).unmatched) == (5, 3)


def test_one_change_of_many_calls_is_told_once() -> None:
    """Each call repeats the conversation: what all have in common is told, and what follows is below it."""
    then = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    recorded = session(*turn(FIRST), *turn(replace(FIRST, more=then), id=4))
    failed = [
        prompt(3), missed(Call("Stop."), 1), refuse(3, -32603, "400"),
        prompt(4), missed(Call("Stop.", more=then), 2), refuse(4, -32603, "400"),
    ]  # fmt: skip
    found = judged(session(*failed), recorded)
    (cause,) = causes(found.comparison.failing)
    assert cause.first.message == (
        "calls 1, 2 in the actual trace: not in the recording; most like calls 1, 2, but for message 1 (user): "
        "1 line changed"
    )
    assert cause.count == 1
    errors = [each for each in cause.consequences if each.code == "error-instead-of-result"]
    assert len(errors) == 2, "also what follows in another turn"
    assert outcome(found).unmatched == 2


def test_calls_that_differ_in_other_words_are_told_apart() -> None:
    """Another system prompt, which both have, keeps no call from its answer."""
    calls = [Call("Stop.", system="Be loud."), Call("Wait.\nHere.", system="Be loud.")]
    found = judged(session(*turn(*(missed(call, 1) for call in calls)), *turn(by(SECOND, 2), id=4)))
    told = [each.message for each in found.comparison.divergences if each.code == "model-call-extra"]
    assert [words.partition("but for ")[2] for words in told] == [
        "message 1 (user): 1 line changed; and 1 more",
        "message 1 (user): 1 line changed, 1 added; and 1 more",
    ]


def test_a_model_that_was_served_was_not_away() -> None:
    """What it did is known: a failure says nothing of a model that cannot be reached."""
    error = refuse(3, -32603, "connect ECONNREFUSED 127.0.0.1:1")
    run = [prompt(3), by(FIRST, 1), error, *turn(by(SECOND, 2), id=4)]
    assert "model-away" not in [each.code for each in judged(session(*run)).comparison.divergences]
    alone = talk(*START, prompt(3), error)
    plain = [entry for entry in alone if entry.kind != "model"]
    without = judged(plain, [entry for entry in RECORDED if entry.kind != "model"])
    assert "model-away" in [each.code for each in without.comparison.divergences]


def test_other_hosts_are_counted_and_differ_in_nothing() -> None:
    """Answered as recorded, or refused."""
    others = Other(served={"exchange": 1}), Other(served={"refused": True})
    found = judged(session(*others, *turn(by(FIRST, 1)), *turn(by(SECOND, 2), id=4)))
    assert codes(found) == []
    assert (outcome(found).answered, outcome(found).refused) == (1, 1)


def test_without_a_model_there_is_nothing_to_say() -> None:
    """Nothing was recorded, or nothing was served."""
    run = session(*turn(by(FIRST, 1)), *turn(by(SECOND, 2), id=4))
    plain = [entry for entry in run if entry.kind != "model"]
    assert judged(plain, plain).comparison.model is None
    assert outcome(judged(plain, model="off")) == ModelOutcome(mode="off")


def test_what_is_said_of_it() -> None:
    """On the screen at any width, in JSON and in JUnit: the same."""
    found = judged(PLANTED["a prompt"][0])
    replayed = Replayed("x.jsonl", found.comparison, found.passed, found.died, 4, 4, 10**9)
    places = [Place("x.jsonl", "x.jsonl"), Place(replayed.live_id)]
    told = [
        "model: recorded, 2 calls, 2 matched (2 loose)",
        "model-prompt-changed calls 1, 2: system prompt: 1 line changed line 2 - Be brief. + Be kind.",
    ]
    for width in (40, 80, 140):
        shown = report(replayed, places, width, all_=False).plain
        assert all(line in " ".join(shown.split()) for line in told)
        assert max(map(len, shown.splitlines())) <= width
        assert shown.count("model-prompt-changed") == 1
    assert document([replayed])["replays"][0]["model"] == {
        "mode": "recorded",
        "calls": 2,
        "matched": {"loose": 2},
        "unmatched": 0,
        "changes": [
            {
                "code": "model-prompt-changed",
                "call": 1,
                "message": "system prompt: 1 line changed",
                "expected_calls": [1, 2],
                "got_calls": [1, 2],
            }
        ],
        "other_hosts": {"answered": 0, "refused": 0},
    }
    said = junit([(replayed, places)]).decode()
    assert (
        "\n   model-prompt-changed  calls 1, 2: system prompt: 1 line changed\n     line 2\n     - Be brief."
        in said
    )
    assert told[0] in said
    assert "nothing" not in said
    (command,) = workflow_commands(replayed.found, places, all_=True)
    assert command.endswith("model-prompt-changed::calls 1, 2: system prompt: 1 line changed")
