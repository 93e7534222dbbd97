"""What must not be written is not, however it is spelt, and wherever it is cut."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.model.secrets import CUT, Cutting, Secrets
from acp_trace.model.wire.events import Body, BodyEnd, Broken, Event, RequestHead, ResponseHead, SocketMessage
from acp_trace.redact.secret_names import is_header
from tests.model.writing import file, journal, read, written

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
        assert is_header(name), name
    for name in [
        "x-session-id",
        "session-id",
        "x-ratelimit-remaining-tokens",
        "content-type",
        "anthropic-version",
        "x-stainless-os",
        "sec-websocket-key",
    ]:
        assert not is_header(name), name


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


_PLANT = "Kq7-planted+key&0001="
_JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
_LOGIN = b64encode(f"me:{_PLANT}".encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            (name, _PLANT)
            for name in ("x-apitoken", "x-authtoken", "X-AccessToken", "x-bearer", "passphrase")
        ),
        ("set-cookie2", f"a={_PLANT}"),
        *(
            ("authorization", f"{scheme} {_PLANT}")
            for scheme in ("Api-Key", "DPoP", "Custom", "GoogleLogin auth=")
        ),
        ("authorization", f"Basic {_LOGIN}"),
        ("authorization", f"AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-date, Signature={_PLANT}"),
        ("x-api-key", f"a, {_PLANT}"),
        ("sec-websocket-protocol", f"bearer, {_PLANT}"),
        ("sec-websocket-protocol", f"v1, base64url.bearer.authorization.k8s.io.{_PLANT}"),
        ("sec-websocket-protocol", f"realtime, openai-insecure-api-key.{_PLANT}"),
        ("host", f"bob:{_PLANT}@h"),
        *(
            ("location", f"{url}{quote(_PLANT)}")
            for url in (
                "https://h/x?a=1&X-Amz-Signature=",
                "/cb#access_token=",
                "/x?%6Bey=",
                "http://h/?sig=",
            )
        ),
        ("link", f"</x?token={quote(_PLANT)}>; rel=next"),
        ("referer", f"http://bob:{quote(_PLANT)}@h/"),
    ],
)
def test_a_key_in_a_head_goes_wherever_it_stands(name: str, value: str) -> None:
    """From its own place, and from what comes later, in each spelling of other languages."""
    secrets = Secrets({})
    secrets.learn_headers(((name, value),))
    written = json.dumps(secrets.headers(((name, value), ("accept", "x-amz-date, Bearer"))))
    assert "planted" not in written
    assert written.endswith('["accept", "x-amz-date, Bearer"]]')
    quoted = quote(_PLANT, safe="")
    for echo in (
        _PLANT,
        quoted,
        quoted.replace("%2B", "%2b").replace("%3D", "%3d"),
        _PLANT.replace("&", "\\u0026"),
        _PLANT.replace("&", "\\u0026").replace("+", "\\u002B"),
        _PLANT.replace("&", "&amp;"),
    ):
        assert secrets.text(f"the key {echo} is wrong") == f"the key {CUT} is wrong"


def test_a_login_leaves_no_keys() -> None:
    """With all bodies: those of a form, and those that come in an answer, also in pieces, before any header has them."""
    secrets = ("refresh-planted-01", "client-planted-02", "access-planted-03", "ID-planted-04")
    form, json_ = (
        ("content-type", kind) for kind in ("application/x-www-form-urlencoded", "application/json")
    )
    asked = [
        (form, f"grant_type=refresh_token&refresh_token={secrets[0]}&client_secret={secrets[1]}".encode()),
        (json_, json.dumps({"refresh_token": secrets[0], "more": [{"clientSecret": secrets[1]}]}).encode()),
    ]
    answer = json.dumps({"access_token": secrets[2], "id_token": secrets[3], "token_type": "Bearer"}).encode()
    for header, body in asked:
        events: list[Event] = [
            RequestHead(1, "POST", "/oauth/token", "h", (header,), "h2"),
            Body(1, "agent", body),
            BodyEnd(1, "agent"),
            ResponseHead(1, 200, (json_,)),
            *(Body(1, "provider", answer[at : at + 9]) for at in range(0, len(answer), 9)),
            BodyEnd(1, "provider"),
        ]
        (exchange,) = read(file(written(events, journal(everything=True)))).exchanges.values()
        assert exchange.request_body is not None
        assert exchange.response_body is not None
        said = exchange.request_body + exchange.response_body
        assert [secret for secret in secrets if secret.encode() in said] == []
        assert said.count(CUT.encode()) == 4
        assert b"Bearer" in said
    long = [
        *events[:4],
        Body(1, "provider", bytes(1 << 21)),
        Body(1, "provider", b"x"),
        BodyEnd(1, "provider"),
    ]
    (exchange,) = read(file(written(long, journal(everything=True)))).exchanges.values()
    assert exchange.response_body == bytes(1 << 21) + b"x"


@pytest.mark.parametrize("shown", [_JWT, "sk-proj-0123456789abcdefghij"])
def test_a_key_of_a_known_shape_goes_from_any_head(shown: str) -> None:
    """Whatever the header is called, and from a path; then also from bodies."""
    secrets = Secrets({})
    assert secrets.headers((("x-amzn-oidc-data", shown),)) == [("x-amzn-oidc-data", CUT)]
    assert secrets.cut(shown.encode()) == CUT.encode()
    assert Secrets({}).target(f"/u/{shown}/v1/messages") == f"/u/{CUT}/v1/messages"


def test_two_secrets_that_begin_alike() -> None:
    """A piece may end behind the shorter one: the rest of the longer one is not written."""
    cutting = Cutting(Secrets({"A_KEY": "sk-abc-123", "B_KEY": "sk-abc-123-and-more-9"}))
    pieces = [cutting.feed(piece) for piece in (b"a sk-abc-123", b"-and-more-9 b sk-abc-123", b" c")]
    assert b"".join([*pieces, cutting.finish()]) == b"a <cut> b <cut> c"


def test_a_value_that_is_no_text_is_cut_too() -> None:
    """An environment may have any bytes."""
    secrets = Secrets({"A_KEY": "\udcff\udcfeabcdefgh"})
    assert secrets.cut(b"x \xff\xfeabcdefgh y") == b"x <cut> y"


@given(st.text("ab01", max_size=40), st.integers(1, 9))
def test_many_secrets_are_found_as_few_are(text: str, size: int) -> None:
    """Cookies come with each answer: of many, none is looked for by itself."""
    few, many = (
        Secrets({"A_KEY": "ab01ab01", "B_KEY": "b1b1b1"}),
        Secrets({"A_KEY": "ab01ab01", "B_KEY": "b1b1b1"}),
    )
    for number in range(50):
        many.learn(f"another-{number}-cookie")
    expected = few.cut(text.encode())
    assert many.cut(text.encode()) == expected
    cutting = Cutting(many)
    pieces = [cutting.feed(text[at : at + size].encode()) for at in range(0, len(text), size)]
    assert b"".join([*pieces, cutting.finish()]) == expected


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
        Broken(5, "provider", everything.decode()),
    ]
    for whole in (False, True):
        lines = file(written(events, journal({"SOME_TOKEN": env}, everything=whole))).decode()
        assert "/v1/messages" in lines
        assert [secret for secret in (*_PLANTED, login) if secret in lines] == []
        assert lines.count('["authorization",null]') == 6
        assert "realtime, openai-insecure-api-key.<cut>" in lines


def test_what_was_cut_before() -> None:
    """A path that was recorded stays as it is."""
    assert Secrets({}).target(f"/x?api_key={CUT}&a=b&token={CUT}") == f"/x?api_key={CUT}&a=b&token={CUT}"
