"""Allowances: what may differ from run to run. One allows what its words say, and nothing else."""

from __future__ import annotations

import pytest

from acp_trace.compare.result import Divergence
from acp_trace.replay.verdict.allowances import AllowanceError, Allowances, parse, proposed
from acp_trace.story.frame_event import FrameEvent

USAGE = FrameEvent(7, "agent", "session/update usage_update")


def divergence(code: str = "update-missing", **more: object) -> Divergence:
    given = {"expected": "usage_update", "got": None, "expected_event": USAGE, "got_event": None, **more}
    return Divergence(code, "error", "s", "…", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "of", "allowed"),
    [
        ("update-missing", divergence(), True),
        ("update-missing usage_update", divergence(), True),
        ("update-missing session/update usage_update", divergence(), True),
        ("update-missing usage", divergence(), False),
        ("update-missing plan", divergence(), False),
        ("update-extra usage_update", divergence(), False),
        ("frame-differs /params/update/used", divergence("frame-differs", pointer="/params/update/used"), True),
        ("frame-differs /params/*/used", divergence("frame-differs", pointer="/params/update/used"), True),
        ("frame-differs /params/update", divergence("frame-differs", pointer="/params/update/used"), False),
        ("frame-differs /params/update/used", divergence("frame-differs"), False),
        ("config-final option model", divergence("config-final", about="option model"), True),
        ("config-final option effort", divergence("config-final", about="option model"), False),
        ("metadata-set /_meta/x", divergence("metadata-set", about="/_meta/x"), True),
        ("finding-new title-too-long", divergence("finding-new", about="title-too-long"), True),
        ("request-missing fs/read_text_file",
         divergence("request-missing", expected_event=FrameEvent(3, "agent", "fs/read_text_file")), True),
    ],
)  # fmt: skip
def test_what_is_allowed(text: str, of: Divergence, allowed: bool) -> None:
    """The code, and all words of the place: whole words, and pointers of the same length."""
    (found,), (use,) = Allowances([parse(text)]).apply([of])
    assert (found.severity, found.allowed) == (("note", text) if allowed else ("error", None))
    assert (use.allowance, use.uses) == (text, int(allowed))


def test_what_follows_from_what_is_allowed_is_allowed() -> None:
    """A request that the replay refused, and what the agent did without its answer."""
    cause = divergence(
        "request-extra", got_event=FrameEvent(9, "agent", "fs/read_text_file"), expected_event=None
    )
    follows = divergence("tool-call-status", consequence_of=9)
    other = divergence("tool-call-status", consequence_of=11)
    found, (use,) = Allowances([parse("request-extra fs/read_text_file")]).apply([follows, cause, other])
    assert [one.allowed is not None for one in found] == [True, True, False]
    assert use.uses == 2


def test_a_note_stays_a_note() -> None:
    """It needs no allowance, and uses none."""
    note = Divergence("update-missing", "note", None, "…", None, None, None, None)
    (found,), (use,) = Allowances([parse("update-missing")]).apply([note])
    assert (found.allowed, use.uses) == (None, 0)


@pytest.mark.parametrize(
    ("text", "says", "start"),
    [
        ("", "expected the code of a divergence", 0),
        ("update-mising usage_update", "did you mean update-missing?", 0),
        ("frobnicate", "expected the code of a divergence", 0),
        ("timeout", "an early end of the run cannot be allowed", 0),
        ("agent-gone x", "an early end of the run cannot be allowed", 0),
        ("over-budget", "change the budget instead", 0),
        ("finding-fixed", "a note: it never fails", 0),
        ("update-missing /params//x", "expected a key, an index or *", 23),
    ],
)
def test_what_is_no_allowance(text: str, says: str, start: int) -> None:
    """One line, with a caret under the place."""
    with pytest.raises(AllowanceError) as raised:
        parse(text)
    assert says in str(raised.value)
    assert raised.value.start == start


def test_the_allowance_that_would_allow_it() -> None:
    """With the narrowest place that it has; none for what cannot be allowed."""
    assert proposed(divergence()) == "update-missing usage_update"
    assert proposed(divergence("frame-differs", pointer="/params/update/content/0/text")) == (
        "frame-differs /params/update/content/*/text"
    )
    assert (
        proposed(divergence("config-final", about="option model", pointer="/x/y"))
        == "config-final option model"
    )
    assert proposed(divergence("title-never-set", about="/title")) == "title-never-set /title"
    assert proposed(divergence("session-missing", expected_event=None)) == "session-missing"
    assert proposed(divergence("timeout")) is None
    for one in (divergence(), divergence("frame-differs", pointer="/a/0")):
        text = proposed(one)
        assert text is not None
        assert Allowances([parse(text)]).apply([one])[1][0].uses == 1
