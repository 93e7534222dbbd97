"""Secrets in URLs."""

from __future__ import annotations

import json

import pytest

from acp_trace.redact import signs
from acp_trace.redact.rules import PARAMETERS, USERINFO
from acp_trace.redact.urls import spans


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in spans(text)]


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("https://user:pass@host/x", ["user", "pass"]),
        ("https://tok@host", ["tok"]),
        ("https://tok:@host", ["tok"]),
        ("https://:pass@host", ["pass"]),
        ("wss://u:p:q@host:80/x?token=t#key=k", ["u", "p:q", "t", "k"]),
        ("postgres://me:pw@h/db", ["me", "pw"]),
        ("ssh://git@host/x", []),
        ("https://host/@user", []),
        ("https://host/x?a=1&b=2", []),
        ("https://host/x?api_key=k1&x=y&Access-Token=t2", ["k1", "t2"]),
        ("https://host/x?x&amp;sig=s%2B1;", ["s%2B1"]),
        ("https://host?X-Amz-Signature=ab12&X-Amz-Date=1", ["ab12"]),
        ("https://host?token=&key", []),
        ("(see https://host/?token=abc).", ["abc"]),
        ("[a](https://host/?token=abc), b https://h/?key=d.", ["abc", "d"]),
        ("\"https://u:p@h\" and 'https://v:q@h'", ["u", "p", "v", "q"]),
        ("nhttps://u:p@h", ["u", "p"]),
        ("://u:p@h", []),
        ("a://", []),
        ("https://<secret:1>:<secret:2>@h?key=<secret:3>", ["<secret:1>", "<secret:2>", "<secret:3>"]),
        ("https://h/?next=https://u:p@i/&x=1", ["u", "p"]),
        ("https://h/a/https://tok@i/?b=c://v:q@j", ["tok", "v", "q"]),
        ("https://h/?next=https://i/?token=t", ["t"]),
        ("https://h/?token=https://u:p@i/?key=k&key=l", ["https://u:p@i/?key=k", "l"]),
        ("https://monkey/?monkey=1&hockey=2&tokens=3", []),
    ],
)
def test_secrets_of_urls(text: str, secrets: list[str]) -> None:
    """Userinfo, and the parameters whose whole name says it."""
    assert found(text) == secrets


def test_a_user_beside_a_password_is_not_looked_for() -> None:
    """Such as `postgres`; alone it may be a token."""
    assert [(one.rule, one.here_only) for one in spans("https://u:p@h/?key=k")] == [
        (USERINFO, True),
        (USERINFO, False),
        (PARAMETERS, False),
    ]
    assert [one.here_only for one in spans("https://u@h")] == [False]


@pytest.mark.parametrize(
    "text", ["https://h/café?token=t", "https://h/?é;token=t", "https://rené:p@h", "postgres://é:p@h/é"]
)
def test_a_line_with_letters_as_escapes_has_a_sign(text: str) -> None:
    """JSON that is only ASCII, also in a string of JSON."""
    line = json.dumps({"method": text})
    assert found(text)
    assert signs.in_line(line.encode())
    assert signs.in_line(json.dumps(line).encode())
