"""The agents of the matrix and their published versions: where they come from, how they are started. Data only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tests.real import homes, packages, standin
from tests.real.agents import Settle

_SIZED = {"limit": {"context": 200_000, "output": 8_000}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published agent with its versions, the newest first."""

    name: str
    package: str
    versions: tuple[str, ...]
    command: tuple[str, ...]  #: the first is a program of the package
    python: bool = False  #: a package of PyPI, else of npm
    beside: tuple[str, ...] = ()  #: pins of other packages that it needs

    def pin(self, version: str) -> str:
        """The package, as its installer wants it named."""
        return f"{self.package}{'==' if self.python else '@'}{version}"

    def programs(self, version: str) -> Path:
        """The directory with the programs of a version, which is in the cache then. Raises OutOfReach."""
        pins = (self.pin(version), *self.beside)
        return packages.python_313(pins) if self.python else packages.npm(*pins) / ".bin"

    def install(self, version: str) -> list[str]:
        """The command of a version, which is in the cache then. Raises OutOfReach."""
        program, *arguments = self.command
        # Normalized: what has no program of its own has no `.bin` either.
        return [os.path.normpath(self.programs(version) / program), *arguments]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Published):
    """An agent of the matrix."""

    settle: Settle
    authenticate: str | None = None  #: the method that it wants before a session
    #: The mode in which it works: one in which it asks before it acts.
    mode: str | None = None
    #: Options that are left alone: codex cannot be set back to a model that it does not know.
    leave: tuple[str, ...] = ()


#: What opencode may be asked to use.
MODELS = {"small": _SIZED, "big": _SIZED}

LINES = (
    Line(
        name="opencode",
        package="opencode-ai",
        versions=("1.18.33", "1.18.3", "1.2.27"),
        command=("opencode", "acp"),
        settle=homes.opencode,
    ),
    Line(
        name="kimi-code",
        package="@moonshot-ai/kimi-code",
        versions=("2.1.0", "2.0.2", "0.43.1"),
        command=("kimi", "acp"),
        settle=homes.kimi,
    ),
    Line(
        name="gemini-cli",
        package="@google/gemini-cli",
        versions=("0.61.0", "0.51.0", "0.40.1"),
        command=("gemini", "--acp"),
        settle=homes.gemini,
    ),
    Line(
        name="claude-agent-acp",
        package="@agentclientprotocol/claude-agent-acp",
        versions=("0.100.0", "0.90.0", "0.75.1"),
        command=("claude-agent-acp",),
        settle=homes.claude,
    ),
    Line(
        name="codex-acp",
        package="@agentclientprotocol/codex-acp",
        versions=("2.6.0", "2.0.1", "1.7.0"),
        command=("codex-acp",),
        settle=homes.codex_2,
        authenticate="api-key",
        leave=("model",),
    ),
    Line(
        name="zed-codex-acp",
        package="@zed-industries/codex-acp",
        versions=("0.16.0", "0.15.0", "0.12.0"),
        command=("codex-acp",),
        settle=homes.codex,
        leave=("model",),
    ),
    Line(
        name="qwen-code",
        package="@qwen-code/qwen-code",
        versions=("0.24.4", "0.21.10", "0.15.10"),
        command=("qwen", "--acp"),
        settle=homes.qwen,
    ),
    Line(
        name="nanocoder",
        package="@nanocollective/nanocoder",
        versions=("1.30.0", "1.29.0", "1.28.1"),
        command=("nanocoder", "--acp", "--provider", "standin", "--model", standin.MODEL),
        settle=homes.nanocoder,
    ),
    Line(
        name="copilot",
        package="@github/copilot",
        versions=("1.0.102", "1.0.92", "1.0.85"),
        command=("copilot", "--acp"),
        settle=homes.copilot,
    ),
    Line(
        name="fast-agent",
        package="fast-agent-mcp",
        versions=("0.10.46", "0.10.20", "0.9.0"),
        command=("fast-agent-acp", "--model", "generic.standin", "--shell"),
        settle=homes.fast_agent,
        python=True,
    ),
)


#: Agents that are replayed without a model only (docs/evidence/hermetic.md).
OTHERS = (
    Published(
        name="pi-acp",
        package="pi-acp",
        versions=("0.0.24",),
        command=("pi-acp",),
        beside=("@mariozechner/pi-coding-agent@0.73.1",),
    ),
    Published(
        name="deepagents-acp",
        package="deepagents-acp",
        versions=("0.0.13",),
        command=("python", "-I", "-m", "deepagents_acp"),
        python=True,
        beside=("langchain-openai==1.7.4",),
    ),
    Published(
        name="minion-code",
        package="minion-code",
        versions=("0.1.45",),
        command=("mcode", "acp", "--model", "gpt-4o"),
        python=True,
        beside=("litellm==1.110.2",),  # has files that tiktoken would fetch
    ),
    Published(
        name="mistral-vibe",
        package="mistral-vibe",
        versions=("3.0.2",),
        command=("vibe-acp",),
        python=True,
    ),
)

#: Agents of docs/evidence/agents.md that come from PyPI. The first version is the newest.
LISTED_PYPI = (
    Published(
        name="agentao",
        package="agentao",
        versions=("0.5.17",),
        command=("agentao", "--acp", "--stdio"),
        python=True,
    ),
    Published(
        name="fast-agent-mcp",
        package="fast-agent-mcp",
        versions=("0.10.48",),
        command=("fast-agent-acp", "--model", "openai.gpt-4.1", "--shell"),
        python=True,
    ),
    Published(
        name="nooa-acp",
        package="nooa-acp",
        versions=("0.0.10",),
        command=("nooa-acp", "--model", "openai/gpt-4.1"),
        python=True,
    ),
    Published(
        name="isaac-acp",
        package="isaac-acp",
        versions=("0.4.0",),
        command=("isaac",),
        python=True,
        beside=("httpx==0.28.1",),  # which it imports and does not ask for
    ),
    Published(
        name="pi-agent-cli",
        package="pi-agent-cli-lc",
        versions=("0.6.0",),
        command=("pi-agent-cli",),
        python=True,
        beside=("langchain-openai==1.7.4",),
    ),
    Published(
        name="gptme",
        package="gptme[acp]",
        versions=("0.35.1",),
        command=("gptme-acp",),
        python=True,
    ),
    Published(
        name="kimi-cli",
        package="kimi-cli",
        versions=("1.51.0",),  # 1.52.0 says that it is not maintained, and ends
        command=("kimi", "acp"),
        python=True,
    ),
    Published(
        name="hermes-agent",
        package="hermes-agent[acp]",
        versions=("0.19.0",),
        command=("hermes-acp",),
        python=True,
    ),
    Published(
        name="box-agent",
        package="box-agent",
        versions=("0.9.7",),
        command=("box-agent-acp",),
        python=True,
        beside=("pydantic==2.12.5",),  # newer ones lack what the `mcp` that it asks for imports
    ),
    Published(
        name="claude-code-acp-python",
        package="claude-code-acp",
        versions=("0.5.1",),
        command=("claude-code-acp",),
        python=True,
        beside=("agent-client-protocol==0.9.0",),  # newer ones lack what it imports
    ),
    Published(
        name="crow-cli",
        package="crow-cli",
        versions=("0.1.48",),
        command=("crow-cli", "acp"),
        python=True,
    ),
)

#: Agents of npm that are recorded for docs/evidence/agents.md only. Their homes: listed_npm.py.
LISTED_NPM = (
    Published(
        name="pi-acp-new",  # the newest opens no session with the pi that `OTHERS` has beside it
        package="pi-acp",
        versions=("0.0.34",),
        command=("pi-acp",),
        beside=("@earendil-works/pi-coding-agent@1.6.0",),
    ),
    Published(
        name="zed-claude-code-acp",
        package="@zed-industries/claude-code-acp",
        versions=("0.16.2",),
        command=("claude-code-acp",),
    ),
    Published(
        name="sudocode-claude-code-acp",
        package="@sudocode-ai/claude-code-acp",
        versions=("0.13.10",),
        command=("claude-code-acp",),
    ),
    Published(
        name="zed-claude-agent-acp",
        package="@zed-industries/claude-agent-acp",
        versions=("0.23.1",),
        command=("claude-agent-acp",),
    ),
    Published(
        name="grok",
        package="@xai-official/grok",
        versions=("1.0.41",),
        command=("grok", "agent", "stdio"),
    ),
    Published(
        name="kilo",
        package="@kilocode/cli-linux-x64",  # newer than what @kilocode/cli gets its program from
        versions=("7.7.9",),
        command=("../@kilocode/cli-linux-x64/bin/kilo", "acp"),
    ),
    Published(
        name="factory",
        package="@factory/cli-linux-x64",  # newer than what @factory/cli gets its program from
        versions=("0.225.2",),
        command=("../@factory/cli-linux-x64/bin/droid", "exec", "--output-format", "acp"),
    ),
    Published(
        name="auggie",
        package="@augmentcode/auggie",
        versions=("0.36.0",),
        command=("auggie", "--acp"),
    ),
    Published(
        name="cline",
        package="cline",
        versions=("3.0.65",),
        command=("cline", "--acp"),
    ),
    Published(
        name="qoder",
        package="@qoder-ai/qodercli",
        versions=("1.1.52",),
        command=("qodercli", "--acp"),
    ),
    Published(
        name="copilot-language-server",
        package="@github/copilot-language-server",
        versions=("1.539.0",),
        command=("copilot-language-server", "--acp"),
    ),
)


def node_programs() -> Path:
    """The directory of the Node that all of them run on. Raises OutOfReach."""
    return packages.npm(*packages.NODE) / ".bin"
