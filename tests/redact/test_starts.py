"""The first characters of many words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.redact.starts import Starts, spelt

_TEXT = st.text("ab\u00e9\u4e00\ud800\U0001f600", max_size=40)


@given(st.lists(st.text("ab\u00e9\u4e00\ud800", min_size=1, max_size=12), max_size=8), _TEXT)
def test_every_place_of_a_word_is_found(words: list[str], text: str) -> None:
    """Of words of any length, in a text of any characters; other places only for characters without a byte."""
    starts, places = Starts(words), Starts(words).places(spelt(text))
    begun = [at for at in range(len(text)) if text.startswith(tuple(words), at)]
    assert places == sorted(set(places))
    assert set(begun) <= set(places)
    assert starts.are_in(spelt(text)) is bool(places)


@given(st.lists(st.text("ab", min_size=1, max_size=12), max_size=8), st.text("abc", max_size=40))
def test_no_other_place_is_found(words: list[str], text: str) -> None:
    """Where the first eight characters of a word, or four, two or one, are not."""
    heads = tuple(word[: max(size for size in (1, 2, 4, 8) if size <= len(word))] for word in words)
    assert Starts(words).places(spelt(text)) == [
        at for at in range(len(text)) if heads and text.startswith(heads, at)
    ]
