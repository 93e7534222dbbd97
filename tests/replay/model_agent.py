"""An agent that asks a language model: `python -I model_agent.py [prompt|tools|params|extra|missing|other]`.

Speaks ACP 1, and OpenAI's chat form to api.openai.com, whose answers stream. The first prompt of a session is
given a title by a call of its own. A word plants one fault in what the model is told.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
URL = "https://api.openai.com/v1/chat/completions"


def say(**message: Any) -> None:
    """Sends a message to the client."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(session: str, kind: str, /, **fields: Any) -> None:
    """Sends an update."""
    say(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **fields}})


def tool(name: str, **parameters: Any) -> Message:
    """A tool that the model may ask for."""
    schema = {"type": "object", "properties": parameters}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


class Session:
    """A session, with all that was said in it."""

    def __init__(self, cwd: str) -> None:
        self.id, self.cwd = f"ses_{uuid.uuid4().hex}", cwd
        kind = "kind" if FAULT == "prompt" else "brief"
        today = time.strftime("%Y-%m-%d")
        system = f"You help.\nBe {kind}.\nYou work in {cwd}.\nToday is {today}."
        self.messages: list[Message] = [{"role": "system", "content": system}]
        self.tools = [tool("list", path={"type": "string"}), tool("write", path={"type": "string"})]
        self.tools = self.tools[:1] if FAULT == "tools" else self.tools
        self.has_title = FAULT == "missing"

    def prompt(self, text: str) -> None:
        """A turn: asks the model until it has no more tools to run. Raises HTTPError."""
        self.messages.append({"role": "user", "content": text})
        if FAULT == "other":
            self.ask([{"role": "user", "content": "Is this a greeting?"}], [])
        while True:
            said, wanted = self.ask(self.messages, self.tools)
            if said:
                update(self.id, "agent_message_chunk", content={"type": "text", "text": said})
            self.messages.append(
                {"role": "assistant", "content": said, **({"tool_calls": wanted} if wanted else {})}
            )
            if not wanted:
                break
            for call in wanted:
                self.run(call)
        if not self.has_title:
            self.has_title = True
            title, _ = self.ask([{"role": "user", "content": f"Title for: {text}"}], [])
            update(self.id, "session_info_update", title=title)

    def run(self, call: Message) -> None:
        """Runs the one tool that there is."""
        update(self.id, "tool_call", toolCallId=call["id"], title="List", kind="read", status="in_progress")
        output = f"{self.cwd}: {len(os.listdir(self.cwd))} files, {time.time_ns()} ns"
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        update(self.id, "tool_call_update", toolCallId=call["id"], status="completed", content=content)

    def ask(self, messages: list[Message], tools: list[Message]) -> tuple[str, list[Message]]:
        """Asks the model: its words, and the tools that it asks for."""
        told = {"model": "m-1", "messages": messages, "stream": True, "temperature": 0.2}
        told |= {"tools": tools} if tools else {}
        told |= {"temperature": 0.9} if FAULT == "params" else {}
        headers = {"content-type": "application/json", "x-session-id": self.id}
        headers["authorization"] = f"Bearer {os.environ['OPENAI_API_KEY']}"
        answers = 1 + (FAULT == "extra" and not tools)
        for _ in range(answers):
            with urlopen(Request(URL, json.dumps(told).encode(), headers)) as response:
                said, wanted = heard(response)
        return said, wanted


def heard(lines: Any) -> tuple[str, list[Message]]:
    """What a stream of server-sent events says."""
    said = ""
    wanted: list[Message] = []
    for line in lines:
        data = line.partition(b"data: ")[2].strip()
        if data and data != b"[DONE]":
            delta = json.loads(data)["choices"][0]["delta"]
            said += delta.get("content") or ""
            wanted += delta.get("tool_calls") or []
    return said, wanted


def main() -> None:
    """Serves until the client hangs up."""
    sessions: dict[str, Session] = {}
    for line in sys.stdin:
        message = json.loads(line)
        number, params = message.get("id"), message.get("params") or {}
        if message["method"] == "initialize":
            say(id=number, result={"protocolVersion": 1, "agentCapabilities": {}})
        elif message["method"] == "session/new":
            session = Session(params["cwd"])
            sessions[session.id] = session
            say(id=number, result={"sessionId": session.id})
        elif message["method"] == "session/prompt":
            try:
                sessions[params["sessionId"]].prompt(params["prompt"][0]["text"])
                say(id=number, result={"stopReason": "end_turn"})
            except HTTPError as error:
                status = HTTPStatus(error.code).phrase
                said = f"{error.code} {status}: {error.read().decode()}"
                say(id=number, error={"code": -32603, "message": said})


if __name__ == "__main__":
    main()
