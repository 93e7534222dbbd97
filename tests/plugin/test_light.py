"""A run of pytest that replays nothing does not pay for replays."""

from __future__ import annotations

import subprocess
import sys

from tests.docs.test_architecture import MODULES, module
from tests.support import DEADLINE_S

HEAVY = ("duckdb", "rich", "msgspec", "acp_trace.compare", "acp_trace.replay", "acp_trace.report", "typer")


def _loaded(code: str) -> set[str]:
    told = f"{code}; import sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, timeout=DEADLINE_S, check=True)
    return set(done.stdout.decode().split())


def test_the_plugin_is_light() -> None:
    """Its modules import pytest and each other, and collecting imports no more."""
    found = _loaded("import acp_trace.plugin.hooks")
    assert "acp_trace.plugin.items" in found
    assert {name for name in found if name.startswith(HEAVY)} == set()
    ours = {name.split(".")[1] for name in found if name.startswith("acp_trace.")}
    assert ours == {"api", "plugin"}  # of `api`, the shape of a result


def test_only_the_plugin_needs_pytest() -> None:
    """The commands work where pytest is not installed."""
    needing = {
        name
        for name in MODULES
        for one in module(name).imports
        if one.name.partition(".")[0] in ("pytest", "_pytest")
    }
    assert {name.rpartition(".")[0] for name in needing} == {"acp_trace.plugin"}
