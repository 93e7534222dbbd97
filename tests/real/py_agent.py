"""A small agent on the Python SDK: `python py_agent.py [--fault NAME]`. Imports nothing of ours.

    READ notes.txt       a tool call; the file comes from the client
    WRITE list.txt Eggs  a tool call; permission is asked, then the client writes the file
    HOLD                 a few words, then silence until it is cancelled
    anything else        the same text back, in two pieces

A fault makes it a build that went wrong: `deaf` to cancels, `unasked` (no permission), `twice` (writes
twice), `late` (an update after the turn).
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import PurePath
from typing import Any

import acp
from acp import helpers, schema

HELD = "Let me think"
MODELS = ("small", "big")
_PATIENCE_S = 60  #: of a healthy agent with a HOLD that nobody cancels
_DEAF_S = 0.5  #: how long the deaf one goes on


class Session:
    def __init__(self, folder: str) -> None:
        self.folder = PurePath(folder)
        self.cancelled = asyncio.Event()
        self.model = MODELS[0]

    def options(self) -> list[Any]:
        """The options, as they stand."""
        values = [schema.SessionConfigSelectOption(value=name, name=name.title()) for name in MODELS]
        return [
            schema.SessionConfigOptionSelect(
                type="select",
                id="model",
                name="Model",
                category="model",
                current_value=self.model,
                options=values,
            )
        ]


class Agent:
    """What the SDK calls for each message of the client."""

    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._sessions: dict[str, Session] = {}
        self._late: asyncio.Task[None] | None = None

    def on_connect(self, client: Any) -> None:
        self._client = client

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        return acp.InitializeResponse(
            protocol_version=min(protocol_version, acp.PROTOCOL_VERSION),
            agent_capabilities=schema.AgentCapabilities(),
            agent_info=schema.Implementation(name="py-agent", title="Python SDK agent", version="1"),
        )

    async def new_session(self, cwd: str, **_: Any) -> Any:
        name, session = uuid.uuid4().hex, Session(cwd)
        self._sessions[name] = session
        return acp.NewSessionResponse(session_id=name, config_options=session.options())

    async def set_config_option(self, config_id: str, session_id: str, value: Any, **_: Any) -> Any:
        session = self._sessions[session_id]
        if config_id != "model" or value not in MODELS:
            raise acp.RequestError.invalid_params({"configId": config_id, "value": value})
        session.model = value
        return schema.SetSessionConfigOptionResponse(config_options=session.options())

    async def cancel(self, session_id: str, **_: Any) -> None:
        if self._fault != "deaf":
            self._sessions[session_id].cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        session = self._sessions[session_id]
        session.cancelled.clear()
        text = "".join(block.text for block in prompt if block.type == "text")
        word, rest = text.partition(" ")[::2]
        if word == "READ":
            await self._read(session_id, str(session.folder / rest))
        elif word == "WRITE":
            name, content = rest.partition(" ")[::2]
            await self._write(session_id, str(session.folder / name), content)
        elif word == "HOLD":
            await self._say(session_id, HELD)
            patience_s = _DEAF_S if self._fault == "deaf" else _PATIENCE_S
            try:
                await asyncio.wait_for(session.cancelled.wait(), patience_s)
            except TimeoutError:
                await self._say(session_id, "Well then")
        else:
            await self._say(session_id, f"{word} ")
            await self._say(session_id, rest)
        if self._fault == "late":  # a task of its own comes after what is answered here
            self._late = asyncio.create_task(self._say(session_id, "One more thing"))
        return acp.PromptResponse(stop_reason="cancelled" if session.cancelled.is_set() else "end_turn")

    async def _read(self, session_id: str, path: str) -> None:
        call = _call_id()
        await self._tell(session_id, helpers.start_tool_call(call, "Read", kind="read", status="pending"))
        content = (await self._client.read_text_file(session_id=session_id, path=path)).content
        done = [helpers.tool_content(helpers.text_block(content))]
        await self._tell(session_id, helpers.update_tool_call(call, status="completed", content=done))
        await self._say(session_id, f"The file begins with {content.splitlines()[0]}")

    async def _write(self, session_id: str, path: str, content: str) -> None:
        call = _call_id()
        await self._tell(session_id, helpers.start_tool_call(call, "Write", kind="edit", status="pending"))
        if self._fault != "unasked" and not await self._may_write(session_id, call):
            await self._tell(session_id, helpers.update_tool_call(call, status="failed"))
            return
        await self._tell(session_id, helpers.update_tool_call(call, status="in_progress"))
        for _ in range(2 if self._fault == "twice" else 1):
            await self._client.write_text_file(session_id=session_id, path=path, content=content)
        await self._tell(session_id, helpers.update_tool_call(call, status="completed"))

    async def _may_write(self, session_id: str, call: str) -> bool:
        """Asks, with options whose ids are new each time."""
        kinds = (("allow_once", "Allow"), ("reject_once", "Reject"))
        options = [schema.PermissionOption(option_id=f"{k}-{call}", name=n, kind=k) for k, n in kinds]
        about = schema.ToolCallUpdate(tool_call_id=call, title="Write", kind="edit", status="pending")
        asked = await self._client.request_permission(session_id=session_id, options=options, tool_call=about)
        return bool(asked.outcome.outcome == "selected" and asked.outcome.option_id == options[0].option_id)

    async def _say(self, session_id: str, text: str) -> None:
        await self._tell(session_id, helpers.update_agent_message_text(text))

    async def _tell(self, session_id: str, update: Any) -> None:
        await self._client.session_update(session_id=session_id, update=update)


def _call_id() -> str:
    return f"call_{uuid.uuid4().hex[:8]}"


def main(argv: list[str]) -> None:
    """Runs it on standard input and output."""
    fault = argv[1] if argv[:1] == ["--fault"] else ""
    asyncio.run(acp.run_agent(Agent(fault)))


if __name__ == "__main__":
    main(sys.argv[1:])
