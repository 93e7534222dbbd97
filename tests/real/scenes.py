"""The scenes: which client drives which agent, what is asked, and what the trace must then tell.

Data only, plus what an agent needs in its home. A scene's name is also the name of its sample trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.real import packages, standin, teller


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A real agent: where it comes from, how it is started, what it says of itself."""

    install: Callable[[], Path]  #: into the cache, when it is not there; raises OutOfReach
    #: The name under which the run's folder links to that, so that no path of the cache gets into a trace.
    link: str
    command: tuple[str, ...]  #: the folder with the link is on the path, and `../bin` for the agent
    name: str | None
    version: str | None
    #: What it may ask, as opencode's configuration has it. The stand-in answers to every name.
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A session with one agent, with and without the recorder, and the facts that follow from it."""

    name: str
    what: str
    agent: Agent
    #: acpx can do one prompt and no more; any other steps are teller.py's:
    #: `prompt TEXT`, `prompt TEXT CANCEL_METHOD`, `set OPTION VALUE`, `await UPDATE_KIND`, `close`.
    steps: tuple[tuple[str, ...], ...]
    interrupt_at: bytes | None = None  #: Ctrl-C for the client when it has printed this
    kill_at: bytes | None = None  #: SIGKILL for the recorder then; there is nothing to compare with
    stop_reasons: tuple[str | None, ...] = ("end_turn",)
    tool_calls: tuple[tuple[str, str], ...] = ()  #: kind and status
    permissions: tuple[tuple[str, str], ...] = ()  #: outcome and option
    cancels: tuple[tuple[str, str], ...] = ()  #: kind and outcome
    ended_by: str | None = None
    findings: tuple[str, ...] = ()  #: codes

    @property
    def client(self) -> str:
        """Name and version of the client that does these steps."""
        if [step[:-1] for step in self.steps] == [("prompt",)]:
            return packages.ACPX[0]
        return f"{teller.NAME}@{teller.VERSION}"

    @property
    def prompts(self) -> list[str]:
        """What is asked, in order."""
        return [step[1] for step in self.steps if step[0] == "prompt"]

    @property
    def sets(self) -> list[tuple[str, str]]:
        """Option and value of each set request, in order."""
        return [(step[1], step[2]) for step in self.steps if step[0] == "set"]


def configure_opencode(home: Path, url: str, models: Mapping[str, Mapping[str, Any]]) -> None:
    """Has opencode ask the stand-in, and the client before it runs or edits anything."""
    model = f"standin/{next(iter(models))}"
    config = {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["standin"],
        "provider": {
            "standin": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Stand-in",
                "options": {"baseURL": url, "apiKey": "none"},
                "models": models,
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
    models={standin.MODEL: {"name": "Stand-in model"}},
)
FAST_AGENT = Agent(
    install=packages.fast_agent,
    link="fast-agent-acp",
    command=("fast-agent-acp", "--model", "passthrough"),
    name="fast-agent-acp",
    version=packages.FAST_AGENT[0].rpartition("=")[2],
)

#: A model with a size, without which opencode does not say how much of it is used.
_SIZED = {"limit": {"context": 200_000, "output": 8_000}}

SCENES = (
    Scene(
        name="ts-sdk-agent-acpx",
        what="the TypeScript SDK's example agent: text, a tool call, a permission that is granted",
        agent=TS_SDK,
        steps=(("prompt", "Please update the configuration"),),
        tool_calls=(("read", "completed"), ("edit", "completed")),
        permissions=(("selected", "allow"),),
    ),
    Scene(
        name="ts-sdk-cancel-acpx",
        what="the same agent; the client gets Ctrl-C after the first words",
        agent=TS_SDK,
        steps=(("prompt", "Please update the configuration"),),
        interrupt_at=b"I'll help you",
        stop_reasons=("cancelled",),
        cancels=(("session/cancel", "cancelled"),),
    ),
    Scene(
        name="opencode-acpx",
        what="opencode runs a shell command, with permission, and reports what it said",
        agent=OPENCODE,
        steps=(("prompt", "RUN ls"),),
        tool_calls=(("execute", "completed"),),
        permissions=(("selected", "once"),),
    ),
    Scene(
        name="opencode-cancel-acpx",
        what="opencode waits for its model; the client gets Ctrl-C",
        agent=OPENCODE,
        steps=(("prompt", "HOLD on"),),
        interrupt_at=standin.HELD.encode(),
        stop_reasons=("cancelled",),
        cancels=(("session/cancel", "cancelled"),),
    ),
    Scene(
        name="opencode-story",
        what="opencode gets another model and another mode, runs a command, is cancelled, and cannot be cancelled",
        agent=replace(OPENCODE, models={"small": _SIZED, "big": _SIZED}),
        steps=(
            ("await", "available_commands_update"),
            ("set", "model", "standin/big"),
            ("set", "model", "standin/small"),
            ("set", "mode", "plan"),
            ("set", "mode", "build"),
            ("prompt", "RUN ls"),
            ("prompt", "HOLD on", "session/cancel"),
            ("prompt", "SLOW down", "$/cancel_request"),
            ("close",),
        ),
        stop_reasons=("end_turn", "cancelled", "end_turn"),
        tool_calls=(("execute", "completed"),),
        permissions=(("selected", "once"),),
        cancels=(("session/cancel", "cancelled"), ("$/cancel_request", "completed")),
        ended_by="session/close",
        findings=("cancel-request-ignored",),
    ),
    Scene(
        name="fast-agent-passthrough",
        what="fast-agent's passthrough model: says the prompt again, and gives the session a title",
        agent=FAST_AGENT,
        steps=(("prompt", "Hello there"),),
        findings=("updated-at-invalid",),
    ),
    Scene(
        name="incomplete",
        what="the TypeScript SDK's example agent; the recorder gets SIGKILL in the middle of the turn",
        agent=TS_SDK,
        steps=(("prompt", "Please update the configuration"),),
        kill_at=b" Now I understand",
        stop_reasons=(None,),
        findings=("never-answered",),
        tool_calls=(("read", "completed"),),
    ),
)
