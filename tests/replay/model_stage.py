"""A stand-in for a language model, and a recording of an agent that asks it. Over when it was recorded."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support import Home, Recording, lines_of

AGENT = [sys.executable, "-I", str(Path(__file__).with_name("model_agent.py"))]
_CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "list", "arguments": "{}"}}


class _Model(BaseHTTPRequestHandler):
    """Lists files when it is asked to, and says something in several chunks when that is done."""

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = told["messages"][-1]
        words = ["I ", "see ", last["content"].split()[-1]]
        deltas: list[Any] = [{"content": word} for word in words]
        if last["role"] == "user" and "list" in last["content"] and "tools" in told:
            deltas = [{"tool_calls": [_CALL | {"id": f"call_{len(told['messages'])}"}]}]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for delta in deltas:
            event = {"id": "chatcmpl-1", "model": "m-1", "choices": [{"index": 0, "delta": delta}]}
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def model() -> Iterator[int]:
    """The port of a stand-in."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def record(home: Home, cwd: Path, *fault: str) -> bytes:
    """A session of two prompts with its model's side, as a trace file. The model is gone then."""
    with model() as port:
        return recorded(home, cwd, [*AGENT, *fault], port, "sk-recorded-1")


def recorded(home: Home, cwd: Path, agent: list[str], port: int, key: str) -> bytes:
    """The same of any agent, with a key, whose provider is answered for at this port."""
    given = {"ACP_TRACE_MODEL_MAP": f"api.openai.com=http://127.0.0.1:{port}", "OPENAI_API_KEY": key}
    with home.start(agent, "--model", cwd=cwd, env=given) as recording:
        _ask(recording, 0, "initialize", protocolVersion=1)
        session = _ask(recording, 1, "session/new", cwd=str(cwd), mcpServers=[])["sessionId"]
        for number, text in enumerate(("list the files", "say hello"), 2):
            prompt = [{"type": "text", "text": text}]
            _ask(recording, number, "session/prompt", sessionId=session, prompt=prompt)
        assert recording.finish()[1:] == (b"", 0)
    (path,) = home.spooled()
    return lines_of(path)


def _ask(recording: Recording, number: int, method: str, **params: Any) -> Any:
    """Sends a request, and waits for its result."""
    recording.say(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
    )
    while line := recording.hear():
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]
    raise AssertionError(f"the agent ended before it answered {method}")
