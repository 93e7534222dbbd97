"""What is opened is what was checked, whatever a program puts in its place meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_trace.trace import without_links
from tests.posix import named_pipe

_WRITTEN = os.O_WRONLY | os.O_CREAT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory, and a file in a directory in it."""
    made = Path(os.path.realpath(tmp_path))
    (made / "in").mkdir()
    (made / "in" / "file").write_text("text")
    return made


def test_no_link_is_on_the_way(root: Path) -> None:
    """Neither the file, nor any of the directories above it."""
    (root / "to-in").symlink_to("in")
    (root / "to-file").symlink_to("in/file")
    (root / "deep").mkdir()
    (root / "deep" / "up").symlink_to("..")
    for name in ("to-in/file", "to-file", "deep/up/in/file"):
        for how in (os.O_RDONLY, _WRITTEN):
            with pytest.raises(OSError, match=r"\[Errno"):
                without_links.plain_file(str(root / name), how)
    with pytest.raises(OSError, match=r"\[Errno"):
        without_links.plain_file(str(root / "to-in" / "new" / "file"), _WRITTEN, make=True)
    assert sorted(path.name for path in (root / "in").iterdir()) == ["file"]
    with open(without_links.plain_file(str(root / "in" / "file"), os.O_RDONLY)) as stream:
        assert stream.read() == "text"


def test_a_file_with_another_name_is_not_written(root: Path) -> None:
    """That name may be elsewhere: nobody can see where. It can be read."""
    os.link(root / "in" / "file", root / "same")
    with pytest.raises(OSError, match="another name"):
        without_links.plain_file(str(root / "same"), _WRITTEN)
    os.close(without_links.plain_file(str(root / "same"), os.O_RDONLY))
    assert (root / "in" / "file").read_text() == "text"


def test_nobody_waits_for_a_pipe(root: Path) -> None:
    """Whichever way it is opened."""
    named_pipe(root / "pipe")
    for how in (os.O_RDONLY, os.O_RDWR, _WRITTEN):
        with pytest.raises(OSError, match=r"\[Errno"):
            without_links.plain_file(str(root / "pipe"), how)


def test_directories_are_made_on_the_way(root: Path) -> None:
    """For what is to be written."""
    os.close(without_links.plain_file(str(root / "a" / "b" / "new"), _WRITTEN, make=True))
    assert (root / "a" / "b" / "new").read_text() == ""
