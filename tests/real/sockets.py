"""OpenAI's responses over a WebSocket, as codex asks for them: a message a request, a message an event.

A request goes on from an earlier response of its connection (`previous_response_id`) and has only what is new
since; one with `generate: false` only warms up. Serves what `http.server` has read the head of.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
_READ = 1 << 16
_NUMBERS = itertools.count(1)  #: of responses, whose ids no other connection has
#: A request, whole -> the events that answer it.
Answer = Callable[[dict[str, Any]], Iterable[dict[str, Any]]]


def is_asked(handler: BaseHTTPRequestHandler) -> bool:
    """Whether a request asks for a WebSocket to a model."""
    upgrade = handler.headers.get("Upgrade", "").lower()
    return upgrade == "websocket" and handler.path.partition("?")[0].endswith("/responses")


def serve(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    """Accepts it, and answers until the agent closes it or hangs up."""
    from wsproto.extensions import PerMessageDeflate
    from wsproto.frame_protocol import FrameProtocol, Opcode

    offers = handler.headers.get("Sec-WebSocket-Extensions", "")
    deflate = PerMessageDeflate()
    offer = next((each.strip() for each in offers.split(",") if each.strip().startswith(deflate.name)), "")
    accepted = deflate.accept(offer) if offer else None
    handler.send_response(HTTPStatus.SWITCHING_PROTOCOLS)
    handler.send_header("Upgrade", "websocket")
    handler.send_header("Connection", "Upgrade")
    key = handler.headers["Sec-WebSocket-Key"].encode()
    handler.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode())
    if offer:
        handler.send_header("Sec-WebSocket-Extensions", f"{deflate.name}; {accepted}")
    handler.end_headers()
    handler.close_connection = True
    frames = FrameProtocol(client=False, extensions=[deflate] if offer else [])
    conversation = _Conversation(answer)
    text = ""
    while data := handler.connection.recv(_READ):
        frames.receive_bytes(data)
        for frame in frames.received_frames():
            if frame.opcode is Opcode.CLOSE:
                handler.wfile.write(frames.close(1000))
                return
            if frame.opcode is Opcode.PING and isinstance(frame.payload, (bytes, bytearray)):
                handler.wfile.write(frames.pong(bytes(frame.payload)))
            elif isinstance(frame.payload, str):
                text += frame.payload
                if frame.message_finished:
                    request, text = json.loads(text), ""
                    for event in conversation.events(request):
                        handler.wfile.write(frames.send_data(json.dumps(event), fin=True))
                        handler.wfile.flush()


class _Conversation:
    """What was said on one connection, by the id of the response that it ended with."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._items: dict[str, list[Any]] = {}

    def events(self, request: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """The events of the answer."""
        if request.get("type") != "response.create":
            return
        items = [*self._items.get(request.get("previous_response_id") or "", []), *request.get("input", [])]
        response_id = f"resp_socket{next(_NUMBERS)}"
        if request.get("generate") is False:
            self._items[response_id] = items
            response: dict[str, Any] = {"id": response_id, "object": "response", "output": [], "usage": None}
            yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
            yield {"type": "response.completed", "response": {**response, "status": "completed"}}
            return
        for event in self._answer({**request, "input": items, "stream": True}):
            if isinstance(event.get("response"), dict):
                event["response"]["id"] = response_id
                self._items[response_id] = [*items, *event["response"].get("output", [])]
            yield event
