"""What a text says once its escapes are read, and where that stands in it."""

from __future__ import annotations

import html
import json
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.redact.views import views, without_nuls


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"a\u0026b", "a&b"),
        (r"a\u002Bb", "a+b"),
        (r"a\/b", "a/b"),
        (r"a\\u0026b", "a&b"),
        (r"\ud83d\ude00", "😀"),
        (r"\x1b[1m", "\x1b[1m"),
        (r"\033[1m", "\x1b[1m"),
        (r"\u{1F600}\e", "😀\x1b"),
        ("a%2bb%2Bc", "a+b+c"),
        ("a%252Fb", "a/b"),
        ("%C3%A9%f0%9f%98%80", "é😀"),
        ("a&amp;b&#38;c", "a&b&c"),
        ("x\x1b[0;32my\x1b[0m", "x y "),
        ("x\x1b[31my", "xy"),
        ("x\x9b31my", "xy"),
        ("x\x1b]8;;a\x07y\x1b]0;t\x1b\\z", "xyz"),
        ("^[[31mx", " x"),
        (r"\u001b[32mx", " x"),
        ("a\0b\0", "ab"),
        ("%5Cu0026", "&"),
    ],
)
def test_escapes_are_read(text: str, read: str) -> None:
    """As Go, .NET, PHP, Python, JavaScript, URLs, HTML and terminals write them, and one in another."""
    found = list(views(text))
    assert found[0].text == text
    assert read in [view.text for view in found]


def test_what_was_left_out_makes_it_loose() -> None:
    """What stands together there may not belong together."""
    assert {view.text: view.loose for view in views("x\x1b[31my")} == {
        "x\x1b[31my": False,
        "x y": False,
        "xy": True,
    }


@given(st.text(), st.sampled_from([json.dumps, lambda s: quote(s, safe=""), html.escape]), st.text())
def test_a_span_leads_back(secret: str, spell: object, around: str) -> None:
    """To exactly what was read: of each character, the escape that says it."""
    assert callable(spell)
    text = around + spell(secret)
    for view in views(text):
        assert view.span(0, len(view.text))[1] <= len(text)
        places = [view.span(at, at + 1) for at in range(len(view.text))]
        assert all(start < end for start, end in places)
        assert all(one[1] <= next_[0] for one, next_ in pairwise(places))


@given(st.text())
def test_any_text_has_few_views(text: str) -> None:
    """However deep its escapes are."""
    assert len(list(views(text + "\\" * 100 + "%25" * 100 + "\x1b[1m"))) <= 16


def test_utf_16_read_as_utf_8() -> None:
    """Has a zero beside each letter."""
    text = "key".encode("utf-16-le").decode()
    view = without_nuls(text)
    assert (view.text, view.span(1, 2)) == ("key", (2, 3))
    assert without_nuls("key").text == "key"
