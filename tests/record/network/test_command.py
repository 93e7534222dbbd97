"""`acp-trace record --listen` as a process: its start, its ends, and what each mistake is called."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from acp_trace.record.network.run import NetworkSettings, run
from acp_trace.transport.address import remote_address
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.serving import Application, Receive, Scope, Send, bound, serve
from tests.posix import ENDING
from tests.record.network.loopback import (
    DEADLINE_S,
    INITIALIZE,
    INITIALIZED,
    JSON,
    LOOPBACK,
    Agent,
    http,
)
from tests.support import ACP_TRACE, KILLED_BY_POPEN, Home, entries_in

Process = asyncio.subprocess.Process


def _proxied(
    home: Home,
    client: Callable[[str, Process], Awaitable[None]],
    *options: str,
    agent: Application | None = None,
) -> tuple[int | None, bytes]:
    """Runs a client against the command, in front of an agent: exit code and standard error."""

    async def run() -> tuple[int | None, bytes]:
        listener, stop = bound(LOOPBACK), asyncio.Event()
        upstream = f"http://127.0.0.1:{listener.getsockname()[1]}/acp"
        serving = asyncio.ensure_future(serve(agent or Agent(), listener, stop))
        words = ["record", "--listen", "127.0.0.1:0", "--upstream", upstream, "--no-load", *options]
        process = await asyncio.create_subprocess_exec(
            *ACP_TRACE, *words, stdout=-1, stderr=-1, env=home.environment
        )
        assert process.stdout is not None
        try:
            url = (await process.stdout.readline()).decode().strip()
            await client(url, process)
            _, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            stop.set()
            await serving
        return process.returncode, errors

    return asyncio.run(asyncio.wait_for(run(), DEADLINE_S))


async def _begin(url: str) -> None:
    async with http() as web:
        answer = await web.post(url, content=INITIALIZE, headers=JSON)
        assert answer.content == INITIALIZED


@pytest.mark.parametrize("number", ENDING[:2])
def test_a_signal_ends_it_with_complete_traces(home: Home, number: signal.Signals) -> None:
    """A connection that is still there is ended; nothing is said on stderr."""

    async def client(url: str, process: Process) -> None:
        await _begin(url)
        process.send_signal(number)

    assert _proxied(home, client) == (0, b"")
    (trace,) = home.spooled()
    assert entries_in(trace)[-1]["end"]["frames"] == {"client": 1, "agent": 1}
    shown = home.run("show", "last")
    assert "http://127.0.0.1:" in shown
    assert "ended" in shown


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_before_it_serves(number: signal.Signals) -> None:
    """Whoever was told the address may end it at once: it ends as later, and what it had open is closed."""
    listener = bound(LOOPBACK)
    settings = NetworkSettings(RemoteAgent(remote_address("http://127.0.0.1:1/acp")), pytest.fail, load=False)
    before = signal.getsignal(number)
    run(settings, listener, lambda: signal.raise_signal(number))
    assert listener.fileno() == -1
    assert signal.getsignal(number) is before


def test_a_kill_leaves_a_trace_that_can_be_read(home: Home) -> None:
    """What the client has seen is in it."""

    async def client(url: str, process: Process) -> None:
        await _begin(url)
        process.kill()

    assert _proxied(home, client)[0] == KILLED_BY_POPEN
    (trace,) = home.spooled()
    assert [entry["from"] for entry in entries_in(trace) if "from" in entry] == ["client", "agent"]
    assert "incomplete" in home.run("show", "last")


def test_a_file_of_ones_own(home: Home, tmp_path: Path) -> None:
    """The newest connection has the name, earlier ones a number; they are files of lines at the end."""
    out = tmp_path / "mine.jsonl"

    async def client(url: str, process: Process) -> None:
        await _begin(url)
        await _begin(url)
        process.terminate()

    assert _proxied(home, client, "--out", str(out), "--label", "build=7") == (0, b"")
    for path in (out, tmp_path / "mine.1.jsonl"):
        assert path.read_bytes().startswith(b'{"acp_trace":1')
        assert entries_in(path)[0]["labels"] == {"build": "7"}
        assert "end" in entries_in(path)[-1]


UP = ("--upstream", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--listen", "127.0.0.1:0"), 2, "give both --listen ADDRESS and --upstream URL"),
        (UP, 2, "give both --listen ADDRESS and --upstream URL"),
        (("--allow-remote", "--", "agent"), 2, "give both --listen ADDRESS and --upstream URL"),
        (("--listen", "0", *UP, "--", "agent"), 2, "give no AGENT"),
        (("--listen", "0", *UP, "--model"), 2, "--model needs an AGENT"),
        (("--listen", "0", *UP, "--tls-cert", "c"), 2, "give both --tls-cert FILE and --tls-key FILE"),
        (("--listen", "0", *UP, "--upstream-ca", "c"), 2, "--upstream-ca needs an --upstream with https"),
        (("--listen", "0", *UP, "--header", "SECRET"), 2, "a header is given as 'NAME: VALUE'"),
        (("--listen", "0", *UP, "--header", "X: ${NOT_SET}"), 2, "the variable NOT_SET, which is not set"),
        (("--header", "X: y", "--", "agent"), 2, "give both --listen ADDRESS and --upstream URL"),
        (("--listen", "0", *UP, "--allow-origin", "null"), 2, "'null' is not the origin of a page"),
        (("--allow-origin", "https://a.example", "--", "agent"), 2, "give both --listen ADDRESS and"),
        (("--listen", "0.0.0.0:0", *UP), 2, "--allow-remote if that is intended"),
        (("--listen", "x", *UP), 2, "is not an address to listen at"),
        (("--listen", "0", "--upstream", "ftp://h"), 2, "not a URL of an agent"),
        (("--listen", "0", *UP, "--tls-cert", "/no/c", "--tls-key", "/no/k"), 3, "No such file"),
        (("--listen", "0", "--upstream", "https://h", "--upstream-ca", "/no/a"), 3, "No such file"),
        ((), 2, "Missing argument 'AGENT...'"),
    ],
)
def test_mistakes(home: Home, words: tuple[str, ...], code: int, told: str) -> None:
    """One line each."""
    done = home.outcome("record", *words)
    assert done.returncode == code
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_files_that_are_no_certificates(home: Home, tmp_path: Path) -> None:
    """They are named."""
    odd = tmp_path / "odd.pem"
    odd.write_text("nothing")
    for words in (
        (*UP, "--tls-cert", str(odd), "--tls-key", str(odd)),
        ("--upstream", "https://h", "--upstream-ca", str(odd)),
    ):
        done = home.outcome("record", "--listen", "0", *words)
        assert done.returncode == 3
        assert b"odd.pem: is not a file of certificates in PEM" in done.stderr


def test_an_address_in_use(home: Home) -> None:
    """Somebody else listens there."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"127.0.0.1:{other.getsockname()[1]}"
        done = home.outcome("record", "--listen", address, *UP)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().startswith(f"acp-trace: cannot listen at {address}: ")


@pytest.mark.slow
def test_a_client_that_does_not_read(home: Home) -> None:
    """A WebSocket is full, and stays so, when a signal ends the proxy: it ends, with nothing on stderr."""
    is_full = asyncio.Event()

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while not is_full.is_set():
            try:
                await asyncio.wait_for(send({"type": "websocket.send", "bytes": b"x" * 100_000}), 1)
            except TimeoutError:
                is_full.set()
        while (await receive())["type"] != "websocket.disconnect":
            pass

    async def client(url: str, process: Process) -> None:
        host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 10)
        writer.write(
            b"GET /acp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        assert b" 101 " in await reader.readline()
        await is_full.wait()
        process.terminate()
        await process.wait()
        writer.close()

    assert _proxied(home, client, agent=agent) == (0, b"")
