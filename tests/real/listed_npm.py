"""Agents of npm that are recorded for docs/evidence/agents.md only: what is in their homes. Data only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.real.providers import KEY, Hosted, _claude, _pi, _write


def _nothing(home: Path) -> Mapping[str, str]:
    """For agents that answer nothing but `initialize` without an account at their maker."""
    return {}


def _kilo(home: Path) -> Mapping[str, str]:
    config = {
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["openai"],
        "model": "openai/gpt-4.1",
        "small_model": "openai/gpt-4.1-mini",
        "permission": {"edit": "ask", "bash": "ask"},
    }
    _write(home / ".config" / "kilo" / "kilo.json", json.dumps(config))
    return {
        "OPENAI_API_KEY": KEY,
        "KILO_DISABLE_MODELS_FETCH": "1",
        "KILO_DISABLE_AUTOUPDATE": "1",
        "KILO_DISABLE_SESSION_INGEST": "1",
        "KILO_TELEMETRY_LEVEL": "off",
    }


def _grok(home: Path) -> Mapping[str, str]:
    lines = (
        "[cli]",
        "auto_update = false",
        "[features]",
        "feedback = false",
        "remote_fetch = false",  # a list of models, for which it would leave those that it knows
        'telemetry = "off"',
        "[models]",
        'default = "grok-4.5"',
        'session_summary = "grok-4.5"',
    )
    _write(home / ".grok" / "config.toml", "\n".join(lines) + "\n")
    return {"XAI_API_KEY": KEY, "GROK_DISABLE_AUTOUPDATER": "1"}


def _factory(home: Path) -> Mapping[str, str]:
    model = {
        "model": "gpt-4.1",
        "displayName": "gpt",
        "baseUrl": "https://api.openai.com/v1",
        "apiKey": KEY,
        "provider": "openai",
        "maxOutputTokens": 8_000,
    }
    settings = {"customModels": [model], "sessionDefaultSettings": {"model": "custom:gpt-0"}}
    _write(home / ".factory" / "settings.json", json.dumps(settings))
    return {"FACTORY_AIRGAP_ENABLED": "true", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"}


def _cline(home: Path) -> Mapping[str, str]:
    options = {"telemetryOptOut": True, "autoUpdateEnabled": False}
    _write(home / ".cline" / "data" / "settings" / "global-settings.json", json.dumps(options))
    return {
        "CLINE_API_KEY": KEY,  # without it, a session wants a login at its maker
        "CLINE_PROVIDER": "openai-native",
        "CLINE_MODEL": "gpt-4.1",
    }


def _copilot_language_server(home: Path) -> Mapping[str, str]:
    return {"GITHUB_COPILOT_ACP_USE_CLI": "0"}  # else it tries for minutes to install copilot


LISTED_NPM: tuple[Hosted, ...] = (
    Hosted(name="pi-acp-new", settle=_pi, where="default"),
    Hosted(name="zed-claude-code-acp", settle=_claude, where="default"),
    Hosted(name="sudocode-claude-code-acp", settle=_claude, where="default"),
    Hosted(name="zed-claude-agent-acp", settle=_claude, where="default"),
    Hosted(name="grok", settle=_grok, where="default"),
    Hosted(name="kilo", settle=_kilo, where="default"),
    Hosted(name="factory", settle=_factory, where="`baseUrl` in its configuration"),
    Hosted(name="auggie", settle=_nothing, where="not asked"),
    Hosted(name="cline", settle=_cline, where="default"),
    Hosted(name="qoder", settle=_nothing, where="not asked"),
    Hosted(name="copilot-language-server", settle=_copilot_language_server, where="not asked"),
)
