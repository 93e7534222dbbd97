"""Which names of files version control systems take for their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acp_trace.replay.drive.repository_names import is_of_repository
from acp_trace.replay.drive.snapshot import unpack
from acp_trace.replay.drive.waits import Stop
from tests.replay.test_snapshot import archive, stop

__all__ = ["stop"]


@pytest.mark.parametrize(
    "name",
    [
        ".git ", "HEAD. ", ".git/config", "in/.GIT", ".git./x", ".git::$INDEX_ALLOCATION/x", "git~1/x",
        "a\\.git\\config", ".g\u200cit/config", "HEAD", "in/head", "HEAD.",
        ".hg/hgrc", "in/.HG/hgrc", "hg~1/hgrc", ".sl/config", ".jj/repo/config.toml", ".bzr/branch/branch.conf",
        "_darcs/prefs/defaults", ".pijul/config",
    ],
)  # fmt: skip
def test_what_is_of_a_repository(name: str) -> None:
    """In every spelling that a file system takes for it."""
    assert is_of_repository(name)


@pytest.mark.parametrize(
    "name",
    [
        ".gitignore",
        ".github/x",
        "git",
        "HEAD.md",
        "headers/x",
        "a.git/config",
        "objects/x",
        ".gitmodules",
        "head/x",
        ".hgignore",
        ".svn/wc.db",
        "_darcs.md",
        "hg/x",
    ],
)
def test_what_is_not(name: str) -> None:
    """Files of a project stay."""
    assert not is_of_repository(name)


def test_a_snapshot_makes_no_bare_repository(tmp_path: Path, stop: Stop) -> None:
    """Git would run the program that its settings name, whenever the agent asks for the state of the files."""
    target = tmp_path / "target"
    target.mkdir()
    program = b'[core]\nrepositoryformatversion=0\nbare=false\nworktree="."\nfsmonitor="touch RAN;false"\n'
    members = (("HEAD", b"ref: refs/heads/x\n"), ("config", program), ("objects/x", b""), ("refs/x", b""))
    said = unpack(archive(tmp_path / "x.tar.gz", *members), target, stop).left_out
    subprocess.run(["git", "status"], cwd=target, capture_output=True, check=False)
    assert not (target / "RAN").exists()
    assert said == "1 with an unusable name (HEAD)"
