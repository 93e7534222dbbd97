"""A provider for the benchmark of the model's side, as a process: `python model_peer.py FOLDER`.

TLS and HTTP/1.1, a thread for each connection. A request says in its query how it is answered: so many `pieces`
of `size` bytes, `pause` ms between them. A small piece says when it was sent, by the clock of this machine. Says
its port, then serves until its standard input ends.
"""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from acp_trace.model.proxy.ca import Authority

_READ = 1 << 18
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def main(folder: str) -> None:
    """Serves."""
    authority = Authority.at(folder)
    Path(folder, "theirs.pem").write_bytes(authority.pem)
    context = authority.context("localhost", "http/1.1")
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        threading.Thread(target=_accept, args=(listener, context), daemon=True).start()
        print(listener.getsockname()[1], flush=True)
        sys.stdin.read()
        os._exit(0)


def _accept(listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        plain, _ = listener.accept()
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_serve, args=(plain, context), daemon=True).start()


def _serve(plain: socket.socket, context: ssl.SSLContext) -> None:
    with closing(plain), suppress(OSError), context.wrap_socket(plain, server_side=True) as stream:
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                if not (more := stream.recv(_READ)):
                    return
                data += more
            head, _, data = data.partition(b"\r\n\r\n")
            left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]) - len(data)
            while left > 0 and (more := stream.recv(_READ)):
                left -= len(more)
            data = b""
            query = parse_qs(urlsplit(head.split(b" ", 2)[1].decode()).query)
            pieces, size, pause = (int(query[name][0]) for name in ("pieces", "size", "pause"))
            stream.sendall(_HEAD)
            for _ in range(pieces):
                if pause:
                    time.sleep(pause / 1000)
                piece = b'data: {"t":%d}\n\n' % time.monotonic_ns() if size < 100 else b"x" * size
                stream.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            stream.sendall(b"0\r\n\r\n")


if __name__ == "__main__":
    main(sys.argv[1])
