"""What followed from a request that the player refused is marked so; what did not is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.compare.difference import read
from acp_trace.compare.result import Divergence
from acp_trace.compare.run_order import RunOrder
from acp_trace.replay.incidents import Incident
from acp_trace.replay.verdict.consequences import Refusal, marked
from tests.compare.conversation import Edit, base, drop, instead, is_in_order, put, tool
from tests.compare.conversation import file as file_of
from tests.compare.test_run_order import at
from tests.reading.talk import decline, refuse, stop, up
from tests.replay.facing import entries
from tests.replay.lines import chunk, reads
from tests.replay.test_verdict import frame, place, verdict

_NAMES = [name for name, _ in base()]


def then(*edits: Edit) -> Edit:
    """Edits, one after the other."""

    def edit(named: Any) -> Any:
        for each in edits:
            named = each(named)
        return named

    return edit


def _until(last: str) -> Edit:
    """A conversation that breaks off behind a frame."""
    return lambda named: named[: [name for name, _ in named].index(last) + 1]


REFUSED = put("bye", reads(9, "/w/other"), decline(9, -32602))  # in the first turn, behind its two tools


def marks(*edits: Edit) -> dict[str, int | None]:
    """What each divergence of a run is a consequence of, by its code; the refusal is in all of them."""
    edit = then(REFUSED, *edits)
    said = [name for name, _ in edit(base())]
    incident = Incident("request-unmatched", "…", "s", got=place("bye +0", edit), reason="it is new")
    divergences: list[Divergence] = verdict(edit, incident).comparison.divergences
    refusal = said.index("bye +0") + 1
    assert {one.consequence_of for one in divergences} <= {None, refusal}
    return {one.code: one.consequence_of for one in divergences}


def test_the_refused_request_itself_is_a_cause() -> None:
    """It is the agent's doing."""
    assert marks() == {"request-extra": None}


def test_what_comes_behind_it_in_its_turn_is_its_consequence() -> None:
    """Something else, something more, something missing, another end, and what comes when the turn is over."""
    found = marks(
        put("usage", tool("c9", "failed", kind="other", title="No")),
        drop("usage"),
        instead("stop 1", stop(3, "refusal")),
        put("stop 1", chunk("Sorry")),
    )
    assert found.pop("request-extra") is None
    assert set(found) == {"tool-call-extra", "update-missing", "stop-reason", "update-after-stop"}
    assert None not in found.values()


def test_what_comes_before_it_is_not() -> None:
    """The same turn, but nothing was refused yet."""
    found = marks(drop("plan"), instead("edit end", tool("c2", "failed")))
    assert found == {"request-extra": None, "update-missing": None, "tool-call-status": None}


@pytest.mark.parametrize("rest", [drop("hello 2"), instead("hello 2", chunk("may not read"))])
def test_a_text_that_it_cut_short_is_its_consequence(rest: Edit) -> None:
    """It began before, and goes on in another way, or not at all."""
    edit = then(put("hello 1", reads(9, "/w/other"), decline(9, -32602)), rest)
    incident = Incident("request-unmatched", "…", "s", got=place("hello 1 +0", edit), reason="it is new")
    found = verdict(edit, incident, match="content").comparison.divergences
    marks = {divergence.code: divergence.consequence_of for divergence in found}
    assert marks == {"request-extra": None, "content-differs": frame("hello 1 +0", edit)}


def test_a_text_that_was_another_before_it_is_not() -> None:
    """What it began with was no doing of the refusal."""
    edit = then(put("hello 2", reads(9, "/w/other"), decline(9, -32602)), instead("hello 1", chunk("We ")))
    incident = Incident("request-unmatched", "…", "s", got=place("hello 2 +0", edit), reason="it is new")
    found = verdict(edit, incident, match="content").comparison.divergences
    assert {each.code: each.consequence_of for each in found} == {
        "request-extra": None,
        "content-differs": None,
    }


def test_a_call_that_is_left_open_by_it_is_its_consequence() -> None:
    """It began before, and would have ended after."""
    found = marks(drop("edit end"))
    assert found.pop("request-extra") is None
    assert found
    assert None not in found.values()


@pytest.mark.parametrize(("ended", "follows"), [(stop(3), False), (refuse(3, -32602), True)])
def test_an_agent_that_is_stuck_from_then_on(ended: Any, follows: bool) -> None:
    """Nothing worked any more since it was refused; a turn that ended well in between says otherwise."""
    edit = then(REFUSED, instead("stop 1", ended), _until("prompt 2"))
    incidents = [
        Incident("request-unmatched", "…", "s", got=place("bye +0", edit), reason="it is new"),
        Incident("timeout", "…", None, got=place("prompt 2", edit)),
    ]
    (timeout,) = (
        one for one in verdict(edit, *incidents, died=True).comparison.divergences if one.code == "timeout"
    )
    assert (timeout.consequence_of is not None) is follows


def test_what_comes_in_another_turn_is_not() -> None:
    """By then the agent has been prompted anew."""
    found = marks(
        drop("web end"), instead("stop 3", stop(5, "refusal")), put("found", up("plan", entries=[]))
    )
    assert set(found.values()) == {None}
    assert len(found) > 2


def test_what_an_answer_before_it_lacks_is_not() -> None:
    """A call of the model may be at any frame: here at an update, and in no turn that the run knows."""
    edit = put("plan", up("odd_update"))
    refusal = Refusal(frame("plan +0", edit), "s")
    facts = [read(entries(file_of(named))).facts() for named in (base(), edit(base()))]
    lacks = at(frame("session"), None, "option-missing"), at(frame("bye"), None, "message-missing")
    found = marked(lacks, [refusal], facts[0], facts[1], RunOrder([]))
    assert [each.consequence_of for each in found] == [None, refusal.frame]


@settings(max_examples=25)
@given(st.sets(st.sampled_from(_NAMES), max_size=12), st.sampled_from([*_NAMES[7:]]))
def test_no_refusal_brings_about_what_came_before_it(gone: set[str], place_name: str) -> None:
    """Whatever the run lacks, and wherever the refused request stands."""
    edit = then(put(place_name, reads(9, "/w/other"), decline(9, -32602)), drop(*(gone - {place_name})))
    refused = place(f"{place_name} +0", edit)
    incident = Incident("request-unmatched", "…", "s", got=refused, reason="it is new")
    assert all(map(is_in_order, verdict(edit, incident, match="content").comparison.divergences))
