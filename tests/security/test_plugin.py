"""What pytest prints of a replay: as harmless as what the commands do."""

from __future__ import annotations

import json
import sys

import pytest

from tests.plugin.project import Project
from tests.security.poison import AGENT, harmless, poisoned

pytest_plugins = ["pytester"]


def test_what_pytest_prints(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hostile recording, replayed to a hostile agent: the report, and the summary's one line."""
    project = Project(pytester, monkeypatch)
    project.write("evil.jsonl", poisoned().decode())
    project.write("evil.py", AGENT)
    settings = [
        f"agent = {json.dumps([sys.executable, '-IS', 'evil.py'])}",
        "timeout = 0.5",
        'match = "exact"',
    ]
    project.write("evil.replay.toml", "\n".join(settings))
    told = project.run("evil.replay.toml", code=1)
    assert "owned" in told
    harmless(told)
