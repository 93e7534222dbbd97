"""`--unmatched workspace`: an agent gets files of its folder, and of no other place, and cannot hold the replay."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive.workspace import Workspace
from acp_trace.system.files import NONBLOCK
from tests.posix import named_pipe


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """The folder of a live run, beside things that are none of the agent's business."""
    (tmp_path / "secret").write_text("hunter2")
    (tmp_path / "work-not").mkdir()
    (tmp_path / "work-not" / "file").write_text("hunter2")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "file").write_text("one\ntwo\n")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "up").symlink_to("..")
    (folder / "home").symlink_to("/")
    (folder / "new").symlink_to(tmp_path / "made")
    (folder / "zero").symlink_to("/dev/zero")
    named_pipe(folder / "pipe")
    return folder


def read(folder: Path, path: object, **more: Any) -> Any:
    return Workspace([str(folder)]).serve("fs/read_text_file", {"path": path, **more})


def write(folder: Path, path: object, content: object) -> Any:
    return Workspace([str(folder)]).serve("fs/write_text_file", {"path": path, "content": content})


def outside(folder: Path) -> list[object]:
    """Paths that lead out of the folder, or nowhere, or to what is no file."""
    names = [
        "../secret", "link", "up/secret", "home/etc/passwd", "home/proc/self/environ", "../work-not/file", "loop",
        "loop/x", "new", "zero", "pipe", "", "up", "x" * 5000, "file\0", "sub/../../secret", "no/such/folder/file",
        "file/x", "\ud800",
    ]  # fmt: skip
    whole: list[object] = [f"{folder}/{name}" for name in names]
    return [
        *whole,
        "file",
        "./file",
        "",
        "~/.bashrc",
        "/dev/stdin",
        "/dev/zero",
        "/etc/passwd",
        "/",
        "//",
        None,
        1,
        [],
        {},
        True,
    ]


def test_files_of_the_folder(inside: Path) -> None:
    """These are served, whole or in part, and written."""
    assert read(inside, f"{inside}/file") == {"content": "one\ntwo\n"}
    assert read(inside, f"{inside}/./up/work/file", line=2) == {"content": "two\n"}
    assert read(inside, f"{inside}/file", line=10**30, limit=-(10**30)) == {"content": ""}
    assert write(inside, f"{inside}/other", "three") == {}
    assert (inside / "other").read_text() == "three"
    assert write(inside, f"{inside}/file", "") == {}
    assert (inside / "file").read_text() == ""


def test_nothing_outside_is_read_and_nobody_waits(inside: Path) -> None:
    """Links are followed before it is decided; pipes and devices are no files."""
    for path in outside(inside):
        assert read(inside, path) is None, path


def test_nothing_outside_is_written_and_nobody_waits(inside: Path, tmp_path: Path) -> None:
    """Nor made, nor emptied."""
    before = sorted(tmp_path.iterdir())
    for path in outside(inside):
        made = path == f"{inside}/no/such/folder/file"  # inside, with its directories
        assert write(inside, path, "x") == ({} if made else None), path
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "secret").read_text() == "hunter2"
    assert stat.S_ISFIFO((inside / "pipe").lstat().st_mode)


def test_a_pipe_that_somebody_reads(inside: Path) -> None:
    """Is no file either."""
    reader = os.open(inside / "pipe", os.O_RDONLY | NONBLOCK)
    try:
        assert write(inside, f"{inside}/pipe", "x") is None
    finally:
        os.close(reader)


def test_what_is_no_text_changes_nothing(inside: Path) -> None:
    """A file is not emptied for content that cannot be written."""
    for content in ("\ud800", None, 1, ["x"]):
        assert write(inside, f"{inside}/file", content) is None
    assert (inside / "file").read_text() == "one\ntwo\n"


def test_a_file_without_end(inside: Path) -> None:
    """What is longer than 16 MB is not read into memory."""
    with open(inside / "long", "wb") as file:
        file.truncate(1 << 40)
    assert read(inside, f"{inside}/long") is None


def test_a_folder_that_becomes_a_link(inside: Path, tmp_path: Path) -> None:
    """The folder is the one that it was when the run began."""
    served = Workspace([str(inside)])
    inside.rename(tmp_path / "moved")
    inside.symlink_to("/etc")
    assert served.serve("fs/read_text_file", {"path": f"{inside}/passwd"}) is None
