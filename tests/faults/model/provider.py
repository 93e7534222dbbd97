"""A stand-in for a provider, over TLS, in threads of this process: HTTP/1.1 at one port, HTTP/2 at another."""

from __future__ import annotations

import hashlib
import socket
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from hpack import Decoder, Encoder
from hyperframe.frame import DataFrame, Frame, HeadersFrame, SettingsFrame, WindowUpdateFrame

from acp_trace.model.proxy.ca import Authority
from tests.faults.model import saying
from tests.faults.model.saying import Ask
from tests.faults.stage import DEADLINE_S

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_READ = 1 << 18
#: A window as wide as it can be: nobody waits for an update.
_WIDE = (1 << 31) - 1
WIDE = (
    SettingsFrame(0, settings={SettingsFrame.INITIAL_WINDOW_SIZE: _WIDE}).serialize()
    + WindowUpdateFrame(0, window_increment=_WIDE - 65_535).serialize()
)
HEAD, LARGEST = 9, 16_384


class Provider:
    """Listens at `ports` (`h1`, `h2`); `heard` are digests of the bodies that reached it."""

    def __init__(self, folder: Path) -> None:
        self._authority = Authority.at(str(folder / "theirs"))
        self.trusted = folder / "theirs.pem"
        self.trusted.write_bytes(self._authority.pem)
        self.heard: dict[Ask, str] = {}
        self.may_go_on = threading.Event()  #: what stalls may
        self._together: dict[int, threading.Barrier] = defaultdict()
        self._lock = threading.Lock()
        self.ports: dict[str, int] = {}

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Accepts until it is left."""
        listeners = []
        for name, protocol in (("h1", "http/1.1"), ("h2", "h2")):
            listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
            listeners.append(listener)
            self.ports[name] = listener.getsockname()[1]
            context = self._authority.context("localhost", protocol)
            threading.Thread(target=self._accept, args=(listener, context, name), daemon=True).start()
        try:
            yield
        finally:
            self.may_go_on.set()
            for listener in listeners:
                with suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)
                listener.close()

    def _accept(self, listener: socket.socket, context: ssl.SSLContext, name: str) -> None:
        serve = self._http1 if name == "h1" else self._http2
        with suppress(OSError):
            while True:
                plain, _ = listener.accept()
                plain.settimeout(DEADLINE_S)
                threading.Thread(target=_served, args=(plain, context, serve), daemon=True).start()

    def _http1(self, stream: ssl.SSLSocket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += _more(stream)
        head, _, first = data.partition(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        content = [first]
        left = size - len(first)
        while left > 0:
            content.append(_more(stream))
            left -= len(content[-1])
        ask = Ask.of(head.split(b" ", 2)[1].decode())
        self._hears(ask, b"".join(content))
        if ask.together > 1:
            with self._lock:
                gate = self._together.setdefault(ask.together, threading.Barrier(ask.together))
            gate.wait(DEADLINE_S)
        framed = saying.answer(ask)
        for at, piece in enumerate(framed):
            if ask.answer.stalls and at == len(framed) // 2:
                self.may_go_on.wait(DEADLINE_S)
            stream.sendall(piece)

    def _http2(self, stream: ssl.SSLSocket) -> None:
        stream.sendall(WIDE)
        frames, decoder, encoder = frames_of(stream, PREFACE), Decoder(), Encoder()
        asks: dict[int, Ask] = {}
        bodies: dict[int, list[bytes]] = {}
        whole: list[int] = []
        for frame in frames:
            if isinstance(frame, HeadersFrame):
                fields = {str(name): str(value) for name, value in decoder.decode(frame.data)}
                asks[frame.stream_id], bodies[frame.stream_id] = Ask.of(fields[":path"]), []
            elif isinstance(frame, DataFrame):
                bodies[frame.stream_id].append(frame.data)
                if "END_STREAM" in frame.flags:
                    self._hears(asks[frame.stream_id], b"".join(bodies.pop(frame.stream_id)))
                    whole.append(frame.stream_id)
            if whole and len(whole) == asks[whole[0]].together:
                self._answer_all(stream, encoder, {number: asks[number] for number in whole})
                whole.clear()

    def _answer_all(self, stream: ssl.SSLSocket, encoder: Encoder, asks: dict[int, Ask]) -> None:
        """Heads, then a piece of each stream in turn."""
        for number, ask in asks.items():
            block = encoder.encode([(":status", str(ask.answer.status)), *saying.headers(ask)])
            stream.sendall(HeadersFrame(number, data=block, flags=["END_HEADERS"]).serialize())
        left = {number: list(reversed(saying.pieces(ask))) for number, ask in asks.items()}
        while left:
            for number in list(left):
                piece = left[number].pop()
                if not left[number]:
                    del left[number]
                stream.sendall(data_frames(number, piece, ends=number not in left))

    def _hears(self, ask: Ask, content: bytes) -> None:
        self.heard[ask] = hashlib.sha256(content).hexdigest()


def data_frames(stream: int, data: bytes, *, ends: bool) -> bytes:
    """A body, or a piece of one, in frames of the usual size."""
    cuts = range(0, max(len(data), 1), LARGEST)
    return b"".join(
        DataFrame(
            stream,
            data=data[at : at + LARGEST],
            flags=["END_STREAM"] if ends and at + LARGEST >= len(data) else [],
        ).serialize()
        for at in cuts
    )


def frames_of(stream: ssl.SSLSocket, preface: bytes = b"") -> Iterator[Frame]:
    """The frames that the other side sends, until it hangs up."""
    buffer = bytearray()
    while data := stream.recv(_READ):
        buffer += data
        if preface and len(buffer) >= len(preface):
            del buffer[: len(preface)]
            preface = b""
        at = 0
        while not preface and len(buffer) - at >= HEAD:
            frame, length = Frame.parse_frame_header(memoryview(bytes(buffer[at : at + HEAD])))
            if len(buffer) - at < HEAD + length:
                break
            frame.parse_body(memoryview(bytes(buffer[at + HEAD : at + HEAD + length])))
            at += HEAD + length
            yield frame
        del buffer[:at]


def _served(plain: socket.socket, context: ssl.SSLContext, serve: Callable[[ssl.SSLSocket], None]) -> None:
    with (
        closing(plain),
        suppress(OSError, EOFError, threading.BrokenBarrierError),
        context.wrap_socket(plain, server_side=True) as stream,
    ):
        serve(stream)


def _more(stream: ssl.SSLSocket) -> bytes:
    data = stream.recv(_READ)
    if not data:
        raise EOFError
    return data
