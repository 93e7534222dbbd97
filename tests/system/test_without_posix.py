"""Commands in a process without what only POSIX has, as on Windows: nothing of it is missed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import DEADLINE_S, REPOSITORY, Home

_STORY = str(REPOSITORY / "sample_traces" / "opencode-story.jsonl")
_MODEL = str(REPOSITORY / "sample_traces" / "gemini-model.jsonl")
_MOCK = [sys.executable, "-m", "acp_trace", "mock", _STORY]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="takes away what is not there"),
]


def _run(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.system.without_posix", *words],
        capture_output=True,
        text=True,
        env=home.environment,
        cwd=REPOSITORY,
        timeout=4 * DEADLINE_S,
        check=False,
    )


def test_each_module_can_be_imported(home: Home) -> None:
    """But the one for the agent of a recorder on POSIX, which is imported nowhere else."""
    done = _run(home, "import")
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["acp_trace.record.agents.posix"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", _STORY], "cancel-request-ignored"),
        (["show", _STORY, "--html", "{out}"], "kB"),
        (["frames", _STORY], "session/close"),
        (["diff", _STORY, _STORY], "equal"),
        (["check", _STORY], "does not fail"),
        (["conform", _STORY], "OpenCode"),
        (["model", _MODEL], "read_file"),
        (["import", _STORY], "44 frames"),
        (["query", "SELECT 40 + 2 AS n"], "42"),
        (["redact", _STORY, "--out", "{out}"], "written to"),
        (["export", _STORY, "--to", "har", "--out", "{out}"], ""),
        (["ls"], "there is no trace yet"),
        (["doctor"], "recorder"),
        (["install", "zed", "x", "--config", "{out}", "--yes", "--", "opencode"], "is recorded"),
        (["team", "push", "{out}", _STORY], "1 trace pushed"),
        (["replay", _STORY, "--", *_MOCK], "44 compared"),
        (["drive", "--prompt", "hi", "--out", "{out}", "--", *_MOCK], "3 of 3 steps done"),
        (["demo"], "Look further"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "as",
)  # fmt: skip
def test_a_command(home: Home, tmp_path: Path, words: list[str], said: str) -> None:
    """Does what it does elsewhere."""
    done = _run(home, *(word.replace("{out}", str(tmp_path / "out.jsonl")) for word in words))
    assert said in done.stdout + done.stderr, done
    assert "Traceback" not in done.stderr, done.stderr
