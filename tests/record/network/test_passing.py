"""ACP over HTTP through the proxy: to the byte, at once, and in the trace before anybody sees it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from acp_trace.record.network import gateway
from acp_trace.transport.serving import Receive, Scope, Send
from tests.record.network.loopback import (
    EVENTS,
    INITIALIZE,
    INITIALIZED,
    JSON,
    Agent,
    body,
    entries,
    facts,
    footer,
    header,
    http,
    messages,
    recorded,
    respond,
)
from tests.support import analyzed

NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}'


async def _connected(client: httpx.AsyncClient, url: str) -> dict[str, str]:
    """The headers of a connection that was just begun."""
    answer = await client.post(url, content=INITIALIZE, headers=JSON)
    assert (answer.status_code, answer.content) == (200, INITIALIZED)
    return {**JSON, "Acp-Connection-Id": answer.headers["acp-connection-id"]}


def test_a_connection_is_a_trace(tmp_path: Path) -> None:
    """Requests, the event stream, the end: each frame with its stream, and what HTTP says of that."""
    agent = Agent()

    async def client(address: str) -> None:
        url = f"http://{address}/acp"
        async with http() as web:
            of = await _connected(web, url)
            async with web.stream("GET", url, headers={**of, **EVENTS}) as events:
                assert (await web.post(url, content=NEW, headers=of)).status_code == 202
                lines = events.aiter_lines()
                assert json.loads((await anext(lines)).removeprefix("data: "))["id"] == 1
                assert (await web.delete(url, headers=of)).status_code == 202
                assert [line async for line in lines] == [""]

    lines = recorded(tmp_path, agent, client).trace()
    assert messages(lines, "client") == agent.posted == [INITIALIZE, NEW]
    assert messages(lines, "agent")[0] == INITIALIZED
    streams = [entry.stream for entry in entries(lines) if entry.sender]
    assert streams == [1, 1, 3, 2]
    requests = [request["method"] for request in facts(lines, "request")]
    assert requests == ["POST", "GET", "POST", "DELETE"]
    assert [response["status"] for response in facts(lines, "response")] == [200, 200, 202, 202]
    assert len(facts(lines, "end")) == 4
    counts = {"client": 2, "agent": 2}
    assert footer(lines) == {"exit_code": None, "signal": None, "frames": counts, "client_left": True}
    found, frames = analyzed(lines)
    assert found.trace.complete
    assert [session.session_id for session in found.sessions] == ["s"]
    assert not found.findings
    assert [frame.answers for frame in frames] == [None, 1, None, 3]


@pytest.mark.parametrize(
    "posted",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"a"}\n',
        b' {\r\n "jsonrpc": "2.0",\n\t"id": 1\n}\n\n',
        b"not JSON\nat all",
        b"\xff\xfe\n{}",
        b'{"a":"\\ud83d"}\n',
        b'[{"jsonrpc":"2.0","id":1,"method":"a"}]',
    ],
)
def test_a_body_is_kept_to_the_byte(tmp_path: Path, posted: bytes) -> None:
    """Also with newlines in it, which no line of a trace can have, and if it is no JSON."""
    agent = Agent(lambda _: b":\n\n")

    async def client(address: str) -> None:
        url = f"http://{address}/acp"
        async with http() as web:
            of = await _connected(web, url)
            assert (await web.post(url, content=posted, headers=of)).status_code == 202

    lines = recorded(tmp_path, agent, client).trace()
    assert agent.posted[1] == posted
    assert messages(lines, "client")[1] == posted


def test_a_body_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reaches nobody and is in no trace; one of the limit's size passes, and the connection goes on."""
    monkeypatch.setattr(gateway, "MOST_BYTES", 5000)
    agent = Agent(lambda _: b":\n\n")
    largest, larger = b"[%s]" % (b" " * 4998), b"[%s]" % (b" " * 4999)

    async def client(address: str) -> None:
        url = f"http://{address}/acp"
        async with http() as web:
            of = await _connected(web, url)
            refused = await web.post(url, content=larger, headers=of)
            assert (refused.status_code, refused.text) == (413, "acp-trace: the body is too large\n")
            assert (await web.post(url, content=largest, headers=of)).status_code == 202

    lines = recorded(tmp_path, agent, client).trace()
    assert agent.posted[1:] == [largest]
    assert messages(lines, "client")[1:] == [largest]


def test_events_pass_at_once_and_as_they_came(tmp_path: Path) -> None:
    """Comments, types, ids, line ends and cuts inside of an event stay; the trace has the data alone."""
    wire = b'\xef\xbb\xbf: hello\r\nid: 7\r\nevent: message\r\ndata: {"a":\r\ndata: 1}\r\n\r\nretry: 5\n\n'
    pieces = [wire[:9], wire[9:40], wire[40:]]
    reached = [asyncio.Event() for _ in pieces]

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the next piece when the client has the one before."""
        await body(receive)
        if scope["method"] == "POST":
            await respond(send, 200, INITIALIZED, acp_connection_id="c")
            return
        start = {"status": 200, "headers": [(b"content-type", b"text/event-stream; charset=utf-8")]}
        await send({"type": "http.response.start", **start})
        for piece, event in zip(pieces, reached, strict=True):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await event.wait()

    async def client(address: str) -> None:
        url, got, at = f"http://{address}/acp", b"", 0
        ends = [len(b"".join(pieces[: number + 1])) for number in range(len(pieces))]
        async with http() as web:
            of = await _connected(web, url)
            async with web.stream("GET", url, headers={**of, **EVENTS}) as events:
                async for piece in events.aiter_raw():
                    got += piece
                    while at < len(ends) and len(got) >= ends[at]:
                        reached[at].set()
                        at += 1
                    if at == len(ends):
                        break
        assert got == wire

    lines = recorded(tmp_path, agent, client).trace()
    assert messages(lines, "agent") == [INITIALIZED, b'{"a":\n1}']


def test_no_secret_is_written_and_each_reaches_the_other_side(tmp_path: Path) -> None:
    """Whatever header or query holds it, and whatever form the file has."""
    agent = Agent()
    secret = {
        "Authorization": "Bearer SECRET-TOKEN",
        "Cookie": "sid=SECRET-COOKIE",
        "X-Api-Key": "SECRET-KEY",
        "Acp-Session-Id": "s",
    }

    async def client(address: str) -> None:
        url = f"http://{address}/acp?key=SECRET-QUERY"
        async with http() as web:
            answer = await web.post(url, content=INITIALIZE, headers={**JSON, **secret})
            assert answer.headers["set-cookie"] == "node=COOKIE-OF-AGENT"

    kept = recorded(
        tmp_path,
        agent,
        client,
        upstream="http://SECRET-USER:SECRET-PASSWORD@AGENT/acp?more=SECRET-OF-URL",
    )
    ((_, query, headers),) = agent.seen
    assert query == "key=SECRET-QUERY&more=SECRET-OF-URL"
    assert {name: headers[name.lower()] for name in secret} == secret
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"acp-session-id" in written
    assert b"authorization" in written
    assert b"SECRET" not in written
    assert b"COOKIE-OF" not in written
    assert not kept.told


def test_headers_that_the_proxy_adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To requests of a client that does not bring them; an agent that repeats them is heard by the client alone."""
    monkeypatch.setenv("TOKEN", "SECRET-TOKEN")
    seen: list[tuple[str, str]] = []

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        await body(receive)
        seen.append((header(scope, b"authorization"), header(scope, b"x-agent")))
        await respond(send, 401, b"Unknown: SECRET-TOKEN and SECRET-AGENT", content_type="text/plain")

    async def client(address: str) -> None:
        async with http() as web:
            for own in ({}, {"Authorization": "Bearer OWN"}):
                answer = await web.post(f"http://{address}/acp", content=INITIALIZE, headers={**JSON, **own})
                assert answer.text == "Unknown: SECRET-TOKEN and SECRET-AGENT"

    given = ["Authorization: Bearer ${TOKEN}", "X-Agent: SECRET-AGENT"]
    kept = recorded(tmp_path, agent, client, header=given)
    assert seen == [("Bearer SECRET-TOKEN", "SECRET-AGENT"), ("Bearer OWN", "SECRET-AGENT")]
    for lines in kept.traces():
        assert facts(lines, "body") == [{"bytes": 38, "text": "Unknown: ‹hidden› and ‹hidden›"}]
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"SECRET" not in written


def test_an_agent_that_is_not_there(tmp_path: Path) -> None:
    """The client gets 502 and the reason, and the trace has it, too."""

    async def client(address: str) -> None:
        async with http() as web:
            answer = await web.post(f"http://{address}/acp", content=INITIALIZE, headers=JSON)
        assert answer.status_code == 502
        assert answer.text.startswith("acp-trace: cannot reach the agent at http://127.0.0.1:1/acp (")

    lines = recorded(tmp_path, None, client, upstream="http://127.0.0.1:1").trace()
    assert messages(lines, "client") == [INITIALIZE]
    (end,) = facts(lines, "end")
    assert end["by"] == "agent"
    assert footer(lines)["error"] == end["failed"]


def test_an_agent_that_breaks_off(tmp_path: Path) -> None:
    """The client's stream breaks, too, as it would without the proxy; the trace says who did it."""

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        await body(receive)
        if scope["method"] == "POST":
            await respond(send, 200, INITIALIZED, acp_connection_id="c")
            return
        start = {"status": 200, "headers": [(b"content-type", b"text/event-stream")]}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": b'data: {"a":1}\n\ndata: {"b', "more_body": True})

    async def client(address: str) -> None:
        url = f"http://{address}/acp"
        async with http() as web:
            of = await _connected(web, url)
            async with web.stream("GET", url, headers={**of, **EVENTS}) as events:
                with pytest.raises(httpx.RemoteProtocolError):
                    [piece async for piece in events.aiter_raw()]

    lines = recorded(tmp_path, agent, client).trace()
    assert messages(lines, "agent") == [INITIALIZED, b'{"a":1}']
    ends = facts(lines, "end")
    assert ends[0] == {"by": "agent"}
    assert ends[1]["by"] == "agent"
    assert ends[1]["failed"]


def test_what_an_error_says_is_in_the_trace(tmp_path: Path) -> None:
    """It is not a message of ACP; an error of JSON-RPC is."""
    agent = Agent()

    async def client(address: str) -> None:
        async with http() as web:
            of = {**JSON, "Acp-Connection-Id": "never-heard"}
            answer = await web.post(f"http://{address}/acp", content=NEW, headers=of)
        assert (answer.status_code, answer.text) == (404, "Unknown Acp-Connection-Id")

    lines = recorded(tmp_path, agent, client).trace()
    assert facts(lines, "body") == [{"bytes": 25, "text": "Unknown Acp-Connection-Id"}]
    assert not messages(lines, "agent")


def test_traffic_goes_on_if_nothing_can_be_written(tmp_path: Path) -> None:
    """One line says it."""
    home = tmp_path / "home"
    home.write_text("a file where the directory should be")
    agent = Agent()

    async def client(address: str) -> None:
        url = f"http://{address}/acp"
        async with http() as web:
            of = await _connected(web, url)
            assert (await web.post(url, content=NEW, headers=of)).status_code == 202

    kept = recorded(home, agent, client)
    assert agent.posted == [INITIALIZE, NEW]
    (told,) = kept.told
    assert "the traffic goes on unrecorded" in told


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"},
    ],
)
def test_a_web_page_cannot_come_in(tmp_path: Path, headers: dict[str, str]) -> None:
    """Neither by a name of its own that leads here, nor from its own origin: nothing reaches the agent."""
    agent = Agent()

    async def client(address: str) -> None:
        async with http() as web:
            for path in ("/acp", "/other"):
                answer = await web.post(
                    f"http://{address}{path}", content=INITIALIZE, headers={**JSON, **headers}
                )
                assert answer.status_code == 403

    assert not recorded(tmp_path, agent, client, header=["Authorization: Bearer SECRET"]).traces()
    assert not agent.seen


def test_a_page_that_is_allowed(tmp_path: Path) -> None:
    """Its origin reaches the agent, which decides who may read its answers: the proxy adds nothing to them."""
    agent, page = Agent(), {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}

    async def client(address: str) -> None:
        async with http() as web:
            answer = await web.post(f"http://{address}/acp", content=INITIALIZE, headers={**JSON, **page})
            assert answer.status_code == 200
            assert not [name for name in answer.headers if name.startswith("access-control-")]

    recorded(tmp_path, agent, client, origins=["https://app.example"])
    assert [headers["origin"] for _, _, headers in agent.seen] == ["https://app.example"]


def test_a_request_names_no_other_host(tmp_path: Path) -> None:
    """A whole URL as its target, and what looks like a host, reach nobody: only a path reaches the agent."""
    seen: list[bytes] = []

    async def elsewhere(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.read(1))
        writer.close()

    async def client(address: str) -> None:
        other = await asyncio.start_server(elsewhere, "127.0.0.1", 0)
        host = f"127.0.0.1:{other.sockets[0].getsockname()[1]}"
        for target in (f"http://{host}/acp", f"//{host}/acp", f"@{host}/acp", f"/acp@{host}"):
            near, far = await asyncio.open_connection(*address.split(":"))
            far.write(f"GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
            status = 404 if target.startswith("/acp") else 400
            assert (await near.readline()).startswith(b"HTTP/1.1 %d" % status)
            far.close()
            await far.wait_closed()
        other.close()
        await other.wait_closed()

    asked: list[bytes] = []

    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["raw_path"])
        await respond(send, 404)

    recorded(tmp_path, refusing, client)
    assert not seen
    assert [path.partition(b"@")[0] for path in asked] == [b"/acp"]


def test_other_paths_pass_unrecorded(tmp_path: Path) -> None:
    """An agent's server may have more to offer."""

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, scope["raw_path"] + b"?" + scope["query_string"])

    async def client(address: str) -> None:
        async with http() as web:
            answer = await web.get(f"http://{address}/health/%41?x=%2F")
        assert answer.content == b"/health/%41?x=%2F"

    assert not recorded(tmp_path, agent, client).traces()


def test_each_connection_has_a_trace_of_its_own(tmp_path: Path) -> None:
    """Two at once, with the same ids in their messages."""
    agent = Agent()

    async def client(address: str) -> None:
        url = f"http://{address}/acp"
        async with http() as web:
            first, second = await _connected(web, url), await _connected(web, url)
            for of in (second, first):
                assert (await web.post(url, content=NEW, headers=of)).status_code == 202

    one, other = recorded(tmp_path, agent, client).traces()
    for lines in (one, other):
        assert messages(lines, "client") == [INITIALIZE, NEW]
        assert len(footer(lines)["frames"]) == 2
