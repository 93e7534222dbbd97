"""`acp-trace mock --listen`: the recorded agent, served to a client that connects."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.posix import ENDING
from tests.support import DEADLINE_S, WITHOUT_LOADER, Home, Recording
from tests.transport.talk import recording

ANY = "127.0.0.1:0"


@pytest.fixture
def one(tmp_path: Path) -> str:
    """The recording."""
    path = tmp_path / "one.jsonl"
    path.write_bytes(recording())
    return str(path)


def started(home: Home, *args: str) -> Recording:
    return Recording([*WITHOUT_LOADER, "mock", *args], home.environment)


def address_of(mock: Recording, scheme: str = "http") -> str:
    """`HOST:PORT/acp` of a mock that waits for its client."""
    line: str = mock.stderr.readline().decode()
    assert line.startswith(
        f"acp-trace: acting as an agent now, waiting for a client at {scheme}://127.0.0.1:"
    )
    return line.partition("://")[2].strip()


def ended(mock: Recording) -> tuple[int, str]:
    """The exit code, and the report."""
    code = mock.process.wait(DEADLINE_S)
    return code, mock.stderr.read().decode()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_a_client_that_does_the_same(home: Home, one: str, scheme: str) -> None:
    """Both sides pass, and end."""
    with started(home, one, "--listen", ANY) as mock:
        said = home.run("replay", one, "--url", f"{scheme}://{address_of(mock)}")
        assert said.startswith(f"passed  {one}  7 of 7 steps in ")
        code, report = ended(mock)
    assert (code, report.startswith(f"passed  {one}")) == (0, True), report


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["https", "wss"])
def test_with_tls(home: Home, one: str, scheme: str, tmp_path: Path) -> None:
    """By the user's files: a client that trusts the authority does the same, one that does not is refused."""
    pytest.importorskip("cryptography")
    from tests.transport.certificates import certificates

    authority, (certificate, key) = certificates(tmp_path)
    tls = ("--listen", ANY, "--tls-cert", certificate, "--tls-key", key)
    with started(home, one, *tls) as mock:
        url = f"{scheme}://{address_of(mock, 'https')}"
        stranger = home.outcome("replay", one, "--url", url)
        assert (stranger.returncode, b"its certificate is not trusted" in stranger.stdout) == (5, True)
        home.run("replay", one, "--url", url, "--ca", authority)
        code, report = ended(mock)
    assert (code, report.startswith(f"passed  {one}")) == (0, True), report
    said = "SELECT DISTINCT protocol FROM streams JOIN traces USING (trace_id) WHERE origin = 'mock'"
    protocol = "WebSocket" if scheme == "wss" else "HTTP/2"
    assert json.loads(home.run("query", "--json", said)) == [{"protocol": protocol}]


STREAMS = """
    SELECT method, protocol, status, session_id IS NULL, streams.frames_client, streams.frames_agent
    FROM streams JOIN traces USING (trace_id) WHERE origin = '{}' ORDER BY ALL
"""


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "transport"), [("http", "http"), ("ws", "websocket")])
def test_both_ends_record_the_same_streams(home: Home, one: str, scheme: str, transport: str) -> None:
    """The run of the mock, and that of the replay which was its client: each message on the same stream."""
    with started(home, one, "--listen", ANY) as mock:
        home.run("replay", one, "--url", f"{scheme}://{address_of(mock)}")
        assert ended(mock)[0] == 0
    streams = [json.loads(home.run("query", "--json", STREAMS.format(of))) for of in ("mock", "replay")]
    assert streams[0] == streams[1]
    ends = "SELECT transport, client_left, exit_code, complete FROM traces WHERE origin = 'mock'"
    row = json.loads(home.run("query", "--json", ends))
    assert list(row[0].values()) == [transport, True, None, True]


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDING[:2])
def test_a_signal_as_soon_as_it_listens(home: Home, one: str, number: signal.Signals) -> None:
    """The verdict is reported, as when a client has been there."""
    for _ in range(3):
        with started(home, one, "--listen", ANY) as mock:
            address_of(mock)
            mock.process.send_signal(number)
            code, report = ended(mock)
        assert code == 1, report
        assert report.startswith(f"FAILED  {one}")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_a_client_that_does_less(home: Home, one: str, scheme: str, tmp_path: Path) -> None:
    """Leaves after the first session: the mock ends, and says what is missing."""
    short = tmp_path / "short.jsonl"
    short.write_bytes(recording(steps=10))
    with started(home, one, "--listen", ANY) as mock:
        home.run("replay", str(short), "--url", f"{scheme}://{address_of(mock)}")
        code, report = ended(mock)
    assert code == 1, report
    assert report.startswith(f"FAILED  {one}")


def test_what_cannot_be(home: Home, one: str) -> None:
    """One line each."""
    for words, line, code in (
        (("--listen", "nonsense"), "is not an address to listen at", 2),
        (("--listen", "0.0.0.0:0"), "--allow-remote if that is intended", 2),
        (("--allow-remote",), "--allow-remote needs --listen", 2),
        (("--tls-key", "k"), "--tls-key needs --listen", 2),
        (("--listen", ANY, "--tls-cert", "c"), "give both --tls-cert FILE and --tls-key FILE", 2),
        (("--listen", ANY, "--tls-cert", "/no/c", "--tls-key", "/no/k"), "/no/c: No such file", 3),
        (("--listen", ANY, "--tls-cert", one, "--tls-key", one), "is not a file of certificates in PEM", 3),
        (("--listen", "192.0.2.1:0", "--allow-remote"), "cannot listen at 192.0.2.1:0: ", 3),
    ):
        done = home.outcome("mock", one, *words)
        assert (done.returncode, line in done.stderr.decode()) == (code, True), done.stderr
