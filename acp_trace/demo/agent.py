"""The demo's agent: `python -m acp_trace.demo.agent`. Answers every prompt from a short script.

With `--stubborn` it is a newer build with a bug: it goes on talking after a cancel (docs/quickstart.md).
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import Any

from acp_trace.demo.wire import Message, MessagePipe

_WORD_S = 0.03  #: seconds between words, as from a model
_MODELS = [{"value": "quick", "name": "Quick"}, {"value": "deep", "name": "Deep"}]


class DemoAgent:
    """One connection with one session."""

    def __init__(self, wire: MessagePipe, *, stubborn: bool = False) -> None:
        self._wire = wire
        self._stubborn = stubborn
        self._model = "quick"
        self._cancelled = threading.Event()
        self._permission: queue.Queue[Message] = queue.Queue()

    def run(self) -> None:
        """Serve until the client hangs up. Prompts run in a thread, so that they can be cancelled."""
        for message in self._wire.messages():
            if "method" not in message:
                self._permission.put(message)
            elif message["method"] == "session/cancel":
                if not self._stubborn:
                    self._cancelled.set()
            elif message["method"] == "session/prompt":
                threading.Thread(target=self._turn, args=(message,)).start()
            else:
                self._serve(message)
        self._cancelled.set()  # the client hung up: a turn that still runs must end
        self._permission.put({"result": {"outcome": {"outcome": "cancelled"}}})

    def _serve(self, message: Message) -> None:
        number, method = message.get("id"), message["method"]
        params = message.get("params", {})
        if method == "initialize":
            version = "1.1" if self._stubborn else "1.0"
            info = {"name": "demo-agent", "title": "Demo agent", "version": version}
            self._wire.answer(number, {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": info})
        elif method == "session/new":
            self._wire.answer(number, {"sessionId": "demo-session-1", "configOptions": self._options()})
        elif method == "session/set_config_option":
            self._model = params["value"]
            self._wire.answer(number, {"configOptions": self._options()})
        elif number is not None:
            self._wire.refuse(number, -32601, f"Method not found: {method}")

    def _options(self) -> list[dict[str, Any]]:
        option = {"id": "model", "name": "Model", "category": "model", "type": "select"}
        return [{**option, "currentValue": self._model, "options": _MODELS}]

    def _turn(self, message: Message) -> None:
        self._cancelled.clear()
        try:
            text = message["params"]["prompt"][0]["text"]
            stop = self._write_file() if "file" in text else self._tell_a_story()
        except (
            KeyError,
            IndexError,
            TypeError,
        ) as error:  # the request does not match the script
            self._wire.refuse(message["id"], -32602, f"Invalid params: {error}")
        else:
            self._wire.answer(message["id"], {"stopReason": stop})

    def _write_file(self) -> str:
        self._update("agent_thought_chunk", content={"type": "text", "text": "A greeting will do."})
        call = {"toolCallId": "call-1", "title": "Write hello.txt", "kind": "edit"}
        self._update("tool_call", **call, status="pending")
        self._wire.request(
            "session/request_permission",
            sessionId="demo-session-1",
            toolCall=call,
            options=[
                {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
                {"optionId": "no", "name": "Reject", "kind": "reject_once"},
            ],
        )
        allowed = self._permission.get()["result"]["outcome"].get("optionId") == "yes"
        self._update("tool_call_update", toolCallId="call-1", status="in_progress")
        self._update("tool_call_update", toolCallId="call-1", status="completed" if allowed else "failed")
        self._update("session_info_update", title="Write a greeting")
        self._speak("Done: hello.txt says hello.")
        return "end_turn"

    def _tell_a_story(self) -> str:
        return self._speak("Once upon a time there was a frame that nobody had written down. " * 2)

    def _speak(self, text: str) -> str:
        for word in text.split():
            if self._cancelled.wait(_WORD_S):
                return "cancelled"
            self._update("agent_message_chunk", content={"type": "text", "text": word + " "})
        return "end_turn"

    def _update(self, kind: str, /, **fields: Any) -> None:
        update = {"sessionUpdate": kind, **fields}
        self._wire.notify("session/update", sessionId="demo-session-1", update=update)


if __name__ == "__main__":
    print("demo agent ready", file=sys.stderr, flush=True)
    try:
        DemoAgent(
            MessagePipe(sys.stdin.buffer, sys.stdout.buffer), stubborn="--stubborn" in sys.argv[1:]
        ).run()
    except KeyboardInterrupt:
        os._exit(130)  # at once: a turn that waits for a permission would keep the process for ever
