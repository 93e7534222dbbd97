"""What a run no longer tells its model: it fails, though the client sees no difference."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.replay.verdict.verdict import ReplayVerdict
from tests.reading.talk import Said, up
from tests.replay.model_talk import Call, session, turn
from tests.replay.test_model_changes import by, codes, judged, missed

_READ = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}


def _shown(text: str) -> Said:
    """A tool call that shows what it read."""
    content = [{"type": "content", "content": {"type": "text", "text": text}}]
    return up("tool_call", toolCallId="c", title="Read", kind="read", status="completed", content=content)


def _call(gave: str | None, text: str = "Go.", said: str = "I look.") -> Call:
    """The call after a tool has given something."""
    asked = [{"role": "assistant", "content": said, "tool_calls": [_READ]}]
    result = [] if gave is None else [{"role": "tool", "tool_call_id": "c", "content": gave}]
    return Call(text, more=(*asked, *result))


_FILE = "first line\nsecond line"
_RECORDED = session(*turn(Call(), _shown(_FILE), _call(_FILE), text="Go."))


def _judged(call: Call, level: str = "output", **settings: Any) -> ReplayVerdict:
    run = session(*turn(by(Call(), 1), _shown(_FILE), by(call, 2, level), text="Go."))
    return judged(run, _RECORDED, **settings)


@pytest.mark.parametrize(
    ("call", "level", "code", "says"),
    [
        (_call(""), "output", "model-result-lost", "call 2: the result of read no longer reaches the model: it is empty"),
        (_call(_FILE[:12]), "output", "model-result-lost", "call 2: the result of read is cut short: 12 of 22 characters"),
        (_call(None), "loose", "model-result-lost", "call 2: the result of read no longer reaches the model: it is missing"),
        (_call("first line\n2nd line"), "output", "model-result-changed", "call 2: the result of read reaches the model without"),
        (_call(_FILE, said=""), "loose", "model-history-lost", "call 2: an earlier answer of the model no longer reaches"),
        (_call(_FILE, text="?"), "loose", "model-text-lost", "call 2: what the user said no longer reaches the model: Go. is missing"),
        (_call(_FILE, text="Gone"), "loose", "model-text-lost", "call 2: what the user said no longer reaches the model: Go. is missing"),
        (_call(_FILE, text="I say: Go"), "loose", "model-text-lost", "call 2: what the user said no longer reaches the model: Go. is cut"),
    ],
)  # fmt: skip
def test_what_no_longer_reaches_the_model_fails(call: Call, level: str, code: str, says: str) -> None:
    """At `content`, which is the level of such a replay; it stands at the prompt of its turn."""
    found = _judged(call, level)
    assert not found.passed
    (lost,) = [each for each in found.comparison.divergences if each.severity == "error"]
    assert (lost.code, lost.message[: len(says)]) == (code, says)
    assert lost.got_event is not None
    assert lost.got_event.what == "session/prompt"
    assert _judged(call, level, allow=[code]).passed
    assert _judged(call, level, match="semantic").passed


def test_what_a_tool_gave_otherwise_is_a_note() -> None:
    """If no frame shows it: it ran again."""
    recorded = session(*turn(Call(), _call("3 files")))
    found = judged(session(*turn(by(Call(), 1), by(_call("no files"), 2, "output"))), recorded)
    assert found.passed
    assert codes(found) == [("model-result-differs", "note")]


def test_all_results_are_told_once() -> None:
    """However many there are, and however many calls repeat them."""
    recorded = session(*turn(Call(), _call("a file"), _call("a file")), *turn(_call("another file"), id=4))
    run = session(
        *turn(by(Call(), 1), by(_call(""), 2, "output"), by(_call(""), 3, "output")),
        *turn(by(_call(""), 4, "output"), id=4),
    )
    (lost,) = judged(run, recorded).comparison.failing
    assert lost.message == (
        "calls 2–4: the result of read no longer reaches the model: it is empty; it was a file (and 1 more like it)"
    )


def test_a_recording_without_calls_answers_nothing() -> None:
    """It says what was seen, and that the run is not hermetic; a run without prompts needs no answer."""
    silent = session(*turn())
    found = judged(silent, silent)
    assert [(each.code, each.severity) for each in found.comparison.failing] == [("model-unserved", "error")]
    assert found.comparison.failing[0].message.startswith(
        "of the recording: no model calls were recorded (no requests)"
    )
    assert judged(silent, silent, allow=["model-unserved"]).passed
    assert judged(silent, silent, model="off").passed
    assert judged(session(), session()).passed


def test_no_call_of_the_run_is_recorded() -> None:
    """Each is told, and that nothing was answered."""
    found = judged(session(*turn(missed(Call("?"), 1))), session(*turn(Call())))
    assert ("model-unserved", "error") in codes(found)


def _unanswered(call: Call, nearest: int = 2, **settings: Any) -> ReplayVerdict:
    run = session(*turn(by(Call(), 1), _shown(_FILE), missed(call, nearest), text="Go."))
    return judged(run, _RECORDED, **settings)


@pytest.mark.parametrize("nearest", [1, 2])
@pytest.mark.parametrize(
    ("call", "code"),
    [
        (_call(None), "model-result-lost"),
        (_call(_FILE, said=""), "model-history-lost"),
        (_call(_FILE, text="?"), "model-text-lost"),
    ],
)
def test_what_a_call_lacks_that_is_not_in_the_recording(call: Call, code: str, nearest: int) -> None:
    """It fails, though the agent hides the error of its model; below `content`, it is a call more.

    Without its history, it may be most like an earlier call: then its place says which one it is.
    """
    (lost,) = _unanswered(call, nearest).comparison.failing
    assert lost.code == code
    below = _unanswered(call, match="semantic")
    assert below.passed
    assert codes(below) == [("model-call-extra", "note")]


def test_a_call_of_another_kind_lacks_nothing() -> None:
    """The call that it is most like was answered: nobody knows in whose place it is made."""
    title = missed(Call("A title, please."), 1)
    run = session(*turn(by(Call(), 1), title, _shown(_FILE), by(_call(_FILE), 2, "output"), text="Go."))
    found = judged(run, _RECORDED)
    assert found.passed
    assert codes(found) == [("model-call-extra", "note")]


def test_a_title_in_other_words() -> None:
    """An agent asks for it when it likes, and offers no tools: nothing is lost with it."""
    recorded = session(*turn(Call(), Call("A title for: Go.", tools=()), text="Go."))
    run = session(*turn(by(Call(), 1), missed(Call("A title.", tools=()), 2), text="Go."))
    assert codes(judged(run, recorded)) == [("model-call-extra", "note")]


def test_what_is_lost_with_an_error_of_the_model() -> None:
    """An agent may drop a turn that its model did not answer: only what was lost before is told of later calls."""
    again = Call("Go.", more=({"role": "assistant", "content": "Done."}, {"role": "user", "content": "On."}))
    recorded = session(*turn(Call(), text="Go."), *turn(again, text="On.", id=4))
    changed = missed(Call("Go.", more=({"role": "user", "content": "Be kind."},)), 1)
    run = session(*turn(changed, text="Go."), *turn(missed(Call("On."), 2), text="On.", id=4))
    told = codes(judged(run, recorded))
    assert {code for code, _ in told} == {"model-call-extra", "model-unserved"}


def test_what_all_calls_lack_is_told_once() -> None:
    """What answers would have brought, and what an agent drops with them, is not told beside it."""
    later = {"role": "user", "content": "On."}
    recorded = session(*turn(Call(), text="Go."), *turn(Call("Go.", more=(later,)), text="On.", id=4))
    run = session(
        *turn(missed(Call("?"), 1), text="Go."),
        *turn(missed(Call("?", more=(later,)), 2), text="On.", id=4),
    )
    (lost,) = judged(run, recorded).comparison.failing
    assert lost.message == "calls 1, 2: what the user said no longer reaches the model: Go. is missing"
