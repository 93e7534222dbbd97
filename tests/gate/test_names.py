"""Hosts and origins as text."""

from __future__ import annotations

import pytest

from acp_trace.gate.names import BadOrigin, HostAndPort, host_and_port, is_loopback, origin


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("localhost", HostAndPort("localhost", None)),
        ("LocalHost.:80", HostAndPort("localhost.", 80)),
        ("127.0.0.1:4180", HostAndPort("127.0.0.1", 4180)),
        ("[::1]:65535", HostAndPort("::1", 65535)),
        ("[::FFFF:127.0.0.1]", HostAndPort("::ffff:127.0.0.1", None)),
        ("build_1.example", HostAndPort("build_1.example", None)),
    ],
)
def test_a_host_with_or_without_a_port(text: str, expected: HostAndPort) -> None:
    """Names are in lower case, addresses without brackets."""
    assert host_and_port(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", ":80", "a:", "a:0", "a:65536", "a:1x", "a:1:2", "a b", "a/b", "a?b", "a#b", "a\\b", "a%2eb", "a,b", " a",
        "a\n", "me@127.0.0.1", "::1", "[::1", "[::1]x", "[127.0.0.1]", "[]", "[fe80::1%eth0]", "é", "١",
    ],
)  # fmt: skip
def test_what_is_not_a_host(text: str) -> None:
    """Nothing is guessed, least of all a login before the host."""
    assert host_and_port(text) is None


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]
)
def test_this_machine(host: str) -> None:
    """These lead here whatever DNS says."""
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost", "localhost..", "127.0.0.1.", "127.1",
        "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1",
    ],
)  # fmt: skip
def test_not_this_machine(host: str) -> None:
    """Browsers write addresses in one way only, so other spellings are names, which DNS may lead anywhere."""
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://app.example", "https://app.example"),
        ("HTTPS://App.Example:443/", "https://app.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:80", "http://[::1]"),
        ("tauri://localhost", "tauri://localhost"),
        ("chrome-extension://abcdef", "chrome-extension://abcdef"),
    ],
)
def test_an_origin_that_a_person_wrote(text: str, expected: str) -> None:
    """It becomes what browsers send."""
    assert origin(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "*", "null", "app.example", "https://", "https://*.example", "https://app.example/a", "https://a//",
        "https://me@app.example", "https://app.example?x", "file://", "https://a b", "://a", "1http://a", "http:a",
    ],
)  # fmt: skip
def test_what_is_not_an_origin(text: str) -> None:
    """The message says what to give. `null` is the origin of every sandboxed page."""
    with pytest.raises(BadOrigin, match=r"is not the origin of a page: give SCHEME://HOST\[:PORT\]"):
        origin(text)
