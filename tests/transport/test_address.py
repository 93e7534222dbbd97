"""What people name as an address: where to listen, and which remote side is meant."""

from __future__ import annotations

import pytest

from acp_trace.transport.address import BadNetworkAddress, ListenAddress, listen_address, remote_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4180", ListenAddress("127.0.0.1", 4180)),
        (":0", ListenAddress("127.0.0.1", 0)),
        ("localhost:1", ListenAddress("localhost", 1)),
        ("127.0.0.9:65535", ListenAddress("127.0.0.9", 65535)),
        ("[::1]:80", ListenAddress("::1", 80)),
    ],
)
def test_an_address_of_this_machine(text: str, expected: ListenAddress) -> None:
    """With a host, without one, and a port alone."""
    assert listen_address(text) == expected


@pytest.mark.parametrize("text", ["", "x", "localhost", "a:b", "1:65536", "127.0.0.1:", "::x:1", "١"])
def test_no_address(text: str) -> None:
    """One line says what to give."""
    with pytest.raises(BadNetworkAddress, match="give HOST:PORT or PORT"):
        listen_address(text)


@pytest.mark.parametrize("text", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1"])
def test_others_reach_it_only_if_that_is_said(text: str) -> None:
    """Whoever reaches an agent can run commands."""
    with pytest.raises(BadNetworkAddress, match="--allow-remote"):
        listen_address(text)
    assert listen_address(text, allow_remote=True).port == 1


def test_a_url() -> None:
    """Its parts, `/acp` if it names no path; what is shown has no secrets."""
    address = remote_address("https://me:secret@agents.example:444/a/b?token=x")
    assert (address.http, address.websocket) == (
        "https://agents.example:444/a/b?token=x",
        "wss://agents.example:444/a/b?token=x",
    )
    assert (address.credentials, address.shown) == ("me:secret", "https://agents.example:444/a/b")
    assert (address.is_secure, address.is_websocket) == (True, False)
    plain = remote_address("ws://[::1]")
    assert (plain.websocket, plain.authority, plain.port, plain.path) == (
        "ws://[::1]/acp",
        "[::1]",
        80,
        "/acp",
    )
    assert (plain.http, plain.is_websocket, plain.is_secure) == ("http://[::1]/acp", True, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "127.0.0.1:1",
        "ftp://x",
        "http://",
        "http://x:0",
        "http://x:99999",
        "http://[",
        "http://a b",
        "http://é",
    ],
)
def test_no_url(text: str) -> None:
    """The text is not repeated, because it may hold a secret."""
    with pytest.raises(BadNetworkAddress, match=r"^not a URL of an agent: give one such as"):
        remote_address(text)
