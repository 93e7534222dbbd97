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
