"""Every Python example of a page runs, on a real trace."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, README, blocks
from tests.support import DEADLINE_S, PYTHON, REPOSITORY, Home

SAMPLE = REPOSITORY / "sample_traces" / "opencode-story.jsonl"
EXAMPLES = {page: blocks(page, "python") for page in (README, DOCS / "report.md")}


def run(home: Home, example: str) -> str:
    """What it prints."""
    done = subprocess.run(
        [*PYTHON, "-c", example],
        env=home.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.name)
def test_examples_print_the_cancels(page: Path, home: Home) -> None:
    """They ask the newest trace of the store, which has two cancels."""
    home.run("load", str(SAMPLE))
    assert EXAMPLES[page]
    for example in EXAMPLES[page]:
        lines = run(home, example).splitlines()
        assert len(lines) == 2
        assert "cancelled" in lines[0]
        assert "completed" in lines[1]
