"""The workflow's own script makes a branch with a directory for each version, without publishing anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import DEADLINE_S, REPOSITORY
from tests.workflows.runner import parsed

pytestmark = pytest.mark.slow


def _git(checkout: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=checkout, capture_output=True, text=True, check=True).stdout


def _shorten(checkout: Path) -> None:
    """Leave two pages: building all of them twice says no more about the script."""
    docs = checkout / "docs"
    for page in docs.rglob("*.md"):
        page.unlink()
    (docs / "README.md").write_text("# Docs\n\n## Pages\n\n### Use\n\n- [Replay](replay.md): it\n")
    (docs / "replay.md").write_text("# Replay\n")
    _git(checkout, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "--all", "-m", "Shorten")


def test_main_is_dev_and_a_tag_is_its_version(tmp_path: Path) -> None:
    """One after the other, in a copy of the repository; the tag becomes what readers see first."""
    pytest.importorskip("mike", reason="pip install -e '.[docs]'")
    checkout = tmp_path / "checkout"
    if not (REPOSITORY / ".git").exists():
        pytest.skip("mike makes commits: it needs a repository")
    _git(tmp_path, "clone", "--quiet", "--depth", "1", REPOSITORY.as_uri(), str(checkout))
    _shorten(checkout)
    steps = parsed(REPOSITORY / ".github" / "workflows" / "site.yml")["jobs"]["build"]["steps"]
    (script,) = (step["run"] for step in steps if "mike" in step.get("run", ""))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for kind, name in (("branch", "main"), ("tag", "v0.3.1")):
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=checkout,
            env={**os.environ, "PATH": path, "GITHUB_REF_TYPE": kind, "GITHUB_REF_NAME": name},
            capture_output=True, text=True, timeout=DEADLINE_S * 12, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    versions = json.loads(_git(checkout, "show", "gh-pages:versions.json"))
    assert {row["version"]: row["aliases"] for row in versions} == {"0.3": ["latest"], "dev": []}
    assert "latest/" in _git(checkout, "show", "gh-pages:index.html")
    assert '"provider": "mike"' in _git(checkout, "show", "gh-pages:0.3/replay.html")
    assert "gh-pages" in _git(checkout, "bundle", "list-heads", "site.bundle")
