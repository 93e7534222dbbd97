"""Nothing from the traffic may drive a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.report.safe import safe, safe_lines, shorten


def test_escapes_are_visible() -> None:
    """An agent that colours, moves the cursor, sets the title, or turns the text around."""
    assert safe("\x1b[31mred\x07\x9b2J\n\r\t\x00\u202e\ud800") == r"\e[31mred\x07\x9b2J\n\r\t\x00\u202e\ud800"
    assert safe_lines("a\nb\x1b") == "a\nb\\e"


def test_hidden_text_is_visible() -> None:
    """A language model reads tags as ASCII, and no person sees them."""
    assert safe("ok\U000e0072\U000e006d") == r"ok\U000e0072\U000e006d"


@given(st.text(alphabet=st.characters()))
def test_nothing_harmful_is_left(text: str) -> None:
    """No control character of any kind; ordinary text is untouched."""
    made = safe(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in made)
    assert "\n" not in made
    if text.isprintable():
        assert made == text


def test_shorten() -> None:
    """The last character says that something was cut."""
    assert [shorten("abcdef", width) for width in (9, 6, 3, 1, 0)] == ["abcdef", "abcdef", "ab…", "…", "…"]
