"""The server, by requests: what it answers, to whom, and that nobody can keep it from others."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_trace.report.page.parts import Part
from acp_trace.store.sources import Source
from acp_trace.store.sweep import sweep
from acp_trace.trace.home import Home
from acp_trace.view import pages as view_pages
from acp_trace.view import server as view_server
from acp_trace.view import traces as view_traces
from acp_trace.view.pages import Pages
from acp_trace.view.server import Server
from acp_trace.view.traces import Traces
from tests import support
from tests.commands import Commands
from tests.compare.conversation import base, file, instead
from tests.reading.talk import stop
from tests.support import agent, request, result, trace, update

Asked = tuple[int, dict[str, str], bytes]


class Client:
    """A client of a server, with the token."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def __call__(self, path: str = "", method: str = "GET", **headers: str) -> Asked:
        """Status, head and body of an answer; `path` is what comes behind the token, or is whole."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        whole = path if path.startswith("/") else f"/{self.server.token}/{path}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, whole, headers=named)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body

    def json(self, path: str) -> Any:
        """A part that is a document."""
        status, _, body = self(path)
        assert status == 200, body
        return json.loads(zlib.decompress(body))


@contextlib.contextmanager
def _serving(commands: Commands) -> Iterator[Client]:
    pages = Pages(Traces(Home(commands.home.path)))
    with Server(pages, "t0ken") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Client(server)
        finally:
            server.shutdown()
            thread.join()
            pages.close()


@pytest.fixture
def client(commands: Commands) -> Iterator[Client]:
    """A client of a server that shows the traces of this home."""
    with _serving(commands) as client:
        yield client


@pytest.fixture
def two(commands: Commands, tmp_path: Path) -> None:
    """Two traces in the store, the newer one with another stop reason."""
    for name, id_, edit in (
        ("one", "20261120T130501Z-7f3a9c", instead("stop 1", stop(3))),
        ("other", "20261120T130502Z-7f3a9d", instead("stop 1", stop(3, "max_tokens"))),
    ):
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(file(edit(base()), id=id_, started_at=f"2026-11-20T13:05:0{len(name) - 2}Z"))
        commands.passes("load", path)


@pytest.mark.usefixtures("two")
def test_all_traces_one_and_two(client: Client) -> None:
    """Under numbers: the list with the rows of `ls`, the page of a trace, and that of two, compared."""
    assert client.json("part/page.json")["kind"] == "list"
    rows = client.json("part/list.json")
    assert [(row["id"][-6:], row["frames"]) for row in rows] == [("7f3a9d", 48), ("7f3a9c", 48)]
    newer, older = (row["number"] for row in rows)
    page = client.json(f"{older}/part/page.json")
    assert (page["kind"], page["list"], [each["id"][-6:] for each in page["traces"]]) == (
        "trace",
        "../",
        ["7f3a9c"],
    )
    assert client.json(f"{older}/part/a/report.json")["trace"]["id"].endswith("7f3a9c")
    index = client.json(f"{older}/part/a/index.json")
    assert (index["frames"], index["live"]) == (48, False)
    frames = zlib.decompress(client(f"{older}/part/a/frames/0")[2]).split(b"\n")
    assert len(frames) == 48
    diff = client.json(f"{older}-{newer}/part/b/diff.json")
    assert [each["code"] for each in diff["divergences"]] == ["stop-reason"]
    assert client.json(f"{older}-{newer}/part/b/alignment.json")["rows"] == 48


@pytest.mark.usefixtures("two")
def test_an_answer_says_what_may_be_done_with_it(client: Client) -> None:
    """The page's own script alone runs; nothing is kept, framed, or taken for another type."""
    client.json("part/list.json")
    for path, kind in (
        ("", "text/html"),
        ("1/", "text/html"),
        ("1/part/page.json", "application/octet-stream"),
        ("9/part/x", "text/plain"),
    ):
        _, head, _ = client(path)
        assert head["content-type"].startswith(kind)
        assert head["content-security-policy"].startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in head["content-security-policy"]
        assert (head["cache-control"], head["x-content-type-options"]) == ("no-store", "nosniff")
        assert (head["referrer-policy"], head["cross-origin-resource-policy"]) == (
            "no-referrer",
            "same-origin",
        )
        assert "access-control-allow-origin" not in head
        assert "python" not in head["server"].lower()


@pytest.mark.usefixtures("two")
def test_others_are_refused(client: Client) -> None:
    """Without the token, by another name, from another page, with another method: a line, and no more."""
    client.json("part/list.json")
    port = client.server.port
    for asked, status in (
        (client("/"), 404), (client("/wrong/"), 404), (client("/wrong/part/list.json"), 404),
        (client("/t0ken/../../../etc/passwd"), 404), (client("1/part/../../../../etc/passwd"), 404),
        (client("part/list.json", Host=f"rebound.example:{port}"), 403),
        (client("part/list.json", Origin="https://page.example"), 403),
        (client("part/list.json", Sec_Fetch_Site="cross-site"), 403),
        (client("", method="POST"), 405), (client("", method="HEAD"), 405), (client("", method="TRACE"), 405),
        (client("77/part/page.json"), 410), (client("0/part/page.json"), 410),
    ):  # fmt: skip
        assert asked[0] == status, asked
        assert b"7f3a9c" not in asked[2]
        assert b"root:" not in asked[2]
        assert asked[2].count(b"\n") <= 1


@pytest.mark.usefixtures("two")
def test_no_id_is_a_path(client: Client, commands: Commands, tmp_path: Path) -> None:
    """A trace may call itself what it likes: it is opened by that name from the store, and no file is."""
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(file(base(), id="20261120T130501Z-5ec5e7"))
    hostile = tmp_path / "hostile.jsonl"
    hostile.write_bytes(trace(("client", request(1, "initialize", protocolVersion=1)), id=str(secret)))
    commands("load", hostile)
    for row in client.json("part/list.json"):
        status, _, body = client(f"{row['number']}/part/a/report.json")
        if status == 200:
            assert json.loads(zlib.decompress(body))["trace"]["id"] == row["id"]
        assert b"5ec5e7" not in body


def _raw(client: Client, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=30) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    return answer


def test_what_is_not_http_or_too_large_is_refused(client: Client) -> None:
    """By one answer, after which the connection is closed: what comes behind it is not read."""
    host = f"Host: 127.0.0.1:{client.server.port}\r\n".encode()
    for data, status in (
        (b"\x16\x03\x01\x02\x00\r\n\r\n", b"400"),
        (b"GET / HTTP/9.9\r\n\r\n", b"505"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET /t0ken/ HTTP/1.1\r\n" + host + b"X: " + b"a" * 70_000 + b"\r\n\r\n", b"431"),
        (b"GET /t0ken/ HTTP/1.1\r\n" + host + b"X: a\r\n" * 200 + b"\r\n", b"431"),
        (b"GET /t0ken/ HTTP/1.1\r\n" + host + host + b"\r\n", b"403"),
        (b"GET /t0ken/ HTTP/1.1\r\n" + host + b"Content-Length: 40\r\n\r\nGET /t0ken/ HTTP/1.1\r\n" + host, b"413"),
    ):  # fmt: skip
        answer = _raw(client, data)
        head = answer.split(b"\r\n")[0]
        assert status in head or status in answer[:20], answer[:200]
        assert answer.count(b"HTTP/1.1 ") <= 1


def test_slow_clients_keep_nobody_waiting(client: Client) -> None:
    """Some send half a request, some take no answer; the next one is answered."""
    whole = f"GET /t0ken/ HTTP/1.1\r\nHost: 127.0.0.1:{client.server.port}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        for number in range(20):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", client.server.port)))
            connection.sendall(b"GET /t0ken/" if number % 2 else whole)
        assert client("part/page.json")[0] == 200


def test_silent_clients_make_room(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks is answered, however many connections wait without a whole request."""
    monkeypatch.setattr(view_server, "MOST", 2)
    with _serving(commands) as client, contextlib.ExitStack() as opened:
        for said in (b"", b"GET /t0ken/ HTTP/1.1\r\n", b"G"):
            silent = opened.enter_context(socket.create_connection(("127.0.0.1", client.server.port)))
            silent.sendall(said)
        assert client()[0] == 200


def test_too_many_busy_clients_keep_their_place(
    commands: Commands, two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that is being answered is not broken off for another one, which is sent away."""
    del two
    begun, goes_on = threading.Event(), threading.Event()
    made = Pages.part

    def slow(pages: Pages, traces: tuple[int, ...], name: str) -> bytes | None:
        begun.set()
        assert goes_on.wait(support.DEADLINE_S)
        return made(pages, traces, name)

    monkeypatch.setattr(view_server, "MOST", 1)
    monkeypatch.setattr(Pages, "part", slow)
    with _serving(commands) as client:
        answers: list[Asked] = []
        busy = threading.Thread(target=lambda: answers.append(client("part/list.json")))
        busy.start()
        try:
            assert begun.wait(support.DEADLINE_S)
            with socket.create_connection(("127.0.0.1", client.server.port)) as second:
                assert second.recv(1) == b""
        finally:
            goes_on.set()
            busy.join()
        assert answers[0][0] == 200


def test_a_client_that_says_nothing_is_left(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some time its connection is closed."""
    monkeypatch.setattr(view_server._Handler, "timeout", 0.05)
    assert _raw(client, b"GET /t0ken/ HTT") == b""


@pytest.mark.usefixtures("two")
def test_few_pages_are_kept(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ones that were asked for last; the others are made again."""
    monkeypatch.setattr(view_pages, "MOST", 1)
    client.json("part/list.json")
    for number in (1, 2, 1):
        assert client.json(f"{number}/part/a/index.json")["frames"] == 48
    assert len(client.server.pages._pages) == 1


@pytest.mark.usefixtures("two")
def test_a_slow_trace_holds_up_nobody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one of its parts is being made: the list, another trace, more traces than are kept, and what is made of it."""
    begun, goes_on = threading.Event(), threading.Event()
    made = view_pages._one

    def slow(source: Source) -> Iterator[Part]:
        for part in made(source):
            if source.name.endswith("7f3a9c") and part.name == "a/logs.json":
                begun.set()
                assert goes_on.wait(support.DEADLINE_S)
            yield part

    monkeypatch.setattr(view_pages, "_one", slow)
    monkeypatch.setattr(view_pages, "MOST", 1)
    rows = client.json("part/list.json")
    newer, older = (row["number"] for row in rows)
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(client.json(f"{older}/part/a/logs.json")))
    waiting.start()
    try:
        assert begun.wait(support.DEADLINE_S)
        assert client.json("part/list.json") == rows
        assert client.json(f"{older}/part/a/index.json")["frames"] == 48
        assert client.json(f"{newer}/part/a/index.json")["frames"] == 48
    finally:
        goes_on.set()
        waiting.join()
    assert answers == [[]]


@pytest.mark.usefixtures("two")
def test_loading_holds_up_no_list(
    client: Client, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a trace is loaded from the spool, the list is what it was; then the trace is in it, from the store."""
    begun, goes_on = threading.Event(), threading.Event()

    def slow(home: Home, **how: Any) -> Any:
        begun.set()
        assert goes_on.wait(support.DEADLINE_S)
        return sweep(home, **how)

    monkeypatch.setattr(view_traces, "sweep", slow)
    new = tmp_path / "20261120T130509Z-7f3a99.jsonl"
    new.write_bytes(file(base(), id=new.stem))
    commands.home.spool.mkdir(parents=True, exist_ok=True)
    new.rename(commands.home.spool / new.name)
    assert len(rows := client.json("part/list.json")) == 3
    assert begun.wait(support.DEADLINE_S)
    assert client.json("part/list.json") == rows
    goes_on.set()
    support.until(lambda: not commands.home.spooled(), "it is loaded")
    assert {row["id"] for row in client.json("part/list.json")} == {row["id"] for row in rows}


def test_a_live_trace_grows(client: Client, home: support.Home) -> None:
    """Its index goes on when it is asked for; at the end it is not live any more, wherever its file is."""
    chunk = json.dumps(update("s", "agent_message_chunk", content={"type": "text", "text": "x"}))
    answers = f"for line in lines:\n    say({chunk!r} + chr(10))\n    say({json.dumps(result(1, sessionId='s'))!r} + chr(10))\n"
    prompt = json.dumps(request(1, "session/new", cwd="/w", mcpServers=[])).encode() + b"\n"
    with home.start(agent(answers)) as recording:
        for _ in range(2):
            recording.say(prompt)
            assert recording.hear()
            assert recording.hear()
        (row,) = client.json("part/list.json")
        assert row["state"] == "live"
        number = row["number"]
        assert (index := client.json(f"{number}/part/a/index.json"))["frames"] == 6
        assert index["live"]
        before = client(f"{number}/part/a/columns/0")[2]
        recording.say(prompt)
        assert recording.hear()
        assert recording.hear()
        # Parts that belong together stay so until the index is asked for again.
        assert client(f"{number}/part/a/columns/0")[2] == before
        assert client.json(f"{number}/part/a/index.json")["frames"] == 9
        assert len(zlib.decompress(client(f"{number}/part/a/frames/0")[2]).split(b"\n")) == 9
        recording.finish()
    home.run("ls")  # which loads it, and removes its file
    assert home.spooled() == []
    assert not client.json(f"{number}/part/a/index.json")["live"]
    assert client.json(f"{number}/part/a/report.json")["trace"]["complete"]


def test_the_command_serves_until_it_is_interrupted(home: support.Home, tmp_path: Path) -> None:
    """It prints the address, and ends with 0 and without a word."""
    import signal
    import subprocess

    path = tmp_path / "one.jsonl"
    path.write_bytes(file(base()))
    with subprocess.Popen(
        [*support.ACP_TRACE, "view", str(path), "--no-open"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environment,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        _, token, number, _ = url.removeprefix("http://").split("/")
        port = int(url.split("/")[2].rpartition(":")[2])
        assert len(token) >= 32
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", f"/{token}/{number}/part/a/index.json")
        assert json.loads(zlib.decompress(connection.getresponse().read()))["frames"] == 48
        connection.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=support.DEADLINE_S)
    assert (process.returncode, out, err) == (0, b"", b"")
