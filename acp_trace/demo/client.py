"""The demo's client: `python -m acp_trace.demo.client -- AGENT ARGS…`. Plays a short session.

Starts the agent's command as a client does, and ends with its exit code.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from acp_trace.demo.wire import Message, MessagePipe


class DemoClient:
    """One connection to an agent."""

    def __init__(self, wire: MessagePipe) -> None:
        self._wire = wire
        self._messages: Iterator[Message] = wire.messages()

    def play(self) -> None:
        """Play the whole session."""
        info = {"name": "demo-client", "title": "Demo client", "version": "1.0"}
        self._ask("initialize", protocolVersion=1, clientCapabilities={}, clientInfo=info)
        session = self._ask("session/new", cwd="/", mcpServers=[])["result"]["sessionId"]
        self._prompt(session, "Write a file with a greeting")
        self._ask("session/set_config_option", sessionId=session, configId="model", value="deep")
        self._ask("session/list")  # the demo's agent does not know this method

        updates = 0

        def cancel_in_the_middle(_: Message) -> None:
            nonlocal updates
            updates += 1
            if updates == 8:
                self._wire.notify("session/cancel", sessionId=session)

        self._prompt(session, "Tell me a long story", cancel_in_the_middle)

    def _prompt(self, session: str, text: str, on_update: Callable[[Message], None] | None = None) -> None:
        prompt = [{"type": "text", "text": text}]
        self._ask("session/prompt", on_update, sessionId=session, prompt=prompt)

    def _ask(self, method: str, on_update: Callable[[Message], None] | None = None, **params: Any) -> Message:
        number = self._wire.request(method, **params)
        for message in self._messages:
            if message.get("method") == "session/request_permission":
                chosen = {"outcome": "selected", "optionId": "yes"}
                self._wire.answer(message["id"], {"outcome": chosen})
            elif message.get("method") == "session/update":
                if on_update:
                    on_update(message)
            elif message.get("id") == number:
                return message
        raise SystemExit(f"demo client: the agent hung up before it answered {method}")


def main(argv: list[str]) -> int:
    """Run the session against the agent's command; return the agent's exit code."""
    agent = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert agent.stdin is not None
    assert agent.stdout is not None
    DemoClient(MessagePipe(agent.stdout, agent.stdin)).play()  # type: ignore[arg-type]
    agent.stdin.close()
    return agent.wait()


if __name__ == "__main__":
    if not (command := sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []):
        sys.exit("usage: python -m acp_trace.demo.client -- AGENT [ARGS]...")
    sys.exit(main(command))
