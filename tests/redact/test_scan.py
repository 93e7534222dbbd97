"""What shows by itself in a text, whatever stands around it and however it is spelt."""

from __future__ import annotations

import pytest

from acp_trace.redact.scan import Hit, apart, is_escaped, secrets

TOKEN = "ghp_" + "abcdefghij1234567890"
AROUND = [
    "\x1b[32m{}\x1b[0m", "\x1b[0;32m{}", "\x1b[38;5;12m{}", "\x9b32m{}", "\x1b]8;;x\x07{}", "\x1b]0;t\x1b\\{}",
    "\x1b(B{}", "\\u001b[32m{}", "\\x1b[32m{}", "\\033[32m{}", "^[[32m{}", "_{}", "key_{}", "%20{}", "%3d{}",
    "%2f{}", "\\n{}", "\\u000a{}", "\\\\n{}", "令牌{}", "ключ{}", "&quot;{}", "{}令牌", "{}%20x", "{}\\u0022",
]  # fmt: skip


@pytest.mark.parametrize("around", AROUND)
def test_whatever_stands_beside_a_token(around: str) -> None:
    """A colour, an escape, another alphabet: it is found, and nothing else is taken."""
    text = around.format(TOKEN)
    assert [(text[one.start : one.end], one.secret) for one in secrets(text)] == [(TOKEN, TOKEN)]


@pytest.mark.parametrize("scheme", ["bearer", "Bearer", "BEARER", "bEaReR", "authorization: bearer"])
def test_the_scheme_in_any_case(scheme: str) -> None:
    """RFC 9110, 11.1."""
    assert [one.secret for one in secrets(f"{scheme} abcdefgh12345678")] == ["abcdefgh12345678"]
    assert [one.secret for one in secrets(f"é {scheme}%20abcdefgh12345678")] == ["abcdefgh12345678"]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (r'"Bearer abc1defgh1234567\u002Babcd\/efgh"', "abc1defgh1234567+abcd/efgh"),
        (r'"https:\/\/user:passw0rd@h\/x"', "passw0rd"),
        (r'"https://h/?a=b\u0026token=abcd"', "abcd"),
        ("next=https%3a%2f%2fh%2f%3ftoken%3dabcd", "abcd"),
        ("\x1b[01;31mghp_\x1b[m\x1b[Kabcdefghij1234567890", TOKEN),
    ],
)
def test_escapes_are_seen_through(text: str, secret: str) -> None:
    """Of Go, .NET, PHP and URLs, and colours in the middle of a token; the secret is what it says."""
    assert secret in [one.secret for one in secrets(text)]


def test_apart() -> None:
    """The wider one counts; what hangs over goes too; what is loose only where nothing else is."""
    wide, inner, over, far = Hit(0, 9, "a"), Hit(2, 4, "b"), Hit(7, 12, "c"), Hit(20, 22, "d")
    assert apart([inner, over, wide]) == [wide, over._replace(start=9)]
    assert apart([wide], [inner, far]) == [wide, far]
    assert apart([], [far]) == [far]


@pytest.mark.parametrize(("text", "hides"), [("a", False), ("a\nb 100%", False), ("\\n", False), ("%20", False), ("\\u0041", True), ("%41", True), ("\x1b", True), ("\x9b", True)])  # fmt: skip
def test_which_escapes_can_hide_something(text: str, hides: bool) -> None:
    """Of letters, digits and the signs of URLs; most texts have none."""
    assert is_escaped(text) is hides
