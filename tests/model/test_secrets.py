"""What must not be written is not, however it is spelt, and wherever it is cut."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.model.secrets import CUT, Cutting, Secrets, is_secret
from acp_trace.model.wire.events import Body, BodyEnd, Event, RequestHead, ResponseHead, SocketMessage
from tests.model.writing import file, journal, written

_KEY = 'sk-"odd/key\\ü+0123456789'
_PLANTED = [
    "env-secret-0001",
    "header-secret-0002",
    "query-secret-0003",
    "cookie-secret-0004",
    "answer-cookie-0005",
    "proxy-secret-0006",
    "basic-secret-0007",
    "basic-password-0008",
    "protocol-secret-0009",
]


def test_names_of_headers() -> None:
    """By their words: what holds a key is not written, what counts tokens is."""
    for name in [
        "authorization",
        "x-api-key",
        "x-goog-api-key",
        "api-key",
        "cookie",
        "set-cookie",
        "proxy-authorization",
        "x-amz-security-token",
        "x-auth-token",
        "x-amz-signature",
    ]:
        assert is_secret(name), name
    for name in [
        "x-session-id",
        "session-id",
        "x-ratelimit-remaining-tokens",
        "content-type",
        "anthropic-version",
        "x-stainless-os",
        "sec-websocket-key",
    ]:
        assert not is_secret(name), name


def test_every_spelling_goes() -> None:
    """As it is, in JSON, in JSON in a string of JSON, in a URL."""
    secrets = Secrets(
        {"MY_API_KEY": _KEY, "HOME": "/home/somebody", "EDITOR_TOKEN": "vim", "X_SECRET": "abc"}
    )
    for text in (
        _KEY,
        json.dumps(_KEY),
        json.dumps(_KEY, ensure_ascii=False),
        json.dumps(json.dumps(_KEY, ensure_ascii=False)),
        quote(_KEY),
        quote(_KEY, safe=""),
    ):
        assert "0123456789" not in secrets.text(f"a {text} b"), text
    assert secrets.text("/home/somebody uses vim, abc") == "/home/somebody uses vim, abc"
    assert secrets.text("https://u:pw@h/") == f"https://{CUT}@h/"
    assert Secrets({"https_proxy": "http://bob:s3cret-pw@proxy:1"}).text("s3cret-pw") == CUT
    assert (
        secrets.target("/x?key=AIzaSomething&alt=sse&Signature=a%2Fbcdefgh")
        == f"/x?key={CUT}&alt=sse&Signature={CUT}"
    )
    assert secrets.text("AIzaSomething a/bcdefgh a%2Fbcdefgh") == " ".join([CUT] * 3)


@given(st.text("sk-0129ab", max_size=60), st.lists(st.integers(1, 9), max_size=30), st.booleans())
def test_a_secret_in_any_pieces_goes(text: str, sizes: list[int], plant: bool) -> None:
    """What the pieces give together is what the whole gives, and the secret is in none of it."""
    secrets = Secrets({"A_KEY": "sk-0129sk-01", "B_TOKEN": "ab0129"})
    data = (text + ("sk-0129sk-01" + text) * plant).encode()
    cutting, out, at = Cutting(secrets), b"", 0
    for size in [*sizes, len(data)]:
        out += cutting.feed(data[at : at + size])
        at += size
    out += cutting.finish()
    assert b"sk-0129sk-01" not in out
    assert b"ab0129" not in out
    if not any(secret in data for secret in (b"sk-0129sk-01", b"ab0129")):
        assert out == data


def test_nothing_that_was_planted_is_in_the_trace() -> None:
    """In headers, query, body, environment, in what is said back, in pieces; also to a host that is no model."""
    env, header, query, cookie, answer, proxy, basic, password, protocol = _PLANTED
    login = b64encode(f"me:{password}".encode()).decode()
    everything = " ".join(_PLANTED).encode()
    headers = (
        ("authorization", f"Bearer {header}"),
        ("x-api-key", header),
        ("cookie", f"session={cookie}; a=b"),
        ("proxy-authorization", f"Basic {proxy}"),
        ("x-harmless", f"{env} and {header}"),
    )
    upgrade = (
        ("upgrade", "websocket"),
        ("sec-websocket-protocol", f"realtime, openai-insecure-api-key.{protocol}"),
        ("authorization", f"basic {login}"),
    )
    events: list[Event] = [RequestHead(4, "GET", "/v1/responses", "h", upgrade, "http/1.1")]
    for number, path in ((1, "/v1/messages"), (2, "/other")):
        events += [
            RequestHead(number, "POST", f"{path}?key={query}&x={env}", f"{env}.host", headers, "h2"),
            RequestHead(number + 10, "POST", path, "h", (("authorization", f"Basic {basic}"),), "h2"),
            ResponseHead(
                number, 200, (("set-cookie", f"id={answer}; Path=/"), ("location", f"/?token={query}"))
            ),
            Body(number, "agent", b'{"messages":[],"x":"' + everything + b'"}'),
            BodyEnd(number, "agent"),
            *(Body(number, "provider", everything[at : at + 5]) for at in range(0, len(everything), 5)),
            Body(number, "provider", everything),
            BodyEnd(number, "provider"),
        ]
    events += [
        RequestHead(5, "GET", "/v1/responses", "h", upgrade, "http/1.1"),
        BodyEnd(5, "agent"),
        ResponseHead(5, 101, (("upgrade", "websocket"),)),
        SocketMessage(5, "agent", everything, True),
        SocketMessage(5, "provider", everything, True),
    ]
    for whole in (False, True):
        lines = file(written(events, journal({"SOME_TOKEN": env}, everything=whole))).decode()
        assert "/v1/messages" in lines
        assert [secret for secret in (*_PLANTED, login) if secret in lines] == []
        assert lines.count('["authorization",null]') == 6
        assert "realtime, openai-insecure-api-key.<cut>" in lines
