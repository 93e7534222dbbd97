"""Which workflow files the repository has, and which schema describes each kind. Reads the file system only."""

from __future__ import annotations

from pathlib import Path

from tests.support import REPOSITORY

#: A glob from the root, and the schema of check-jsonschema for what it finds.
KINDS = {
    ".github/workflows/*.y*ml": "vendor.github-workflows",
    ".github/ISSUE_TEMPLATE/[!c]*.y*ml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.y*ml": "vendor.github-issue-config",
    "action.y*ml": "vendor.github-actions",
    ".github/actions/*/action.y*ml": "vendor.github-actions",
    "docs/examples/**/.github/workflows/*.y*ml": "vendor.github-workflows",
    "docs/examples/**/action.y*ml": "vendor.github-actions",
    "docs/examples/**/.gitlab-ci.y*ml": "vendor.gitlab-ci",
    "docs/examples/**/*.gitlab-ci.y*ml": "vendor.gitlab-ci",
}


def workflow_files() -> dict[Path, str]:
    """Each file that GitHub or GitLab would read, and its schema's name."""
    return {path: schema for glob, schema in KINDS.items() for path in sorted(REPOSITORY.glob(glob))}
