"""Which requests a listener answers, by their target and by what browsers say."""

from __future__ import annotations

import pytest

from acp_trace.gate.requests import NOT_A_PATH, OTHER_HOST, OTHER_ORIGIN, Listener, TurnedAway

HERE = "127.0.0.1:4711"
LOOPBACK = Listener("127.0.0.1", 4711)
ALLOWING = Listener("127.0.0.1", 4711, origins=("https://app.example",))
SECURE = Listener("::1", 4711, "https")
OPEN = Listener("0.0.0.0", 4711)


def _asked(listener: Listener, *headers: tuple[str, str]) -> TurnedAway | None:
    return listener.refusal("GET", b"/acp", [(name.encode(), value.encode()) for name, value in headers])


@pytest.mark.parametrize(
    "target",
    ["/", "/acp", "/acp?x=1", "/?", "/a//b", "/..", "/a@b:1", "/http://other/", "/%2f%2fother", "/?//x\\"],
)
def test_a_path(target: str) -> None:
    """With a query or without; what it means is for others to say."""
    assert LOOPBACK.refusal("POST", target.encode(), [(b"host", HERE.encode())]) is None


@pytest.mark.parametrize(
    "target",
    [
        "", "*", "acp", "other:25", "http://other/", "HTTP://127.0.0.1:4711/acp", "@other/", "//other/", "///other/",
        "/\\other/", "/a\\b", "\\other", "/acp#x", "/acp?x#y", "/a b", "/\tb", "/a\r\nb", "/é", "/a\x00", "?x", ":80/",
    ],
)  # fmt: skip
def test_what_is_not_a_path(target: str) -> None:
    """A host in the target, or something that another reader may take for one."""
    assert LOOPBACK.refusal("POST", target.encode(), [(b"host", HERE.encode())]) == NOT_A_PATH


@pytest.mark.parametrize("method", ["CONNECT", "connect"])
@pytest.mark.parametrize("target", ["other:25", "/acp", HERE])
def test_a_tunnel(method: str, target: str) -> None:
    """Nobody gets one here, whatever its target looks like."""
    assert LOOPBACK.refusal(method, target.encode(), [(b"host", HERE.encode())]) == NOT_A_PATH


@pytest.mark.parametrize(
    "host",
    [
        HERE,
        "127.0.0.1",
        "localhost:4711",
        "LOCALHOST",
        "localhost.:4711",
        "a.localhost:4711",
        "[::1]:4711",
        "127.0.0.9",
        "localhost:5000",
    ],
)
def test_own_names(host: str) -> None:
    """All names of loopback, with the listener's port, that of a tunnel, or none."""
    assert _asked(LOOPBACK, ("Host", host)) is None


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "evil.example:4711", "127.0.0.1.evil.example:4711", "localhost.evil.example",
        "0.0.0.0:4711", "10.0.0.1:4711", "evil.example@127.0.0.1:4711", "127.0.0.1:4711@evil.example",
        "127.0.0.1:4711, evil.example", "127.0.0.1:4711:4711", "127.1:4711", "[::1", "127.0.0.1:4711/", "127.0.0.1 ,",
    ],
)  # fmt: skip
def test_other_names(host: str) -> None:
    """Other hosts, and what looks like one of ours to a lax reader."""
    assert _asked(LOOPBACK, ("Host", host)) == OTHER_HOST


def test_a_host_is_named_once() -> None:
    """Without one, and with two, nobody knows which is meant: also if they are equal."""
    assert _asked(LOOPBACK) == OTHER_HOST
    assert _asked(LOOPBACK, ("Host", HERE), ("host", "evil.example")) == OTHER_HOST
    assert _asked(LOOPBACK, ("Host", HERE), ("HOST", HERE)) == OTHER_HOST
    assert _asked(LOOPBACK, ("Host", HERE), (" host\t", HERE)) == OTHER_HOST


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (HERE, "http://127.0.0.1:4711"),
        ("127.0.0.1", "http://127.0.0.1:4711"),
        ("LocalHost:4711", "http://localhost:4711"),
        ("[::1]:4711", "http://[::1]:4711"),
        ("localhost:5000", "http://localhost:5000"),
    ],
)
def test_the_own_page(host: str, origin: str) -> None:
    """Its origin is the listener's, by the name that the request has."""
    assert _asked(LOOPBACK, ("host", host), ("origin", origin), ("sec-fetch-site", "same-origin")) is None
    assert _asked(LOOPBACK, ("host", host), ("origin", origin)) is None


@pytest.mark.parametrize(
    "origin",
    [
        "", "null", "*", "https://evil.example", "http://evil.example:4711", "http://127.0.0.1", "http://127.0.0.1:80",
        "https://127.0.0.1:4711", "http://localhost:4711", "http://127.0.0.1:4711/", "http://127.0.0.1:4711.evil.example",
        "http://127.0.0.1:4711 http://evil.example", "http://me@127.0.0.1:4711", "ws://127.0.0.1:4711", "file://",
        "http://127.0.0.1:4711, http://evil.example", "chrome-extension://abcdef", "https://app.example",
    ],
)  # fmt: skip
@pytest.mark.parametrize("site", ["", "cross-site", "same-site", "same-origin"])
def test_other_pages(origin: str, site: str) -> None:
    """Also those of another port or scheme of this machine, and whatever else the browser says."""
    more = [("sec-fetch-site", site)] if site else []
    assert _asked(LOOPBACK, ("host", HERE), ("origin", origin), *more) == OTHER_ORIGIN


def test_origins_that_contradict() -> None:
    """A request that names two is refused, even if both are fine alone."""
    own, app = ("origin", "http://127.0.0.1:4711"), ("origin", "https://app.example")
    assert _asked(LOOPBACK, ("host", HERE), own, ("Origin", "https://evil.example")) == OTHER_ORIGIN
    assert _asked(ALLOWING, ("host", HERE), own, app) == OTHER_ORIGIN
    assert _asked(ALLOWING, ("host", HERE), app, app) == OTHER_ORIGIN


@pytest.mark.parametrize(
    "site", ["cross-site", "same-site", "Same-Origin", "", "same-origin, none", "anything"]
)
def test_other_sites(site: str) -> None:
    """A request for an image, for one, has no `Origin`. What browsers never say is not taken either."""
    assert _asked(LOOPBACK, ("host", HERE), ("Sec-Fetch-Site", site)) == OTHER_ORIGIN
    own = ("origin", "http://127.0.0.1:4711")
    assert _asked(LOOPBACK, ("host", HERE), own, ("Sec-Fetch-Site", site)) == OTHER_ORIGIN
    two = [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")]
    assert _asked(LOOPBACK, ("host", HERE), *two) == OTHER_ORIGIN


@pytest.mark.parametrize("more", [[], [("sec-fetch-site", "none")], [("sec-fetch-mode", "cors")]])
def test_programs_and_what_somebody_typed(more: list[tuple[str, str]]) -> None:
    """Node's `fetch` sends `Sec-Fetch-Mode` alone."""
    assert _asked(LOOPBACK, ("host", HERE), *more) is None


def test_an_allowed_origin() -> None:
    """Its requests are cross-site, and it cannot come in by another name or with a host in the target."""
    app, site = ("origin", "https://app.example"), ("sec-fetch-site", "cross-site")
    assert _asked(ALLOWING, ("host", HERE), app, site) is None
    assert _asked(ALLOWING, ("host", HERE), app) is None
    assert _asked(ALLOWING, ("host", "app.example"), app, site) == OTHER_HOST
    assert _asked(ALLOWING, ("host", HERE), site) == OTHER_ORIGIN
    assert _asked(ALLOWING, ("host", HERE), ("origin", "http://app.example"), site) == OTHER_ORIGIN
    assert _asked(ALLOWING, ("host", HERE), ("origin", "https://app.example:444")) == OTHER_ORIGIN
    assert _asked(ALLOWING, ("host", HERE), ("origin", "https://a.app.example")) == OTHER_ORIGIN


def test_with_tls() -> None:
    """The scheme is part of the origin, and the usual port is not written."""
    assert _asked(SECURE, ("host", "[::1]:4711"), ("origin", "https://[::1]:4711")) is None
    assert _asked(SECURE, ("host", "[::1]:4711"), ("origin", "http://[::1]:4711")) == OTHER_ORIGIN
    assert (
        _asked(Listener("127.0.0.1", 443, "https"), ("host", "localhost"), ("origin", "https://localhost"))
        is None
    )


def test_beyond_this_machine() -> None:
    """Any host may be meant, but only an address proves that a page came from here."""
    for host in ("build.example", "build.example:8080", "10.0.0.1:4711", "localhost:4711"):
        assert _asked(OPEN, ("host", host)) is None
    assert _asked(OPEN, ("host", "10.0.0.1:8080"), ("origin", "http://10.0.0.1:8080")) is None
    assert _asked(OPEN, ("host", "10.0.0.1:8080"), ("origin", "http://10.0.0.1:9090")) == OTHER_ORIGIN
    assert _asked(OPEN, ("host", "evil.example:4711"), ("origin", "http://evil.example:4711")) == OTHER_ORIGIN
    assert _asked(OPEN, ("host", "me@x")) == OTHER_HOST
    opened = Listener("0.0.0.0", 4711, origins=("http://build.example:4711",))
    assert _asked(opened, ("host", "build.example:4711"), ("origin", "http://build.example:4711")) is None
