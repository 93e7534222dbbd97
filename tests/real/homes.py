"""What each agent with a model needs in its home: whom to ask, and to ask the client before it acts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.real import standin

_MODELS = Mapping[str, Mapping[str, Any]]
_TOKENS = 200_000


def opencode(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has opencode ask the stand-in, under each of these names."""
    model = f"standin/{next(iter(models))}"
    config = {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["standin"],
        "provider": {
            "standin": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Stand-in",
                "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
                "models": models,
            }
        },
        "model": model,
        "small_model": model,
        "permission": {"edit": "ask", "bash": "ask"},
    }
    _write(home / ".config" / "opencode" / "opencode.json", json.dumps(config))
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def kimi(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has kimi-code ask the stand-in."""
    lines = (
        'default_model = "standin"',
        "telemetry = false",
        "[providers.standin]",
        'type = "openai"',
        f'base_url = "{url}/v1"',
        'api_key = "none"',
        "[models.standin]",
        'provider = "standin"',
        f'model = "{standin.MODEL}"',
        f"max_context_size = {_TOKENS}",
    )
    _write(home / ".kimi-code" / "config.toml", "\n".join(lines) + "\n")
    return {"KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1", "SHELL": "/bin/sh"}


def gemini(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has gemini-cli ask the stand-in."""
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "model": {"name": "gemini-2.5-pro"},  # a name that it knows, else it asks which model to ask
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_NO_RELAUNCH": "1"}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def claude(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has claude-agent-acp ask the stand-in."""
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "IS_SANDBOX": "1",  # else it does not run as root
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def codex(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has Zed's codex-acp ask the stand-in."""
    return _codex(home, f'name = "Stand-in"\nbase_url = "{url}/v1"\nwire_api = "responses"\n')


def codex_2(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has codex-acp ask the stand-in. It wants the key that `authenticate` takes."""
    settings = _codex(home, f'name = "Stand-in"\nbase_url = "{url}/v1"\nwire_api = "responses"\n')
    return {**settings, "OPENAI_API_KEY": "none"}


def _codex(home: Path, provider: str) -> Mapping[str, str]:
    head = f'model = "{standin.MODEL}"\nmodel_provider = "standin"\ncheck_for_update_on_startup = false\n'
    _write(
        home / ".codex" / "config.toml",
        f"{head}[features]\nunified_exec = false\n[model_providers.standin]\n{provider}",
    )
    return {"CODEX_HOME": str(home / ".codex")}


def qwen(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has qwen-code ask the stand-in."""
    settings = {
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    _write(home / ".qwen" / "settings.json", json.dumps(settings))
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": standin.MODEL}


def copilot(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has copilot ask the stand-in."""
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": standin.MODEL,
        "COPILOT_AUTO_UPDATE": "false",
    }


def nanocoder(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has nanocoder ask the stand-in."""
    provider = {"name": "standin", "baseUrl": f"{url}/v1", "apiKey": "none", "models": [standin.MODEL]}
    config = {"nanocoder": {"providers": [provider]}}
    _write(home / ".config" / "nanocoder" / "agents.config.json", json.dumps(config))
    return {"NANOCODER_TRUST_DIRECTORY": "1"}


def fast_agent(home: Path, url: str, models: _MODELS) -> Mapping[str, str]:
    """Has fast-agent ask the stand-in."""
    return {"GENERIC_API_KEY": "none", "GENERIC_BASE_URL": f"{url}/v1"}
