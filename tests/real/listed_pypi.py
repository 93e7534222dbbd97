"""Agents of docs/evidence/agents.md that come from PyPI and are not in `providers`: their homes. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.real.providers import KEY, Hosted, _claude, _key, _write


def _agentao(home: Path) -> Mapping[str, str]:
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": "https://api.openai.com/v1",
        "OPENAI_MODEL": "gpt-4.1",
    }


def _pi_agent(home: Path) -> Mapping[str, str]:
    lines = (
        'permission = "ask"',
        "[model]",
        'provider = "openai"',
        'id = "gpt-4.1"',
        'api_key_env = "OPENAI_API_KEY"',
    )
    _write(home / ".pi-python" / "agent.toml", "\n".join(lines) + "\n")
    return {"OPENAI_API_KEY": KEY}


def _isaac(home: Path) -> Mapping[str, str]:
    _write(home / ".config" / "isaac" / "isaac.ini", "[models]\ncurrent_model = openai:gpt-4.1\n")
    return {"OPENAI_API_KEY": KEY}


def _nooa(home: Path) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # else it is fetched


def _gptme(home: Path) -> Mapping[str, str]:
    # Its model writes the tools that it calls into its text, which the stand-in does not do.
    return {"OPENAI_API_KEY": KEY, "MODEL": "openai/gpt-4.1", "GPTME_TIKTOKEN_TIMEOUT": "0"}


def _kimi_cli(home: Path) -> Mapping[str, str]:
    # It opens no session without a login in a browser, whatever is in its configuration.
    return {"KIMI_CLI_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1"}


def _hermes(home: Path) -> Mapping[str, str]:
    _write(home / ".hermes" / "config.yaml", "model:\n  default: gpt-4.1\n  provider: openai-api\n")
    return {"OPENAI_API_KEY": KEY, "TIRITH_ENABLED": "false"}  # else it fetches a program


def _box(home: Path) -> Mapping[str, str]:
    lines = (
        f'api_key: "{KEY}"',
        'api_base: "https://api.openai.com/v1"',
        'model: "gpt-4.1"',
        'provider: "openai"',
        "enable_memory_extraction: false",
    )
    _write(home / ".box-agent" / "config" / "config.yaml", "\n".join(lines) + "\n")
    return {"BOX_AGENT_HOSTED_SEARCH_URL": ""}  # else it asks a server of its maker for tools


def _crow(home: Path) -> Mapping[str, str]:
    lines = (
        f"db_uri: sqlite:///{home}/crow.db",
        "providers:",
        "  openai:",
        "    api_key: ${OPENAI_API_KEY}",
        "    base_url: https://api.openai.com/v1",
        "models:",
        "  gpt-4.1:",
        "    provider: openai",
        "    model: gpt-4.1",
    )
    _write(home / ".agents" / "crow" / "config.yaml", "\n".join(lines) + "\n")
    return {"OPENAI_API_KEY": KEY}


LISTED_PYPI: tuple[Hosted, ...] = (
    Hosted(name="agentao", settle=_agentao, where="`OPENAI_BASE_URL`"),
    Hosted(name="fast-agent-mcp", settle=_key, where="default"),
    Hosted(name="nooa-acp", settle=_nooa, where="default"),
    # Its client of HTTP heeds no proxy variable.
    Hosted(name="isaac-acp", settle=_isaac, where="`--model-base`", base="https://api.openai.com/v1"),
    Hosted(name="pi-agent-cli", settle=_pi_agent, where="default"),
    Hosted(name="gptme", settle=_gptme, where="default"),
    Hosted(name="kimi-cli", settle=_kimi_cli, where="default"),
    Hosted(name="hermes-agent", settle=_hermes, where="default"),
    Hosted(name="box-agent", settle=_box, where="`api_base` in its configuration"),
    Hosted(name="claude-code-acp-python", settle=_claude, where="default"),
    Hosted(name="crow-cli", settle=_crow, where="`base_url` in its configuration"),
)
