"""Which requests are answered, and what a path means."""

from __future__ import annotations

import pytest

from acp_trace.view.gate import LARGEST, LARGEST_NOTE, AskedFor, NotAnswered, Written, wanted

TOKEN, PORT = "t0ken_-", 4711
HOST = [("Host", "127.0.0.1:4711")]


@pytest.mark.parametrize(
    ("path", "means"),
    [
        ("/t0ken_-/", AskedFor(())),
        ("/t0ken_-/?x=1", AskedFor(())),
        ("/t0ken_-/12/", AskedFor((12,))),
        ("/t0ken_-/12-15/", AskedFor((12, 15))),
        ("/t0ken_-/part/list.json", AskedFor((), "list.json")),
        ("/t0ken_-/12/part/a/frames/3", AskedFor((12,), "a/frames/3")),
        # A part's name is looked up among those that were made: no file has it.
        ("/t0ken_-/12/part/../../etc/passwd", AskedFor((12,), "../../etc/passwd")),
    ],
)
def test_a_path_names_a_page_or_a_part(path: str, means: AskedFor) -> None:
    """With a query or without."""
    assert wanted("GET", path, HOST, TOKEN, PORT) == means


@pytest.mark.parametrize(
    "path",
    [
        "/", "/t0ken_-", "/T0ken_-/", "/t0ken_/", "/t0ken_-x/", "/t0ken_-//", "/t0ken_-/../", "/t0ken_-/12",
        "/t0ken_-/-1/", "/t0ken_-/1-/", "/t0ken_-/1-2-3/", "/t0ken_-/1234567890/", "/t0ken_-/%2e%2e/",
        "/t0ken_-/12/part/", "/t0ken_-/part/a%00b", "/t0ken_-/part/" + "a" * 201,
        "/t0ken_-/etc/passwd",
    ],
)  # fmt: skip
def test_nothing_else_is_there(path: str) -> None:
    """Whether the token is wrong or the rest: the same is told of it."""
    assert wanted("GET", path, HOST, TOKEN, PORT) == NotAnswered(404, "there is nothing here")


@pytest.mark.parametrize(
    "target",
    ["", "*", "//t0ken_-/", "http://127.0.0.1:4711/t0ken_-/", "/t0ken_-/\n", "/té/", "/t0ken_-/part/a\\b"],
)
def test_a_target_is_a_path(target: str) -> None:
    """Not a URL, not a host, and nothing that another reader may take for one."""
    asked = wanted("GET", target, HOST, TOKEN, PORT)
    assert isinstance(asked, NotAnswered)
    assert asked.status == 400


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"])
def test_only_get_is_answered(method: str) -> None:
    """Nothing can be changed."""
    asked = wanted(method, "/t0ken_-/", HOST, TOKEN, PORT)
    assert isinstance(asked, NotAnswered)
    assert asked.status == 405


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 200),
        ([("Sec-Fetch-Site", "same-origin"), ("Origin", "http://127.0.0.1:4711")], 200),
        ([("Content-Length", "0")], 200),
        # A page that is open elsewhere in the browser, and a name of an attacker's that leads here.
        ([("Sec-Fetch-Site", "cross-site")], 403),
        ([("Origin", "http://localhost:4711")], 403),
        ([("Host", "rebound.example:4711")], 403),
        ([("Content-Length", "5")], 413),
        ([("Content-Length", "0"), ("content-length", "5")], 413),
        ([("Transfer-Encoding", "chunked")], 413),
    ],
)
def test_only_this_page_is_answered(headers: list[tuple[str, str]], status: int) -> None:
    """By the name that was asked for, and by what browsers say of who asks: as the gate of all listeners says."""
    asked = wanted("GET", "/t0ken_-/", HOST + headers, TOKEN, PORT)
    assert (asked.status if isinstance(asked, NotAnswered) else 200) == status


def test_without_a_host() -> None:
    """It was meant for nobody."""
    assert wanted("GET", "/t0ken_-/", [], TOKEN, PORT) == NotAnswered(403, "the request is for another host")


_OWN = [*HOST, ("Origin", "http://127.0.0.1:4711"), ("X-Acp-Trace", "1"), ("Content-Length", "5")]


def test_two_paths_are_written_to() -> None:
    """A log to look at, and a note; nothing else."""
    assert wanted("POST", "/t0ken_-/open", _OWN, TOKEN, PORT) == Written(None, 5)
    assert wanted("POST", "/t0ken_-/12/notes", _OWN, TOKEN, PORT) == Written(12, 5)
    for target in ("/t0ken_-/", "/t0ken_-/12/", "/t0ken_-/12/open", "/t0ken_-/notes", "/t0ken_-/12-15/notes",
                   "/t0ken/open", "/t0ken_-/open?x", "/t0ken_-/part/list.json"):  # fmt: skip
        refused = wanted("POST", target, _OWN, TOKEN, PORT)
        assert isinstance(refused, NotAnswered), target
        assert refused.status == 405


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([*HOST, *_OWN[2:]], 403),  # a program that names no origin
        ([*HOST, ("Origin", "https://evil.example"), *_OWN[2:]], 403),
        ([*HOST, ("Origin", "null"), *_OWN[2:]], 403),
        ([*HOST, ("Origin", "http://127.0.0.1:4712"), *_OWN[2:]], 403),
        ([("Host", "evil.example:4711"), *_OWN[1:]], 403),
        ([*_OWN, ("Sec-Fetch-Site", "cross-site")], 403),
        ([header for header in _OWN if header[0] != "X-Acp-Trace"], 403),  # a form of another page
        (_OWN[:3], 411),
        ([*_OWN, ("Content-Length", "5")], 411),
        ([*_OWN, ("Transfer-Encoding", "chunked")], 411),
        ([*_OWN[:3], ("Content-Length", "-1")], 411),
        ([*_OWN[:3], ("Content-Length", str(LARGEST + 1))], 413),
    ],
)  # fmt: skip
def test_only_a_page_of_this_server_writes(headers: list[tuple[str, str]], status: int) -> None:
    """Neither another page nor a form can, and nobody without saying how much."""
    refused = wanted("POST", "/t0ken_-/open", headers, TOKEN, PORT)
    assert isinstance(refused, NotAnswered)
    assert refused.status == status


def test_a_note_is_short() -> None:
    """Much shorter than a log."""
    long = [*_OWN[:3], ("Content-Length", str(LARGEST_NOTE + 1))]
    assert wanted("POST", "/t0ken_-/12/notes", long, TOKEN, PORT) == NotAnswered(413, "a note is too long")
