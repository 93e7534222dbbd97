"""Headers that are given for a remote agent: what they may be, and that no message has their values."""

from __future__ import annotations

import ssl

import pytest

from acp_trace.transport.address import remote_address
from acp_trace.transport.remote import BadHeader, RemoteAgent, given_header, reached

ENVIRONMENT = {"TOKEN": "s3cret", "EMPTY": "", "TWO_LINES": "s3cret\nX: y", "LONG": "s3cret" * 2000}


def agent(url: str, *headers: str) -> RemoteAgent:
    given = [given_header(text) for text in headers]
    return reached(remote_address(url), authorities=None, given=given, environment=ENVIRONMENT)


def test_a_variable_of_the_environment() -> None:
    """Anywhere in the value, several times; whatever else is there stays, a dollar too."""
    made = agent("http://127.0.0.1", "Authorization:  Bearer ${TOKEN} ", "X-Key: $a${TOKEN}${TOKEN}$")
    assert made.headers == (("Authorization", "Bearer s3cret"), ("X-Key", "$as3crets3cret$"))
    assert made.own_names == {b"authorization", b"x-key"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Bearer s3cret", "a header is given as 'NAME: VALUE'"),
        ("s3cret token: x", "a header is given as 'NAME: VALUE'"),
        (": s3cret", "a header is given as 'NAME: VALUE'"),
        ("", "a header is given as 'NAME: VALUE'"),
        ("Host: s3cret", "the header Host is set by acp-trace"),
        ("acp-session-id: s3cret", "the header acp-session-id is set by acp-trace"),
        ("Sec-WebSocket-Protocol: s3cret", "the header Sec-WebSocket-Protocol is set by acp-trace"),
        ("X: s3cret ${NOT_SET}", "the header X needs the variable NOT_SET, which is not set"),
        ("X: s3cret ${MY-KEY}", "the value of the header X has a ${ that no variable name"),
        ("X: s3cret ${TOKEN", "the value of the header X has a ${ that no variable name"),
        ("X: ${EMPTY}", "the value of the header X is empty"),
        ("X: ${TWO_LINES}", "the value of the header X has characters that are not printable ASCII"),
        ("X: s3cret é", "the value of the header X has characters that are not printable ASCII"),
        ("X: ${LONG}", "the value of the header X has more than 8,192 characters"),
    ],
)
def test_what_cannot_be(text: str, line: str) -> None:
    """One line, without the value: where a name is expected, there may be the secret."""
    with pytest.raises(BadHeader) as error:
        agent("http://127.0.0.1", text)
    assert line in str(error.value)
    assert "s3cret" not in str(error.value)


def test_the_password_of_the_url_is_such_a_header() -> None:
    """So both at once cannot be."""
    assert agent("http://me:s3cret@127.0.0.1").headers == (("Authorization", "Basic bWU6czNjcmV0"),)
    with pytest.raises(BadHeader, match="the URL has a name and a password"):
        agent("http://me:s3cret@127.0.0.1", "authorization: Bearer x")


def test_values_are_hidden() -> None:
    """In a repr, and in what a server says: the whole value, its last word, the password in both spellings."""
    made = agent("http://127.0.0.1", "Authorization: Bearer ${TOKEN}", "X-Level: 1")
    assert "s3cret" not in repr(made)
    assert "s3cret" not in repr(given_header("X: s3cret"))
    assert made.hide("1: Bearer s3cret, or s3cret?") == "1: ‹hidden›, or ‹hidden›?"
    assert agent("http://me:s%20cret@127.0.0.1").hide("s cret s%20cret bWU6cyBjcmV0") == " ".join(
        ["‹hidden›"] * 3
    )


def test_nobody_is_trusted_unseen() -> None:
    """With TLS, certificates are checked whatever was given."""
    assert isinstance(agent("https://127.0.0.1").verify, ssl.SSLContext)
    assert RemoteAgent(remote_address("https://127.0.0.1")).verify is True
    assert RemoteAgent(remote_address("http://127.0.0.1")).verify is False
