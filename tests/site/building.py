"""Builds the site into a directory, strictly, or skips the test if the extra `docs` is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import DEADLINE_S, REPOSITORY


def build(target: Path) -> Path:
    """The directory, with the site in it.

    Not with `--quiet`: mkdocs then counts no warnings, and `strict` has no effect.
    """
    pytest.importorskip("material", reason="pip install -e '.[docs]'")
    words = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(target)]
    done = subprocess.run(
        words, cwd=REPOSITORY, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
        timeout=DEADLINE_S * 8, check=False,
    )  # fmt: skip
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    return target
