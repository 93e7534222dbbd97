"""A copy of a workspace: directories, files and links, and nothing that one could wait for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from acp_trace.replay.drive.directories import Stopped, copy, directories
from acp_trace.replay.drive.waits import Stop
from tests.posix import named_pipe, unix_socket


@pytest.fixture
def stop() -> Iterator[Stop]:
    with closing(Stop()) as made:
        yield made


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    (made / "deep" / "er").mkdir(parents=True)
    (made / "deep" / "file").write_text("text")
    (made / "deep" / "file").chmod(0o750)
    (made / "link").symlink_to("deep/file")
    (made / "dirlink").symlink_to("deep")
    (made / "nowhere").symlink_to("/no/such/file")
    return made


def _names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_what_is_copied(workspace: Path, tmp_path: Path, stop: Stop) -> None:
    """Files with their modes; links as links, also those that lead to a directory or nowhere."""
    target = tmp_path / "target"
    target.mkdir()
    (workspace / "deep" / "er").chmod(0o500)
    copy(workspace, target, leave_out=target, stop=stop)
    assert _names(target) == _names(workspace)
    assert (target / "deep" / "file").stat().st_mode & 0o777 == 0o750
    assert (target / "deep" / "er").stat().st_mode & 0o777 == 0o500
    assert os.readlink(target / "dirlink") == "deep"
    (target / "deep" / "er").chmod(0o700)
    (workspace / "deep" / "er").chmod(0o700)


def test_sockets_and_pipes_are_left_out(workspace: Path, tmp_path: Path, stop: Stop) -> None:
    """Nobody waits for their writers."""
    target = tmp_path / "target"
    target.mkdir()
    before = _names(workspace)
    named_pipe(workspace / "deep" / "pipe")
    with unix_socket() as listening:
        here = os.getcwd()
        os.chdir(workspace)  # the name of a socket must be short
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
        copy(workspace, target, leave_out=target, stop=stop)
    assert _names(target) == before


def test_a_workspace_around_the_copy(workspace: Path, monkeypatch: pytest.MonkeyPatch, stop: Stop) -> None:
    """The directory for temporary files itself: the copy is not copied."""
    monkeypatch.setattr("tempfile.tempdir", str(workspace))
    before = _names(workspace)
    with directories(["/w"], workspace=workspace, stop=stop) as lives:
        assert _names(Path(lives["/w"])) == before
    assert _names(workspace) == before


def test_a_directory_of_windows_in_another_one(stop: Stop) -> None:
    """It is inside, as it was; and the same directory in another form is the same one."""
    with directories([r"C:\w", r"c:\W\docs\in", "C:/w/", r"C:\work"], stop=stop) as lives:
        root = lives[r"C:\w"]
        assert lives[r"c:\W\docs\in"] == os.path.realpath(os.path.join(root, "docs", "in"))
        assert lives["C:/w/"] == os.path.realpath(root)
        assert os.path.dirname(lives[r"C:\work"]) == os.path.dirname(root)


def test_stopped_in_the_middle(workspace: Path, monkeypatch: pytest.MonkeyPatch, stop: Stop) -> None:
    """Nothing is left of it."""
    monkeypatch.setattr("tempfile.tempdir", str(workspace.parent))
    stop.set()
    before = _names(workspace.parent)
    with pytest.raises(Stopped), directories(["/w"], workspace=workspace, stop=stop):
        pass
    assert _names(workspace.parent) == before


def test_what_cannot_be_read(
    workspace: Path, tmp_path: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that names the file, not a list of them."""
    target = tmp_path / "target"
    target.mkdir()

    def refused(path: str, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("acp_trace.replay.drive.directories._copy_file", refused)
    with pytest.raises(OSError, match="Permission denied") as error:
        copy(workspace, target, leave_out=target, stop=stop)
    assert error.value.filename == str(workspace / "deep" / "file")


def test_a_large_file_is_stopped_in_the_middle(workspace: Path, tmp_path: Path) -> None:
    """Whoever presses Ctrl-C does not wait for the rest of it."""
    target = tmp_path / "target"
    target.mkdir()
    for path in (
        workspace / "deep" / "file",
        workspace / "link",
        workspace / "dirlink",
        workspace / "nowhere",
    ):
        path.unlink()
    with (workspace / "large").open("wb") as large:
        large.truncate(8 << 20)

    class Later(Stop):
        """Set at the third look: after the one before the file."""

        looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            return self.looks > 3

    with closing(Later()) as stop, pytest.raises(Stopped):
        copy(workspace, target, leave_out=target, stop=stop)
    assert stop.looks == 4
    assert (target / "large").stat().st_size < 8 << 20
