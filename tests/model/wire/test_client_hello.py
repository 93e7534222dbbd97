"""The first bytes of TLS, as real clients write them."""

from __future__ import annotations

import ssl

import pytest

from acp_trace.model.wire import client_hello
from acp_trace.model.wire.client_hello import ClientHello, NotTls


def _hello(host: str | None, *protocols: str) -> bytes:
    context = ssl.create_default_context()
    context.check_hostname = False
    if protocols:
        context.set_alpn_protocols(protocols)
    outgoing = ssl.MemoryBIO()
    talk = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=host)
    with pytest.raises(ssl.SSLWantReadError):
        talk.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("host", ["api.openai.com", None])
@pytest.mark.parametrize("protocols", [(), ("h2", "http/1.1"), ("http/1.1",)])
def test_host_and_protocols(host: str | None, protocols: tuple[str, ...]) -> None:
    """What OpenSSL asks for; every beginning of it is not complete yet."""
    hello = _hello(host, *protocols)
    assert client_hello.read(hello) == ClientHello(host, protocols)
    assert all(client_hello.read(hello[:size]) is None for size in range(len(hello)))


def test_a_hello_in_several_records() -> None:
    """TLS may cut a message anywhere."""
    hello = _hello("a.example", "h2")
    message = hello[5:]
    records = b"".join(
        hello[:3] + len(part).to_bytes(2, "big") + part
        for part in (message[at : at + 50] for at in range(0, len(message), 50))
    )
    assert client_hello.read(records) == ClientHello("a.example", ("h2",))


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n", b"\x17\x03\x03\x00\x01a", b"\x16\x03\x01\x00\x04\x02\x00\x00\x00"]
)
def test_what_is_no_hello(data: bytes) -> None:
    """Plain HTTP, another record, another message."""
    with pytest.raises(NotTls):
        client_hello.read(data)


def test_any_damage_is_a_hello_or_none() -> None:
    """A byte changed, a byte missing: an answer, or NotTls, and nothing else."""
    hello = _hello("a.example", "h2", "http/1.1")
    for at in range(len(hello)):
        for damaged in (
            hello[:at] + bytes([hello[at] ^ 0x81]) + hello[at + 1 :],
            hello[:at] + hello[at + 1 :],
        ):
            try:
                client_hello.read(damaged)
            except NotTls:
                pass


def test_protocols_that_nobody_knows_are_passed_over() -> None:
    """Some clients offer a pair of odd bytes (RFC 8701): no library here can offer them to a provider."""
    hello = _hello("a.example", "zz", "h2", "http/1.1")
    for odd in (b"\xfa\xfa", b"\xff\x80"):
        assert client_hello.read(hello.replace(b"zz", odd)) == ClientHello("a.example", ("h2", "http/1.1"))
