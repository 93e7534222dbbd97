"""Many words looked for at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.redact import finder
from acp_trace.redact.finder import Finder, Sieve

_WORDS = st.lists(st.text("ab", min_size=1, max_size=6), max_size=12)


def test_words_that_overlap() -> None:
    """Both are found if one goes on where the other ends; the same one is found once."""
    found = Finder(["abcd", "cdef"])
    assert list(found.spans("abcdef")) == [(0, 4)]
    assert list(found.spans("abcdef", overlapping=True)) == [(0, 4), (2, 6)]
    assert list(Finder(["aa"]).spans("aaaa", overlapping=True)) == [(0, 2), (2, 4)]


@pytest.mark.parametrize("few", [0, 100])
@given(words=_WORDS, text=st.text("abc", max_size=40))
def test_the_longest_of_each_place_from_left_to_right(few: int, words: list[str], text: str) -> None:
    """Whether there are few words, or many."""
    expected, at = [], 0
    while at < len(text):
        word = max((one for one in words if text.startswith(one, at)), key=len, default="")
        if word:
            expected.append((at, at + len(word)))
        at += len(word) or 1
    before, finder._FEW = finder._FEW, few
    try:
        assert list(Finder(words).spans(text)) == expected
        assert not expected or Sieve(words).passes(text)
        assert not expected or Sieve(words).passes_bytes(text.encode())
    finally:
        finder._FEW = before


def test_a_word_that_does_not_fit_leaves_the_place_to_a_shorter_one() -> None:
    """Which may fit."""
    found = Finder(["abcd", "ab"], lambda _text, start, end: end - start == 2)
    assert list(found.spans("abcd")) == [(0, 2)]


def test_nothing_to_look_for() -> None:
    """Finds nothing; an empty word in a sieve lets all through."""
    assert list(Finder([]).spans("abc")) == []
    assert not Sieve([]).passes("abc")
    assert Sieve(["", "x"]).passes("abc")
    assert not Sieve([f"word{number}" for number in range(100)]).passes("abc")
