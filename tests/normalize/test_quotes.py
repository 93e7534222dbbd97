"""Whether one text quotes another."""

from __future__ import annotations

import pytest

from acp_trace.normalize.quotes import same, shows


@pytest.mark.parametrize(
    ("text", "value", "is_shown"),
    [
        ("Run `ls`", "ls", True),
        ("Run tools", "ls", False),
        ("tools ls", "ls", True),
        ("touch /w/a", "/w", True),
        ("a\n  b", "a b", True),
        ("cat <<EOF", "cat <<EOF\nhello\nEOF", True),
        ("Running: sleep 20 && tou…", "sleep 20 && touch x", True),
        ("Running: sleep 20 && rm…", "sleep 20 && touch x", False),
        ("sleep…", "sleep 20 && touch x", False),
        ("x", "x", False),
        ("", "ls", False),
        ("ls", "", False),
    ],
)
def test_shows(text: str, value: str, is_shown: bool) -> None:
    """As whole words, its first line, or cut off."""
    assert shows(text, value) == is_shown


@pytest.mark.parametrize(
    ("text", "other", "is_same"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("a long te…", "a long text", True),
        ("a long text", "a long te...", True),
        ("a short te…", "a long text", False),
        ("…", "a long text", False),
    ],
)
def test_same(text: str, other: str, is_same: bool) -> None:
    """As far as an ellipsis lets it be known."""
    assert same(text, other) == is_same
