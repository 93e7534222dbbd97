"""The agents: where each comes from, how it is started, what it says of itself. Data only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real import homes, packages, standin

#: Writes an agent's configuration into its home: which model it asks, at which address. Gives environment.
Settle = Callable[[Path, str, Mapping[str, Mapping[str, Any]]], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A real agent."""

    install: Callable[[], Path]  #: into the cache, when it is not there; raises OutOfReach
    #: The name under which the run's folder links to that, so that no path of the cache gets into a trace.
    link: str
    command: tuple[str, ...]  #: the folder with the link is on the path, and `../bin` for the agent
    name: str | None
    version: str | None
    node: bool = True  #: whether it runs on Node
    settle: Settle | None = None  #: for an agent that asks a model
    #: What it may ask, as opencode's configuration has it. The stand-in answers to every name.
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scripts: tuple[Path, ...] = ()  #: of ours, to be linked beside it


def _version(pins: tuple[str, ...]) -> str:
    return pins[0].rpartition("@")[2].rpartition("=")[2]


TS_SDK = Agent(
    install=lambda: packages.npm(*packages.TS_SDK),
    link="node_modules",
    command=("node", "../bin/node_modules/@agentclientprotocol/sdk/dist/examples/agent.js"),
    name=None,  # the example does not introduce itself
    version=None,
)
PY_SDK = Agent(
    install=lambda: packages.python(packages.PY_SDK).parent,
    link="python-sdk",
    command=("../bin/python-sdk/bin/python", "-I", "../bin/py_agent.py"),
    name="py-agent",
    version="1",
    node=False,
    scripts=(Path(__file__).with_name("py_agent.py"),),
)
OPENCODE = Agent(
    install=lambda: packages.npm(*packages.OPENCODE) / ".bin" / "opencode",
    link="opencode",
    command=("opencode", "acp"),
    name="OpenCode",
    version=_version(packages.OPENCODE),
    settle=homes.opencode,
    models={standin.MODEL: {"name": "Stand-in model"}},
)
KIMI = Agent(
    install=lambda: packages.npm(*packages.KIMI),
    link="node_modules",
    command=("node", "../bin/node_modules/@moonshot-ai/kimi-code/dist/main.mjs", "acp"),
    name="Kimi Code CLI",
    version=_version(packages.KIMI),
    settle=homes.kimi,
)
GEMINI = Agent(
    install=lambda: packages.npm(*packages.GEMINI),
    link="node_modules",
    command=("node", "../bin/node_modules/.bin/gemini", "--acp"),
    name="gemini-cli",
    version=_version(packages.GEMINI),
    settle=homes.gemini,
)
FAST_AGENT = Agent(
    install=lambda: packages.python(packages.FAST_AGENT) / "fast-agent-acp",
    link="fast-agent-acp",
    command=("fast-agent-acp", "--model", "passthrough"),
    name="fast-agent-acp",
    version=_version(packages.FAST_AGENT),
    node=False,
)
