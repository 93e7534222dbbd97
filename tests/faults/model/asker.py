"""The agent, as a process: `python asker.py '{"h1": PORT, "h2": PORT, "trusted": FILE}'`.

Each line of its client asks its model: `[kind, numbers, together, protocol]`. For each request it says how that
went, in a line; before that, for one that stalls, that its first half is here. With a proxy in its environment
it goes through that, otherwise to the provider itself.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import socket
import ssl
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.faults.model import saying
from tests.faults.model.saying import Ask

HOSTS = {"h1": "h1.model.example", "h2": "h2.model.example"}
_READ, _NAP_S = 1 << 16, 0.001
_say_lock = threading.Lock()


def main() -> None:
    """Asks what its client says, until that hangs up."""
    where = json.loads(sys.argv[1])
    asking = []
    for line in sys.stdin.buffer:
        kind, numbers, together, protocol = json.loads(line)
        asks = [Ask(kind, n, together=together) for n in numbers]
        groups = [asks] if protocol == "h2" else [[ask] for ask in asks]
        for group in groups:
            asking.append(threading.Thread(target=_asked, args=(where, protocol, group), daemon=True))
            asking[-1].start()
    os._exit(0)  # whoever is asked yet is asked by nobody any more


def _asked(where: dict[str, Any], protocol: str, asks: list[Ask]) -> None:
    try:
        with _connected(where, protocol) as stream:
            if protocol == "h2":
                _http2(stream, asks)
            else:
                _http1(where, stream, asks[0])
    except OSError as error:
        for ask in asks:
            _say(ask, error=str(error))


def _http1(where: dict[str, Any], stream: ssl.SSLSocket, ask: Ask) -> None:
    stream.sendall(saying.request(ask, HOSTS["h1"]))
    digest, size, last = hashlib.sha256(), 0, b""
    expected = saying.answer(ask)
    half = sum(map(len, expected[: len(expected) // 2])) if ask.answer.stalls else -1
    while data := stream.recv(_READ):
        digest.update(data)
        is_half = size < half <= size + len(data)
        size, last = size + len(data), (last + data)[-5:]
        if is_half:
            _say(ask, half=True)
        if ask.kind == "slow":
            time.sleep(_NAP_S)
    _say(ask, received=digest.hexdigest(), size=size, whole=last == b"0\r\n\r\n")
    if ask.answer.status == 429:
        _asked(where, "h1", [ask._replace(again=True)])


def _http2(stream: ssl.SSLSocket, asks: list[Ask]) -> None:
    from hpack import Decoder, Encoder
    from hyperframe.frame import DataFrame, HeadersFrame

    from tests.faults.model.provider import PREFACE, WIDE, data_frames, frames_of

    stream.sendall(PREFACE + WIDE)
    encoder, decoder = Encoder(), Decoder()
    by_stream = {2 * at + 1: ask for at, ask in enumerate(asks)}
    for number, ask in by_stream.items():
        head = [(":method", "POST"), (":scheme", "https"), (":authority", HOSTS["h2"]), (":path", ask.path)]
        block = encoder.encode([*head, ("content-type", "application/json")])
        stream.sendall(HeadersFrame(number, data=block, flags=["END_HEADERS"]).serialize())
        stream.sendall(data_frames(number, saying.body(ask), ends=True))
    digests = {number: hashlib.sha256() for number in by_stream}
    sizes = dict.fromkeys(by_stream, 0)
    for frame in frames_of(stream):
        if isinstance(frame, HeadersFrame):
            decoder.decode(frame.data)
        elif isinstance(frame, DataFrame):
            digests[frame.stream_id].update(frame.data)
            sizes[frame.stream_id] += len(frame.data)
            if "END_STREAM" in frame.flags:
                number = frame.stream_id
                _say(
                    by_stream[number],
                    received=digests.pop(number).hexdigest(),
                    size=sizes[number],
                    whole=True,
                )
                if not digests:
                    return
    for number in digests:
        _say(by_stream[number], error="the connection ended")


def _connected(where: dict[str, Any], protocol: str) -> ssl.SSLSocket:
    proxy = urlsplit(os.environ.get("HTTPS_PROXY", ""))
    host = HOSTS[protocol] if proxy.port else "localhost"
    plain = socket.create_connection(("127.0.0.1", proxy.port or where[protocol]), 60)
    trusted = where["trusted"]
    if proxy.port:
        plain.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            more = plain.recv(1)
            if not more:
                raise OSError("the proxy hung up")
            answer += more
        if b" 200 " not in answer:
            raise OSError(answer.decode())
        trusted = os.environ["SSL_CERT_FILE"]
    return _context(trusted, protocol).wrap_socket(plain, server_hostname=host)


@functools.cache  # to read all certificates of a system takes long
def _context(trusted: str, protocol: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=trusted)
    context.set_alpn_protocols(["h2"] if protocol == "h2" else ["http/1.1"])
    return context


def _say(ask: Ask, **words: Any) -> None:
    line = json.dumps({"ask": ask, **words}).encode() + b"\n"
    with _say_lock:
        while line:
            line = line[os.write(1, line) :]


if __name__ == "__main__":
    main()
