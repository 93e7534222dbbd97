"""What recording the model's side costs: a client, a provider with TLS, and between them our proxy or mitmproxy.

mitmproxy is the proxy that others build on. Here it passes streams on and records nothing, but for the row about
sizes. It is installed into a cache of its own, as the other baselines are.
"""

from __future__ import annotations

import functools
import json
import os
import re
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.bench.recording import first_answer
from tests.bench.timing import NOTHING, PIPE, Row, command, compared, free_port, listens, rounds
from tests.faults.model.staging import peak_mb
from tests.real import packages

_PEER = Path(__file__).with_name("model_peer.py")
MITMPROXY = ("mitmproxy==11.0.2",)  # the newest for Python 3.11
STREAMS = (
    "def requestheaders(flow): flow.request.stream = True\n"
    "def responseheaders(flow): flow.response.stream = True\n"
)
#: Says how it reaches its model, and waits.
_AGENT = "import json, os, sys; print(json.dumps([os.environ['HTTPS_PROXY'], os.environ['SSL_CERT_FILE']]), flush=True); sys.stdin.read()"
_NONE, _THEIRS = "no proxy", "mitmproxy"
_READ, _MB = 1 << 18, 1 << 20
_STAMP = re.compile(rb'"t":(\d+)')


class _Way(NamedTuple):
    """How a client reaches the provider: at a port, or through a proxy, trusting these certificates."""

    provider: int
    trusted: str
    proxy: int | None = None


class _Took(NamedTuple):
    """What one round took."""

    connect_ms: float  #: a connection with TLS, and a small request on it
    small_ms: float  #: until the first byte, on a connection that is there
    large_ms: float  #: the same with a request of 300 kB
    piece_ms: float  #: a piece of a stream, from the provider to the client
    down: float  #: MB/s of a response of 64 MB
    up: float  #: MB/s of a request of 64 MB
    many_s: float  #: 200 streams at once, from the first connection to the last byte


def model(folder: Path, *, quick: bool) -> list[Row]:
    """Start, latencies, throughput, memory and sizes; beside no proxy at all, and beside mitmproxy."""
    count = 3 if quick else 9
    rows = _starts(folder, count)
    with ExitStack() as stack:
        provider, trusted = stack.enter_context(_provider(folder))
        ours, pid = stack.enter_context(_ours(folder, provider, trusted, "latencies"))
        ways = {_NONE: _Way(provider, trusted), "ours": ours}
        other = 0
        try:
            ways[_THEIRS], other = stack.enter_context(_mitmproxy(folder, provider, trusted))
        except packages.OutOfReach as why:
            print(f"model: without mitmproxy: {why}", file=sys.stderr)
        runs = rounds(count, {name: functools.partial(_round, way) for name, way in ways.items()})
        for name in ways:
            if name != "ours":
                rows += [_row(at, runs, name) for at in range(len(_Took._fields))]
        peak, theirs = peak_mb(pid), peak_mb(other) if other else None
        rows.append(
            Row("peak memory of the proxy, all of this", "MB", peak, theirs, _THEIRS if other else "")
        )
        rows += _sizes(folder, provider, trusted, has_other=bool(other))
    return rows


_WHAT = (
    ("a connection with TLS, and a small request", "ms"),
    ("first byte of a small request", "ms"),
    ("first byte of a request of 300 kB", "ms"),
    ("a piece of a stream, on its way", "ms"),
    ("a response of 64 MB", "MB/s"),
    ("a request of 64 MB", "MB/s"),
    ("200 streams at once", "s"),
)


def _row(at: int, runs: list[dict[str, _Took]], against: str) -> Row:
    return compared(*_WHAT[at], [(run["ours"][at], run[against][at]) for run in runs], against)


def _starts(folder: Path, count: int) -> list[Row]:
    """Until the agent has answered its client."""
    out = ["--out", str(folder / "start.jsonl")]

    def started(*options: str) -> float:
        (folder / "start.jsonl").unlink(missing_ok=True)
        return first_answer([command(), "record", *options, *out, "--", "cat"])

    runs = rounds(count, {"ours": lambda: started("--model"), "without": started})
    pairs = [(run["ours"], run["without"]) for run in runs]
    return [compared("first answer after start, record --model", "ms", pairs, "record without --model")]


@contextmanager
def _provider(folder: Path) -> Iterator[tuple[int, str]]:
    home = folder / "provider"
    home.mkdir(exist_ok=True)
    argv = [sys.executable, str(_PEER), str(home)]
    with _started(argv) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline()), str(home / "theirs.pem")


@contextmanager
def _ours(folder: Path, provider: int, trusted: str, name: str) -> Iterator[tuple[_Way, int]]:
    """Our recorder with its proxy, and the proxy's process id."""
    argv = [command(), "record", "--model", "--out", str(folder / f"{name}.jsonl"), "--"]
    given = {**os.environ, "NODE_EXTRA_CA_CERTS": trusted}
    with _started([*argv, sys.executable, "-c", _AGENT], env=given) as process:
        assert process.stdout is not None
        proxy, bundle = json.loads(process.stdout.readline())
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        (pid,) = [
            int(each) for each in children if b"model.proxy" in Path(f"/proc/{each}/cmdline").read_bytes()
        ]
        yield _Way(provider, bundle, int(proxy.rpartition(":")[2])), pid


@contextmanager
def _mitmproxy(
    folder: Path, provider: int, trusted: str, written: Path | None = None
) -> Iterator[tuple[_Way, int]]:
    """mitmproxy, and its process id: it passes streams on, or holds all back and records it. Raises OutOfReach."""
    home, script = folder / "mitmproxy", folder / "streams.py"
    script.write_text(STREAMS)
    port = free_port()
    options = {"confdir": home, "ssl_verify_upstream_trusted_ca": trusted}
    argv = [str(packages.python(MITMPROXY) / "mitmdump"), "-q", "-p", str(port), "--listen-host", "127.0.0.1"]
    argv += [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    argv += ["-s", str(script)] if written is None else ["-w", str(written)]
    with _started(argv) as process:
        listens(port)
        yield _Way(provider, str(home / "mitmproxy-ca-cert.pem"), port), process.pid


@contextmanager
def _started(argv: list[str], **options: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(argv, stdin=PIPE, stdout=PIPE, stderr=NOTHING, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.stdin.close()
        if argv[0].endswith("mitmdump"):  # it reads no standard input
            process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _round(way: _Way) -> _Took:
    began = time.perf_counter()
    stream = _connected(way)
    _asked(stream, 100)
    connect_ms = (time.perf_counter() - began) * 1e3
    small = statistics.median(_asked(stream, 100)[0] for _ in range(30))
    large = statistics.median(_asked(stream, 300_000)[0] for _ in range(10))
    piece = statistics.median(_asked(stream, 100, pieces=40, pause=4)[2])
    down = 64 / _asked(stream, 100, pieces=64, size=_MB)[1]
    up = 64 / _asked(stream, 64 * _MB)[1]
    stream.close()
    return _Took(
        connect_ms, small * 1e3, large * 1e3, piece * 1e3, down * 1.048576, up * 1.048576, _many(way)
    )


def _many(way: _Way) -> float:
    """The seconds of 200 streams at once."""
    failed: list[BaseException] = []

    def one() -> None:
        try:
            with _connected(way) as stream:
                _asked(stream, 1000, pieces=20, pause=10)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=one) for _ in range(200)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise RuntimeError(f"{len(failed)} of 200 streams failed: {failed[0]}")
    return time.perf_counter() - began


def _asked(
    stream: ssl.SSLSocket, request: int, *, pieces: int = 1, size: int = 50, pause: int = 0
) -> tuple[float, float, list[float]]:
    """Seconds until the first byte, until the last, and of each piece from the provider to here."""
    body = b'{"messages":[{"role":"user","content":"%b"}]}' % (b"word " * (request // 5))
    return _answered(stream, body, f"pieces={pieces}&size={size}&pause={pause}")


def _answered(stream: ssl.SSLSocket, body: bytes, query: str) -> tuple[float, float, list[float]]:
    head = (
        f"POST /v1/chat/completions?{query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    )
    began = time.perf_counter()
    stream.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    first, last, lags = 0.0, b"", list[float]()
    while not last.endswith(b"\r\n0\r\n\r\n"):
        data = stream.recv(_READ)
        if not data:
            raise ConnectionError("the answer has no end")
        now = time.monotonic_ns()
        first = first or time.perf_counter() - began
        if len(data) < 1000:
            lags += [(now - int(sent)) / 1e9 for sent in _STAMP.findall(data)]
        last = (last + data)[-7:]
    return first, time.perf_counter() - began, lags


def _connected(way: _Way) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", way.proxy or way.provider), 60)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if way.proxy:
        plain.sendall(f"CONNECT localhost:{way.provider} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            if not (more := plain.recv(1)):
                raise ConnectionError("the proxy hangs up")
            answer += more
    return _context(way.trusted).wrap_socket(plain, server_hostname="localhost")


@functools.cache
def _context(trusted: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=trusted)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _sizes(folder: Path, provider: int, trusted: str, *, has_other: bool) -> list[Row]:
    """A session of 200 requests, each with all that was said before; what is written of it."""
    turn = [os.urandom(165).hex() for _ in range(200)]
    sent = 0
    flows = folder / "flows"

    def play(way: _Way) -> int:
        with _connected(way) as stream:
            total = 0
            for count in range(1, 201):
                said = [{"role": "user", "content": text} for text in turn[:count]]
                body = json.dumps({"model": "m", "messages": said}).encode()
                _answered(stream, body, "pieces=20&size=50&pause=0")
                total += len(body)
        return total

    with _ours(folder, provider, trusted, "sizes") as (way, _):
        sent = play(way)
    ours = (folder / "sizes.jsonl").stat().st_size / 1e6
    rows = [Row(f"trace of a session of 200 requests, {sent / 1e6:.1f} MB of bodies", "MB", ours)]
    if has_other:
        with _mitmproxy(folder, provider, trusted, flows) as (way, _):
            play(way)
        theirs = flows.stat().st_size / 1e6
        rows = [Row(rows[0].what, "MB", ours, theirs, "mitmproxy -w", (ours / theirs,) * 3)]
    return rows
