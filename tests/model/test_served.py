"""What a replay says of where its answers came from, read back from its trace."""

from __future__ import annotations

import json

import pytest

from acp_trace.model.exchange import Served, exchanges_in
from acp_trace.trace.entries import Entry, EntryKind


def served(words: object) -> Served | None:
    """What is read of an exchange that has these words."""
    data = json.dumps({"exchange": 1, "served": words}).encode()
    return exchanges_in([Entry(1, EntryKind.MODEL, 0, None, data, data)])[0].served


def test_an_answer_from_the_recording_names_its_call_and_how_it_matched() -> None:
    """The number of the call, the level, and whether it had been served before."""
    assert served({"call": 3, "level": "ids"}) == Served(call=3, level="ids")
    assert served({"call": 3, "level": "raw", "again": True}) == Served(3, "raw", again=True)


def test_a_request_that_nothing_matches_names_what_is_nearest() -> None:
    """No call, but the one that is most like it."""
    assert served({"nearest": 2}) == Served(nearest=2)


def test_other_hosts_are_answered_or_refused() -> None:
    """A host that is no model has an exchange, or was refused."""
    assert served({"exchange": 7}) == Served(exchange=7)
    assert served({"refused": True}) == Served(is_refused=True)


@pytest.mark.parametrize("words", [{"call": "3"}, {"call": True}, {"level": 3}, {"again": 1}])
def test_words_of_the_wrong_type_say_nothing(words: object) -> None:
    """A number that is a string, or true, is no number."""
    assert served(words) == Served()


def test_without_such_words_nothing_was_served() -> None:
    """Any other trace says nothing of it."""
    assert served(None) is None


def test_each_call_of_a_websocket_says_it() -> None:
    """In the order of the calls."""
    words = [{"call": 3, "level": "raw"}, {"nearest": 4}]
    data = [json.dumps({"exchange": 1, "served": each}).encode() for each in words]
    (exchange,) = exchanges_in([Entry(1, EntryKind.MODEL, 0, None, each, each) for each in data])
    assert exchange.all_served == [Served(3, "raw"), Served(nearest=4)]
