"""A client on the Python SDK: `python py_client.py MORE FOLDER… -- AGENT ARGS…`. Imports nothing of ours.

Opens a session about each folder, all at once, and does the same work in each: an option, files, a
permission, a cancel, another turn. With MORE `list`, asks for the sessions when that is done; with `qwen`,
sets that agent's option and gives it whole paths; with `-` it does neither. In place of AGENT may stand a URL,
over HTTP or WebSocket. Prints JSON: what it saw of each session, what `list` came to, and the agent's exit code.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
from acp import helpers, schema


class Client:
    """What the SDK calls for each message of the agent."""

    def __init__(self) -> None:
        self.seen: dict[str, list[Any]] = {}
        self.spoke: dict[str, asyncio.Event] = {}

    def on_connect(self, agent: Any) -> None: ...

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Notes it. Ids of tool calls are the agent's own, and no two are the same."""
        said = update.model_dump(mode="json", by_alias=True, exclude_none=True)
        said.pop("toolCallId", None)
        self._note(session_id, "update", said)
        if said["sessionUpdate"] == "agent_message_chunk":
            self._spoken(session_id).set()

    async def request_permission(self, session_id: str, options: list[Any], **_: Any) -> Any:
        """Allows it once."""
        self._note(session_id, "permission", [(option.kind, option.name) for option in options])
        once = next(option.option_id for option in options if option.kind == "allow_once")
        outcome = schema.AllowedOutcome(outcome="selected", option_id=once)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> Any:
        self._note(session_id, "read", path)
        return schema.ReadTextFileResponse(content=await asyncio.to_thread(Path(path).read_text))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> Any:
        self._note(session_id, "write", path, content)
        await asyncio.to_thread(Path(path).write_text, content)
        return schema.WriteTextFileResponse()

    async def work(self, agent: Any, folder: str, more: str) -> list[Any]:
        """One session, to its end."""
        opened = await agent.new_session(cwd=folder, mcp_servers=[])
        name = opened.session_id
        option, value = ("mode", "default") if more == "qwen" else ("model", "big")
        await agent.set_config_option(config_id=option, session_id=name, value=value)
        where = f"{folder}/" if more == "qwen" else ""
        for text in (f"READ {where}notes.txt", f"WRITE {where}list.txt Eggs"):
            await self._prompt(agent, name, text)
        self._spoken(name).clear()
        held = asyncio.create_task(self._prompt(agent, name, "HOLD on"))
        await self._spoken(name).wait()
        await agent.cancel(session_id=name)
        await held
        await self._prompt(agent, name, "Good bye")
        return self.seen[name]

    async def _prompt(self, agent: Any, name: str, text: str) -> None:
        answer = await agent.prompt(session_id=name, prompt=[helpers.text_block(text)])
        self._note(name, "answer", text, answer.stop_reason)

    def _spoken(self, name: str) -> asyncio.Event:
        return self.spoke.setdefault(name, asyncio.Event())

    def _note(self, name: str, *what: Any) -> None:
        self.seen.setdefault(name, []).append(what)


@asynccontextmanager
async def _reached(client: Client, url: str) -> AsyncIterator[tuple[Any, Any]]:
    """The agent at a URL, and no process."""
    if url.startswith("ws"):
        from acp.ws.client import create_websocket_stream

        stream = await create_websocket_stream(url)
    else:
        from acp.http import client as over_http

        parse = over_http.parse_sse_stream
        over_http.parse_sse_stream = lambda chunks: parse(_whole_characters(chunks))
        stream = over_http.create_http_stream(url)
    agent = acp.connect_to_agent(client, stream)
    try:
        yield agent, None
    finally:
        await agent.close()
        await stream.close()


async def _whole_characters(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks, cut between characters.

    The SDK, up to 0.12.1, decodes each alone, and loses the stream where one ends in the middle of a character
    (agentclientprotocol/python-sdk#135): so it did with 560 kB of qwen's commands, by chance.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    async for chunk in chunks:
        yield decoder.decode(chunk).encode()


async def _run(more: str, folders: list[str], command: list[str]) -> dict[str, Any]:
    client = Client()
    reached = (
        _reached(client, command[0])
        if "://" in command[0]
        else acp.spawn_agent_process(client, *command, transport_kwargs={"stderr": None})
    )
    async with reached as (agent, process):
        files = schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
        await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(fs=files),
            client_info=schema.Implementation(name="py-client", version="1"),
        )
        sessions = await asyncio.gather(*(client.work(agent, folder, more) for folder in folders))
        listed: Any = None
        if more == "list":
            try:
                listed = len((await agent.list_sessions()).sessions)
            except acp.RequestError as error:
                listed = [error.code, str(error)]
    return {"sessions": sessions, "listed": listed, "exit_code": process and process.returncode}


def main(more: str, *rest: str) -> None:
    """Runs it, and prints what it saw."""
    cut = rest.index("--")
    print(json.dumps(asyncio.run(_run(more, [*rest[:cut]], [*rest[cut + 1 :]]))))


if __name__ == "__main__":
    main(*sys.argv[1:])
