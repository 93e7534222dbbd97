"""What is published was checked: the workflow's steps, and what `run` leaves out of them."""

from __future__ import annotations

from typing import Any

import pytest

from release.repository import ROOT

yaml = pytest.importorskip("ruamel.yaml")  # in the extra `dev`
run = pytest.importorskip("tests.release.run")


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    """The jobs of release.yml."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    document: dict[str, Any] = yaml.YAML(typ="safe", pure=True).load(text)
    return document["jobs"]  # type: ignore[no-any-return]


def test_every_check_of_the_workflow_is_run_here_or_says_why_not() -> None:
    """`tests/release/run.py` takes the steps from the files, so it cannot forget a new one."""
    names = [name for name, _ in run.steps()]
    assert set(run.LEFT_OUT) <= set(names)
    assert len(set(names) - set(run.LEFT_OUT)) == 4
    scripts = "\n".join(script for name, script in run.steps() if name not in run.LEFT_OUT)
    for part in (
        "release/check.py",
        "python -m build",
        "npm pack",
        "tests/install/run.py",
        "hadolint",
        "zizmor",
    ):
        assert part in scripts


def test_nothing_is_published_before_all_checks_have_passed(jobs: dict[str, Any]) -> None:
    """Each job that publishes waits for the one that checks, or for one that waits for it."""
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        "build": None,
        "pypi": "build",
        "npm": "pypi",
        "notes": "pypi",
    }


def test_each_job_has_the_one_right_that_it_needs(jobs: dict[str, Any]) -> None:
    """And the job that runs the code of others has none, and no environment that is trusted."""
    rights = {name: (job.get("environment"), job.get("permissions")) for name, job in jobs.items()}
    assert rights == {
        "build": (None, None),
        "pypi": ("pypi", {"id-token": "write"}),
        "npm": ("npm", {"id-token": "write"}),
        "notes": (None, {"contents": "write"}),
    }


def test_no_job_needs_a_password(jobs: dict[str, Any]) -> None:
    """Trusted publishing: the registries know the workflow."""
    assert "secrets." not in str(jobs)
