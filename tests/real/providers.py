"""Agents that ask their models where they are by default: what is in their homes. Data only.

Nothing here names a stand-in. What is asked of a provider's host reaches one all the same, because the recorder
maps hosts (`MAPPED`). An agent without a provider of its own is given a public one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.real import builds, standin
from tests.real.builds import Published

#: Hosts of providers, which the stand-in answers for.
MAPPED = (
    "api.openai.com",
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "api.moonshot.ai",
    "api.x.ai",
    "dashscope.aliyuncs.com",
)
#: Looks like a key, so that agents send it. A trace that has it is wrong.
KEY = "sk-hermetic-0123456789abcdef0123456789abcdef"
_TOKENS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosted:
    """An agent of the matrix, with another home."""

    name: str
    #: Writes the agent's configuration into a home. Gives environment.
    settle: Callable[[Path], Mapping[str, str]]
    where: str  #: how it comes to its provider, for people
    older: tuple[str, ...] = ()  #: other versions that are tried, too
    authenticate: str | None = None  #: the method that it wants before a session
    is_static: bool = False  #: what it starts has no dynamic linker, into which another clock could be loaded
    mode: str | None = None  #: the one in which it asks its client, and no other model, before it acts
    base: str | None = None  #: its provider's base URL if it heeds no proxy variable: for `--model-base`
    version: str | None = None  #: the one that is meant; None for the newest that is pinned

    @property
    def line(self) -> Published:
        """Where it is installed from, and how it is started."""
        rows = (*builds.LINES, *builds.OTHERS, *builds.LISTED_NPM, *builds.LISTED_PYPI)
        return next(line for line in rows if line.name == self.name)

    def programs(self) -> Iterator[str]:
        """The directory of programs that it looks for on the path. Raises OutOfReach."""
        if self.line.beside:
            yield str(self.line.programs(self.version or self.line.versions[0]))

    def install(self) -> list[str]:
        """The command of the version that is meant, which is in the cache then. Raises OutOfReach."""
        return self.line.install(self.version or self.line.versions[0])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _opencode(home: Path) -> Mapping[str, str]:
    config = {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["openai"],
        "model": "openai/gpt-4.1",
        "small_model": "openai/gpt-4.1-mini",
        "permission": {"edit": "ask", "bash": "ask"},
    }
    _write(home / ".config" / "opencode" / "opencode.json", json.dumps(config))
    return {
        "OPENAI_API_KEY": KEY,
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
    }


def _claude(home: Path) -> Mapping[str, str]:
    return {
        "ANTHROPIC_API_KEY": KEY,
        "IS_SANDBOX": "1",  # else it does not run as root
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "ENABLE_TOOL_SEARCH": "false",  # else it declares the tools of MCP servers only when searched for
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _gemini(home: Path) -> Mapping[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "model": {"name": "gemini-2.5-pro"},  # a name that it knows, else it asks which model to ask
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))
    return {"GEMINI_API_KEY": KEY, "GEMINI_CLI_NO_RELAUNCH": "1"}


def _codex(home: Path) -> Mapping[str, str]:
    # A model of which it does not know that it would rather write JavaScript than call tools.
    config = (
        'model = "gpt-5.1-codex"\ncheck_for_update_on_startup = false\n[features]\nunified_exec = false\n'
    )
    _write(home / ".codex" / "config.toml", config)
    return {"CODEX_HOME": str(home / ".codex"), "OPENAI_API_KEY": KEY}


def _kimi(home: Path) -> Mapping[str, str]:
    lines = (
        'default_model = "kimi"',
        "telemetry = false",
        "[providers.moonshot]",
        'type = "openai"',
        'base_url = "https://api.moonshot.ai/v1"',
        f'api_key = "{KEY}"',
        "[models.kimi]",
        'provider = "moonshot"',
        'model = "kimi-k2"',
        f"max_context_size = {_TOKENS}",
    )
    _write(home / ".kimi-code" / "config.toml", "\n".join(lines) + "\n")
    return {"KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1"}


def _qwen(home: Path) -> Mapping[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    _write(home / ".qwen" / "settings.json", json.dumps(settings))
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "OPENAI_MODEL": "qwen3-coder-plus",
    }


def _copilot(home: Path) -> Mapping[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": "https://api.openai.com/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-5-mini",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _nanocoder(home: Path) -> Mapping[str, str]:
    provider = {
        "name": "standin",  # as its command has it
        "baseUrl": "${OPENAI_BASE_URL}",
        "apiKey": "${OPENAI_API_KEY}",
        "models": [standin.MODEL],
    }
    config = {"nanocoder": {"providers": [provider]}}
    _write(home / ".config" / "nanocoder" / "agents.config.json", json.dumps(config))
    return {"OPENAI_API_KEY": KEY, "NANOCODER_TRUST_DIRECTORY": "1"}


def _pi(home: Path) -> Mapping[str, str]:
    settings = {"defaultProvider": "openai", "defaultModel": "gpt-4.1", "quietStartup": True}
    _write(home / ".pi" / "agent" / "settings.json", json.dumps(settings))
    return {"OPENAI_API_KEY": KEY, "PI_OFFLINE": "1"}  # it asks for newer versions, and for programs


def _key(home: Path) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": KEY}


def _minion(home: Path) -> Mapping[str, str]:
    line = next(line for line in builds.OTHERS if line.name == "minion-code")
    kit = line.programs(line.versions[0]).parent
    (files,) = kit.glob("lib/*/site-packages/litellm/litellm_core_utils/tokenizers")
    return {"OPENAI_API_KEY": KEY, "TIKTOKEN_CACHE_DIR": str(files)}


def _vibe(home: Path) -> Mapping[str, str]:
    lines = (
        'active_model = "gpt"',
        "enable_telemetry = false",
        "enable_update_checks = false",
        "[[providers]]",
        'name = "openai"',
        'api_base = "https://api.openai.com/v1"',
        'api_key_env_var = "OPENAI_API_KEY"',
        'backend = "generic"',
        "[[models]]",
        'name = "gpt-4.1"',
        'provider = "openai"',
        'alias = "gpt"',
    )
    _write(home / ".vibe" / "config.toml", "\n".join(lines) + "\n")
    return {"OPENAI_API_KEY": KEY}


HOSTED = (
    Hosted(name="opencode", settle=_opencode, where="default", older=("1.2.27",)),
    Hosted(name="claude-agent-acp", settle=_claude, where="default", older=("0.90.0", "0.75.1")),
    Hosted(
        name="codex-acp",
        settle=_codex,
        where="default",
        older=("2.0.1",),
        authenticate="api-key",
        mode="workspace-write",
        is_static=True,
    ),
    Hosted(name="zed-codex-acp", settle=_codex, where="default", authenticate="openai-api-key"),
    Hosted(name="gemini-cli", settle=_gemini, where="default", older=("0.51.0", "0.40.1")),
    Hosted(
        name="kimi-code",
        settle=_kimi,
        where="`base_url` in its configuration",
        older=("2.0.2", "0.43.1", "0.30.0"),
    ),
    Hosted(name="qwen-code", settle=_qwen, where="`OPENAI_BASE_URL`"),
    Hosted(name="copilot", settle=_copilot, where="`COPILOT_PROVIDER_BASE_URL`"),
    Hosted(
        name="nanocoder",
        settle=_nanocoder,
        where="`--model-base`",
        base="https://api.openai.com/v1",
    ),
    Hosted(name="pi-acp", settle=_pi, where="default"),
    Hosted(name="deepagents-acp", settle=_key, where="default"),
    Hosted(name="minion-code", settle=_minion, where="default"),
    Hosted(name="mistral-vibe", settle=_vibe, where="`api_base` in its configuration"),
)
