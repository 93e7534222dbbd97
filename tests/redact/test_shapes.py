"""Shapes of tokens, and the signs by which their lines are found."""

from __future__ import annotations

import json
from itertools import product

import pytest

from acp_trace.redact import shapes, signs
from acp_trace.redact.shapes import spans
from tests.rows import each

#: Put together here, so that nobody takes this file for a leak.
TOKENS = [
    prefix + rest
    for prefix, rest in (
        ("sk-", "ant-api03-abcdefgh1234567890-_xyz"),
        ("sk-", "proj-ABCDEFGH1234567890"),
        ("sk_", "live_abcdefgh12345678"),
        ("rk_", "test_abcdefgh12345678"),
        ("ghp_", "abcdefghij1234567890"),
        ("ghs_", "abcdefghij1234567890"),
        ("github_", "pat_abcdefghij1234567890_xyz"),
        ("glpat-", "abcdefghij-1234567890"),
        ("xoxb-", "1234567890-abcdef"),
        ("AKIA", "IOSFODNN7EXAMPLE"),
        ("ASIA", "IOSFODNN7EXAMPLE"),
        ("AIza", "Sy1" * 11 + "ab"),
        ("hf_", "abcdefghijklmnopqrstuvwxyz1234"),
        ("npm_", "abcdefghijklmnopqrstuvwxyz1234567890"),
        ("gsk_", "abcdefghijklmnopqrstuvwxyz1234567890"),
        ("xai-", "abcdefghijklmnopqrstuvwxyz1234567890"),
        ("nvapi-", "abcdefghij-klmnopqrstuvwxyz_1234567890"),
        ("pplx-", "abcdefghijklmnopqrstuvwxyz1234567890"),
        ("pypi-", "AgEIcHlwaS5vcmcCJDU2NzhhYmNkLTEyMzQtNTY3OC_x-1"),
        ("ya29.", "a0AfH6SMBx1234567890-_abcdefgh"),
        ("ya29.", "c.b0AXv0zTPabcdefghij1234567890"),
        ("GOCSPX-", "abcdefghij_klmnop-1234567890"),
        ("hvs.", "CAESIAbcdefghij1234567890klm"),
        ("hvb.", "AAAAAQKabcdefghij1234567890_-x"),
        ("hvr.", "AAAAAQKabcdefghij1234567890_-x"),
        ("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxIn0abc.c2lnbmF0dXJl"),
    )
]
AROUND = ["{}", "key={} and", '"{}"', "a\n{}\n", "x\\n{}", "({})", "https://h/{}"]


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text)]


def test_every_shape_is_found() -> None:
    """Whole, wherever it stands; and its line bears a sign, also in JSON in JSON."""

    def check(row: tuple[str, str]) -> None:
        token, around = row
        text = around.format(token)
        assert found(text) == [token]
        line = json.dumps({"text": text})
        assert signs.in_line(line.encode())
        assert signs.in_line(json.dumps(line).encode())

    each(product(TOKENS, AROUND), check)


def test_the_word_bearer_stays() -> None:
    """Only what comes after it is secret."""
    text = "Authorization: Bearer abcdefgh12345678=="
    assert found(text) == ["abcdefgh12345678=="]
    assert signs.in_line(text.encode())


def test_a_private_key_is_found_over_its_lines() -> None:
    """From its first line to its last."""
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"
    assert found(f"a {key} b") == [key]
    assert signs.in_line(json.dumps(key).encode())


@pytest.mark.parametrize(
    "text",
    [
        "task-abcdefgh1234567890",
        "risk-free-and-very-long-1-word",
        "sk-a-long-name-in-kebab-case",
        "sk-short1",
        "xAKIAIOSFODNN7EXAMPLE",
        "AKIAIOSFODNN7EXAMPLEandmore",
        "Bearer authentication-schemes",
        "npm_config_registry",
        "eyJhbGciOiJIUzI1NiJ9",
        "ghp_short",
    ],
)
def test_words_are_no_tokens(text: str) -> None:
    """What only begins like one stays."""
    assert found(text) == []


@pytest.mark.parametrize(
    ("line", "bears"),
    [
        (rb'{"text":"see https://user:pass@host"}', True),
        (rb'{"text":"see https://host/a?b=c"}', True),
        (rb'{"text":"see https:\/\/user:pass@host"}', True),
        (rb'{"text":"\u0073k-"}', True),
        (rb'{"text":"<secret:1>"}', True),
        (rb'{"text":"see https://host/path and mail@host, a?b=c"}', False),
        (rb'{"text":"a // b \n \u00e4 \u2026"}', False),
    ],
)
def test_signs_of_urls_and_escapes(line: bytes, bears: bool) -> None:
    """A URL that can hold no secret is no sign, or every line with a link would be read."""
    assert signs.in_line(line) is bears


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", ["dXNlcjpwYXNz"]),
        ("basic dXNlcjpwYXNzd29yZA== and more", ["dXNlcjpwYXNzd29yZA=="]),
        ("basic understanding of Basic authentication", []),
        ("x-api-key: A1b2C3d4E5f6A1b2", ["A1b2C3d4E5f6A1b2"]),
        ("'X-Goog-Api-Key': 'A1b2C3d4E5f6A1b2'", ["A1b2C3d4E5f6A1b2"]),
        (r"\"authorization\":\"token A1b2C3d4E5f6A1b2\"", ["A1b2C3d4E5f6A1b2"]),
        ("PRIVATE-TOKEN=A1b2C3d4E5f6A1b2", ["A1b2C3d4E5f6A1b2"]),
        ("'x-api-key': apiKey, authorization: header", []),
        ("x-api-key: process.env.ANTHROPIC_API_KEY", []),
    ],
)
def test_headers_in_a_text(text: str, found: list[str]) -> None:
    """Those that hold nothing but a key, and what is the base64 of a user and a password."""
    assert shapes.may_hold(text) or not found
    assert signs.in_line(text.encode()) or not found
    assert [text[start:end] for start, end in shapes.spans(text)] == found
