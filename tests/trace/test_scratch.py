"""Directories for the time of one command, and those that somebody left behind."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acp_trace.system import files
from acp_trace.trace import lock
from acp_trace.trace import scratch as scratches
from acp_trace.trace.scratch import MARKER, naming_directory, scratch, sweep
from tests.deep import make_deep
from tests.posix import named_pipe
from tests.rights import IS_ROOT, as_nobody
from tests.support import KILLED, PYTHON


@pytest.fixture
def tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory for temporary files."""
    made = tmp_path / "tmp"
    made.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(made))
    return made


def left_behind(tmp: Path) -> Path:
    """What a process that was killed left, with something in it."""
    code = (
        "import os\n"
        "from acp_trace.trace.scratch import scratch\n"
        "with scratch() as folder:\n"
        "    (folder / 'a').mkdir()\n"
        "    (folder / 'a' / 'b').write_text('x')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([*PYTHON, "-c", code], env={**os.environ, "TMPDIR": str(tmp)}, check=False)
    assert done.returncode == KILLED
    (path,) = tmp.iterdir()
    return path


def test_it_is_gone_at_the_end(tmp: Path) -> None:
    """With all that is in it, also what is read-only; it is for its owner alone."""
    with scratch() as folder:
        assert folder.parent == tmp
        assert folder.stat().st_mode & 0o777 == 0o700
        deep = folder / "a" / "b"
        deep.mkdir(parents=True)
        (deep / "c").write_text("x")
        (folder / "link").symlink_to(tmp.parent)
        deep.chmod(0o500)
        deep.parent.chmod(0o000)
    assert list(tmp.iterdir()) == []
    assert tmp.parent.exists()


@pytest.mark.skipif(not IS_ROOT, reason="needs to become somebody else for a moment")
def test_read_only_directories_for_somebody_who_is_not_root(tmp: Path) -> None:
    """Root may remove everything; others have to make it writable first."""
    tmp.chmod(0o777)
    for path in tmp.parents:
        if path.stat().st_uid == 0 and "pytest" in str(path):
            path.chmod(0o755)
    with as_nobody():
        test_it_is_gone_at_the_end(tmp)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp: Path) -> None:
    """One that is in use stays."""
    left = left_behind(tmp)
    with scratch() as living:
        assert sorted(tmp.iterdir()) == [living]
        with scratch():
            assert living.exists()
    assert not left.exists()


def test_what_is_not_ours_stays(tmp: Path) -> None:
    """Without the marker, with another one, with another name, links, and what links lead to."""
    elsewhere = tmp.parent / "elsewhere"
    left_behind(tmp).rename(elsewhere)
    text = (elsewhere / MARKER).read_bytes()
    (tmp / "acp-trace-linked__").symlink_to(elsewhere)
    for name, marker in (
        ("acp-trace-without_", None),
        ("acp-trace-other___", b"x"),
        ("acp-trace-my-own-project", text),
    ):
        (tmp / name).mkdir()
        (tmp / name / "kept").write_text("x")
        if marker is not None:
            (tmp / name / MARKER).write_bytes(marker)
    linked = tmp / "acp-trace-marklink"
    linked.mkdir()
    (linked / MARKER).symlink_to(elsewhere / MARKER)
    pipe = tmp / "acp-trace-pipe____"
    pipe.mkdir()
    named_pipe(pipe / MARKER)
    (tmp / "acp-trace-file____").write_text("x")
    before = {path: path.lstat().st_ino for path in tmp.parent.rglob("*")}
    sweep()
    assert {path: path.lstat().st_ino for path in tmp.parent.rglob("*")} == before


def test_who_was_killed_while_making_one(tmp: Path) -> None:
    """What is left of that goes when nobody can be making it any more."""
    with_marker, empty = tmp / ".acp-trace-01234567", tmp / ".acp-trace-12345678"
    left_behind(tmp).rename(with_marker)
    empty.mkdir()
    sweep()
    assert sorted(tmp.iterdir()) == [with_marker, empty]
    for path in (with_marker, empty):
        os.utime(path, (0, 0))
    sweep()
    assert list(tmp.iterdir()) == []


def test_what_cannot_be_removed_yet(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps its marker: the next one tries again."""
    with monkeypatch.context() as patch, scratch() as folder:
        (folder / "a").mkdir()
        patch.setattr(scratches, "empty", lambda *_: None)
    assert sorted(path.name for path in folder.iterdir()) == ["a", MARKER]
    sweep()
    assert list(tmp.iterdir()) == []


def test_a_link_inside_of_one_that_was_left(tmp: Path) -> None:
    """Is removed; what it leads to stays."""
    left = left_behind(tmp)
    kept = tmp.parent / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    (left / "link").symlink_to(kept)
    (left / "a" / "link").symlink_to(kept)
    sweep()
    assert not left.exists()
    assert (kept / "file").exists()


def test_somebody_elses(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of another user nothing is removed, though the marker is free."""
    left = left_behind(tmp)
    other = files.user() + 1
    with monkeypatch.context() as patch:
        patch.setattr(files, "user", lambda: other)
        sweep()
    assert left.exists()


def test_many_at_once(tmp: Path) -> None:
    """Nobody removes what another one has just made, and all is gone in the end."""
    left_behind(tmp)

    def one(number: int) -> bool:
        with scratch() as folder:
            (folder / "a").mkdir()
            sweep()
            return (folder / "a").exists() and number >= 0

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(200)))
    assert list(tmp.iterdir()) == []


def test_processes_at_once(tmp: Path) -> None:
    """The same between processes."""
    code = (
        "from acp_trace.trace.scratch import scratch\n"
        "for _ in range(100):\n"
        "    with scratch() as folder:\n"
        "        (folder / 'a').mkdir()\n"
        "        assert (folder / 'a').exists()\n"
    )
    argv, environment = [sys.executable, "-EP", "-c", code], {**os.environ, "TMPDIR": str(tmp)}
    some = [subprocess.Popen(argv, env=environment) for _ in range(4)]
    assert [one.wait(60) for one in some] == [0, 0, 0, 0]
    assert list(tmp.iterdir()) == []


def test_without_locks(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It works, and is removed at the end; nobody takes one that was left for one that is over."""

    def no_locks(_: int) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(lock, "hold", no_locks)
    with scratch() as folder:
        (folder / "a").mkdir()
        sweep()
        assert (folder / "a").exists()
    assert list(tmp.iterdir()) == []


def test_a_child_does_not_keep_it(tmp: Path) -> None:
    """The lock is its process's own: an agent that outlives a killed replay does not hold on to it."""
    code = (
        "import os, subprocess, sys\n"
        "from acp_trace.trace.scratch import scratch\n"
        "with scratch() as folder:\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=0)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    process = subprocess.Popen(
        [*PYTHON, "-c", code], env={**os.environ, "TMPDIR": str(tmp)}, stdin=subprocess.PIPE
    )
    assert process.wait(30) == KILLED
    sweep()
    assert list(tmp.iterdir()) == []
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.parametrize("call", ["unlink", "rmdir", "rename"])
def test_who_is_killed_while_removing_one(tmp: Path, call: str) -> None:
    """Before any of the last calls: the next one finds what is left, and knows it."""
    code = (
        "import os\n"
        "from acp_trace.trace.scratch import scratch\n"
        "with scratch() as folder:\n"
        "    (folder / 'a').mkdir()\n"
        f"    plain = os.{call}\n"
        "    def last(path, *more, **where):\n"
        "        if str(path) != 'a': os.kill(os.getpid(), 9)\n"
        "        plain(path, *more, **where)\n"
        f"    os.{call} = last\n"
    )
    done = subprocess.run([*PYTHON, "-c", code], env={**os.environ, "TMPDIR": str(tmp)}, check=False)
    assert done.returncode == KILLED
    (left,) = tmp.iterdir()
    os.utime(left, (0, 0))
    sweep()
    assert list(tmp.iterdir()) == []


def test_an_error_names_the_directory(tmp: Path) -> None:
    """A full disk names no file; what does keeps it."""
    with pytest.raises(OSError, match="No space") as told, naming_directory():
        raise OSError(errno.ENOSPC, "No space left on device")
    assert told.value.filename == str(tmp)
    with pytest.raises(FileNotFoundError) as away, naming_directory():
        (tmp / "a").read_bytes()
    assert away.value.filename == str(tmp / "a")


def test_a_deep_tree_is_removed(tmp: Path) -> None:
    """Deeper than Python's stack, than descriptors of a process, and than the names that a system takes."""
    with scratch() as folder:
        make_deep(folder)
    assert list(tmp.iterdir()) == []


@pytest.mark.parametrize("is_link", [False, True], ids=["a directory", "a link"])
def test_what_was_put_in_its_place_stays(tmp: Path, is_link: bool) -> None:
    """An agent may move the directory away. It is emptied there; what is at its path is not ours."""
    users = tmp.parent / "users"
    users.mkdir()
    (users / "thesis").write_text("x")
    with scratch() as folder:
        (folder / "a").mkdir()
        folder.rename(tmp / "away")
        if is_link:
            folder.symlink_to(users)
        else:
            users.rename(folder)
    assert (folder / "thesis").read_text() == "x"
    assert [path.name for path in (tmp / "away").iterdir()] == [MARKER]
