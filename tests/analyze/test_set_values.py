"""A value that was set in one trace of a session, and is gone in a later one."""

from __future__ import annotations

from typing import Any

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.set_values import lost_between
from tests.analyze.findings.scenario import hello
from tests.reading.talk import Said, answer, ask
from tests.support import facts_of

_SET = ask(5, "session/set_config_option", sessionId="s", configId="mode", value="plan")


def _options(value: str) -> dict[str, Any]:
    choices = [{"value": one, "name": one} for one in ("build", "plan")]
    option = {"id": "mode", "name": "Mode", "type": "select", "currentValue": value, "options": choices}
    return {"configOptions": [option]}


def _opened(method: str, value: str | None, *more: Said) -> Facts:
    result = {} if value is None else _options(value)
    if method == "session/new":
        return facts_of(*hello(), ask(1, method, cwd="/w"), answer(1, sessionId="s", **result), *more)
    return facts_of(*hello(), ask(1, method, sessionId="s", cwd="/w"), answer(1, **result), *more)


def _lost(*traces: Facts) -> list[tuple[str, int]]:
    named = [(f"t{at}", facts) for at, facts in enumerate(traces)]
    return [(one.trace_id, one.finding.frame) for one in lost_between(named, "s")]


_FIRST = _opened("session/new", "build", _SET, answer(5, **_options("plan")))


def test_a_mode_that_the_next_process_does_not_know() -> None:
    """What opencode does: the value is asked for again, and lost again; each loss is said once."""
    again = _opened("session/resume", "build", _SET, answer(5, **_options("plan")))
    only = _opened("session/load", "build")
    assert _lost(_FIRST, again, only, only) == [("t1", 4), ("t2", 4)]
    (finding, *_) = lost_between([("t0", _FIRST), ("t1", only)], "s")
    assert finding.finding.message == (
        'mode was set to "plan" in #6 of t0, and is "build" when the session is opened again'
    )
    assert (finding.finding.code, finding.finding.severity, finding.finding.blame) == (
        "config-lost",
        "warning",
        "agent",
    )


def test_a_mode_that_was_set_the_old_way() -> None:
    """Whose answer says nothing but that it worked; the next process has it among its options."""
    first = _opened(
        "session/resume", "build", ask(5, "session/set_mode", sessionId="s", modeId="plan"), answer(5)
    )
    assert _lost(first, _opened("session/resume", "build")) == [("t1", 4)]
    assert _lost(first, _opened("session/resume", "plan")) == []


def test_what_is_no_loss() -> None:
    """It is kept; the trace between says nothing; somebody changed it; it is another session by the same id."""
    assert _lost(_FIRST, _opened("session/load", "plan"), _opened("session/load", "plan")) == []
    assert _lost(_FIRST, _opened("session/load", None)) == []
    back = ask(6, "session/set_config_option", sessionId="s", configId="mode", value="build")
    changed = _opened("session/load", "plan", back, answer(6, **_options("build")))
    assert _lost(_FIRST, changed, _opened("session/load", "build")) == []
    assert _lost(_FIRST, _opened("session/new", "build")) == []
    assert _lost(_FIRST, _opened("session/load", None), _opened("session/load", "build")) == [("t2", 4)]


def test_what_one_trace_shows_alone_is_not_said_twice() -> None:
    """Its own findings have it."""
    alone = _opened(
        "session/new",
        "build",
        _SET,
        answer(5, **_options("plan")),
        ask(6, "session/load", sessionId="s", cwd="/w"),
        answer(6, **_options("build")),
    )
    assert [one.code for one in alone.findings] == ["config-lost"]
    assert _lost(alone) == []
