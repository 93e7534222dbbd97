"""A small agent that conforms, and with a fault does not: `python small_agent.py [FAULT]`. Nothing of ours."""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
CAPABILITIES = {"loadSession": True, "sessionCapabilities": {"list": {}, "close": {}, "delete": {}}}
METHODS = ("session/load", "session/list", "session/close", "session/delete")


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def said(session: str, text: str) -> None:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    send(method="session/update", params={"sessionId": session, "update": update})


class Agent:
    def __init__(self) -> None:
        self.sessions: list[str] = []
        self.open: dict[str, Any] = {}  #: prompts, by session
        self.rest = b""
        self.logged_in = False

    def answer(self, id_: Any, method: str, params: dict[str, Any]) -> None:
        session = params.get("sessionId")
        if method == "initialize":
            self.initialize(id_)
        elif method == "authenticate" and params.get("methodId") == "web":
            self.logged_in = True
            send(id=id_, result={})
        elif method == "session/new":
            if FAULT == "needs-login" and not self.logged_in:
                send(id=id_, error={"code": -32000, "message": "Log in first"})
                return
            self.sessions.append(f"s{len(self.sessions) + 1}")
            opened: dict[str, Any] = {"sessionId": "s1" if FAULT == "same-session" else self.sessions[-1]}
            if FAULT == "wrong-mode":
                opened["modes"] = {"currentModeId": "zz", "availableModes": [{"id": "a", "name": "A"}]}
            send(id=id_, result=opened)
        elif method == "session/prompt" and session in self.sessions:
            self.prompt(id_, str(session), params["prompt"][0].get("text", ""))
        elif (method in METHODS and FAULT == "loads-others" and session in self.sessions) or (
            method in METHODS and FAULT == "loads-nothing" and method == "session/load"
        ):
            send(id=id_, error={"code": -32603, "message": "There is no such session on disk"})
        elif method in METHODS:
            if method == "session/load":
                said(str(session), "hello")
            if method == "session/close" and session in self.open:
                send(id=self.open.pop(session), result={"stopReason": "cancelled"})
            send(id=id_, result={"sessions": []} if method == "session/list" else {})
        elif method == "session/prompt":
            send(id=id_, error={"code": -32002, "message": "There is no such session"})
        else:
            send(id=id_, error={"code": -32601, "message": "Method not found"})

    def initialize(self, id_: Any) -> None:
        if FAULT == "does-not-start":
            print("SyntaxError: invalid syntax", file=sys.stderr)
            os._exit(3)
        if FAULT == "crash":
            send(method="_x/ready", params={})
            os._exit(3)
        if FAULT == "hang":
            return
        if FAULT == "wrong-id":
            id_ = f"{id_}x"
        info = {"name": "small", "version": "1"}
        login = [{"id": "web", "name": "Web"}] if FAULT == "needs-login" else []
        more = {"agentInfo": info, "agentCapabilities": CAPABILITIES, "authMethods": login}
        send(id=id_, result={"protocolVersion": 1, **more})
        if FAULT == "noise":
            print("Welcome to the small agent!", flush=True)

    def prompt(self, id_: Any, session: str, text: str) -> None:
        if FAULT == "model-away":
            send(id=id_, error={"code": -32603, "message": "The provider answered with 401"})
            return
        if FAULT == "mute":
            return
        said(session, "hello")
        if text == "HOLD":
            self.open[session] = id_
            return
        send(id=id_, result={"stopReason": "end_turn"})
        if FAULT == "closes-output":
            os.close(1)

    def note(self, method: str, params: dict[str, Any]) -> None:
        session = params.get("sessionId")
        if method != "session/cancel" or session not in self.open or FAULT == "ignores-cancel":
            return
        id_ = self.open.pop(session)
        if FAULT == "cancel-error":
            send(id=id_, error={"code": -32603, "message": "Aborted"})
        else:
            send(id=id_, result={"stopReason": "cancelled"})
        if FAULT == "late":
            said(session, "One more thing")

    def take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            if FAULT == "dies-of-input":
                os._exit(1)
            return
        if "method" not in message:
            return
        if "id" in message:
            self.answer(message["id"], message["method"], message.get("params", {}))
        else:
            self.note(message["method"], message.get("params", {}))

    def run(self) -> None:
        while select.select([0], [], [])[0] and (data := os.read(0, 65536)):
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                self.take(line)


if __name__ == "__main__":
    Agent().run()
    if FAULT == "stays":
        select.select([], [], [], 60)
