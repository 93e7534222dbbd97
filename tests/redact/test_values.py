"""Secrets and placeholders."""

from __future__ import annotations

import re

import pytest

from acp_trace.redact.values import Values, fits, is_placeholder, sign

ORDER = ("env", "shape")


def wanted(*secrets: str) -> dict[str, str]:
    values = Values(ORDER)
    for secret in secrets:
        values.learn(secret, "env")
    return values.wanted(but=lambda _: False)


def test_the_same_secret_has_the_same_placeholder() -> None:
    """Numbered by the order in which they are asked for."""
    values = Values(ORDER)
    assert [values.placeholder(one) for one in ("b", "a", "b")] == ["<secret:1>", "<secret:2>", "<secret:1>"]


def test_numbers_that_are_there_are_not_given_again() -> None:
    """A trace that was redacted before, by other rules."""
    values = Values(ORDER)
    values.taken("x <secret:3> y <secret:12>")
    values.taken("<secret:4>")
    assert values.placeholder("a") == "<secret:13>"


def test_a_placeholder_is_no_secret() -> None:
    """So that redacting twice changes nothing."""
    assert is_placeholder("<secret:1>")
    assert is_placeholder("<home>")
    assert is_placeholder("<home:2>")
    assert not is_placeholder("<secret:1>x")
    assert wanted("<secret:1>", "<home>", "") == {}


@pytest.mark.parametrize(
    "secret", ["1", "abc", "30000", "true", "application/json", "/usr/bin:/bin", "/bin/bash"]
)
def test_everyday_words_are_looked_for_nowhere(secret: str) -> None:
    """They go from the place that a rule names, and from no other."""
    assert wanted(secret) == {}


def test_the_longest_comes_first() -> None:
    """So that no part of a secret is left because another one begins like it."""
    assert list(wanted("abcdefgh", "abcdefgh-ij")) == ["abcdefgh-ij", "abcdefgh"]


def test_other_forms_stand_for_the_same_secret() -> None:
    """Without space around it, and line by line: a log has one line of a key in each of its own."""
    assert wanted(" abcd\u00e9d ") == {" abcd\u00e9d ": " abcd\u00e9d ", "abcd\u00e9d": " abcd\u00e9d "}
    key = "-----BEGIN KEY-----\nMIIabcdefghijklmnop\nx\n-----END KEY-----"
    assert [form for form in wanted(key) if "\n" not in form] == ["MIIabcdefghijklmnop"]
    logged = "-----BEGIN PRIVATE KEY-----\n12:00 MIIabcdefghijklmnop\n-----END PRIVATE KEY-----"
    assert "MIIabcdefghijklmnop" in wanted(logged)


def test_a_short_secret_is_a_whole_word() -> None:
    """A long one is found inside others, too."""
    text = "pw12 xpw12 pw123 (pw12) pw12_ \u4ee4pw12"
    places = [found.start() for found in re.finditer("pw12", text)]
    assert [at for at in places if fits(text, at, at + 4)] == [0, 18, 24, 31]
    assert fits("xpasswordx", 1, 9)


def test_the_first_rule_counts() -> None:
    """Whichever finds a secret first, it belongs to the rule that comes first in the order."""
    values = Values(ORDER)
    values.learn("abcdefgh", "shape")
    values.learn("abcdefgh", "env")
    values.learn("abcdefgh", "shape")
    assert values.rule("abcdefgh") == "env"
    assert values.rules() == ["env"]


def test_a_secret_in_a_secret_is_looked_for_but_not_counted() -> None:
    """The password in a database's URL, which is secret as a whole."""
    values = Values(ORDER)
    values.learn("abcdefgh", "env", inner=True)
    assert (values.rules(), values.rule("abcdefgh")) == ([], "env")
    assert list(values.wanted(but=lambda _: False)) == ["abcdefgh"]


def test_what_is_excepted_is_not_looked_for() -> None:
    """Folders and session ids."""
    values = Values(ORDER)
    values.learn("abcdefgh", "env")
    assert values.wanted(but=lambda form: form == "abcdefgh") == {}


@pytest.mark.parametrize(
    ("form", "part"),
    [("abc", "abc"), ('ab"cde/f', "cde"), ("a\nbcdé", "bcd"), ("ab+cde&f", "cde"), ("é", ""), ("", "")],
)
def test_a_sign_is_free_of_escapes(form: str, part: str) -> None:
    """However JSON spells the secret, its line holds the sign."""
    assert sign(form) == part


def test_what_is_secret_in_a_value() -> None:
    """A token among other things is looked for by itself; words and paths are not."""
    values = Values(["env values"])
    values.learn(
        '{"Authorization": "Token A1b2C3d4E5f6A1b2", "path": "/usr/share/python3.11/lib"}', "env values"
    )
    values.learn("some-long-words another-long-word", "env values")
    wanted = values.wanted(but=lambda _: False)
    assert "A1b2C3d4E5f6A1b2" in wanted
    assert len(wanted) == 3
