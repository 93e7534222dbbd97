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
        (_call(_FILE, text="?"), "loose", "model-text-lost", "call 2: what the user said no longer reaches the model: Go."),
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
        "of the recording: no call of a model was recorded (no requests)"
    )
    assert judged(silent, silent, allow=["model-unserved"]).passed
    assert judged(silent, silent, model="off").passed
    assert judged(session(), session()).passed


def test_no_call_of_the_run_is_recorded() -> None:
    """Each is told, and that nothing was answered."""
    found = judged(session(*turn(missed(Call("?"), 1))), session(*turn(Call())))
    assert ("model-unserved", "error") in codes(found)
