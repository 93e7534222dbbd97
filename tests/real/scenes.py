"""The scenes: which client drives which agent, what is asked, and what the trace must then tell.

Data only, plus what an agent needs in its home. A scene's name is also the name of its sample trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.real import packages, standin


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A real agent: where it comes from, how it is started, what it says of itself."""

    install: Callable[[], Path]  #: into the cache, when it is not there; raises OutOfReach
    #: The name under which the run's folder links to that, so that no path of the cache gets into a trace.
    link: str
    command: tuple[str, ...]  #: the folder with the link is on the path, and `../bin` for the agent
    name: str | None
    version: str | None
    model: bool = False  #: whether it asks a model, which is the stand-in


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One prompt to one agent, with and without the recorder, and the facts that follow from it."""

    name: str
    what: str
    agent: Agent
    prompt: str
    interrupt_at: bytes | None = None  #: Ctrl-C for the client when it has printed this
    kill_at: bytes | None = None  #: SIGKILL for the recorder then; there is nothing to compare with
    stop_reason: str | None = "end_turn"
    tool_calls: tuple[tuple[str, str], ...] = ()  #: kind and status
    permissions: tuple[tuple[str, str], ...] = ()  #: outcome and option


def configure_opencode(home: Path, url: str) -> None:
    """Has opencode ask the stand-in, and the client before it runs or edits anything."""
    model = f"standin/{standin.MODEL}"
    config = {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["standin"],
        "provider": {
            "standin": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Stand-in",
                "options": {"baseURL": url, "apiKey": "none"},
                "models": {standin.MODEL: {"name": "Stand-in model"}},
            }
        },
        "model": model,
        "small_model": model,
        "permission": {"edit": "ask", "bash": "ask"},
    }
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(config))


TS_SDK = Agent(
    install=lambda: packages.npm(*packages.TS_SDK),
    link="node_modules",
    command=("node", "../bin/node_modules/@agentclientprotocol/sdk/dist/examples/agent.js"),
    name=None,  # the example does not introduce itself
    version=None,
)
OPENCODE = Agent(
    install=lambda: packages.npm(*packages.OPENCODE) / ".bin" / "opencode",
    link="opencode",
    command=("opencode", "acp"),
    name="OpenCode",
    version=packages.OPENCODE[0].rpartition("@")[2],
    model=True,
)
FAST_AGENT = Agent(
    install=packages.fast_agent,
    link="fast-agent-acp",
    command=("fast-agent-acp", "--model", "passthrough"),
    name="fast-agent-acp",
    version=packages.FAST_AGENT[0].rpartition("=")[2],
)

SCENES = (
    Scene(
        name="ts-sdk-agent-acpx",
        what="the TypeScript SDK's example agent: text, a tool call, a permission that is granted",
        agent=TS_SDK,
        prompt="Please update the configuration",
        tool_calls=(("read", "completed"), ("edit", "completed")),
        permissions=(("selected", "allow"),),
    ),
    Scene(
        name="ts-sdk-cancel-acpx",
        what="the same agent; the client gets Ctrl-C after the first words",
        agent=TS_SDK,
        prompt="Please update the configuration",
        interrupt_at=b"I'll help you",
        stop_reason="cancelled",
    ),
    Scene(
        name="opencode-acpx",
        what="opencode runs a shell command, with permission, and reports what it said",
        agent=OPENCODE,
        prompt="RUN ls",
        tool_calls=(("execute", "completed"),),
        permissions=(("selected", "once"),),
    ),
    Scene(
        name="opencode-cancel-acpx",
        what="opencode waits for its model; the client gets Ctrl-C",
        agent=OPENCODE,
        prompt="HOLD on",
        interrupt_at=standin.HELD.encode(),
        stop_reason="cancelled",
    ),
    Scene(
        name="fast-agent-passthrough",
        what="fast-agent's passthrough model: says the prompt again, and gives the session a title",
        agent=FAST_AGENT,
        prompt="Hello there",
    ),
    Scene(
        name="incomplete",
        what="the TypeScript SDK's example agent; the recorder gets SIGKILL in the middle of the turn",
        agent=TS_SDK,
        prompt="Please update the configuration",
        kill_at=b" Now I understand",
        stop_reason=None,
        tool_calls=(("read", "completed"),),
    ),
)
