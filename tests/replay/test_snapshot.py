"""Workspace snapshots: what is kept, and what of a file comes out of it again."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive import snapshot, take_snapshot, workspace_files
from acp_trace.replay.drive.directories import Stopped, directories
from acp_trace.replay.drive.early_copies import EarlyCopies
from acp_trace.replay.drive.replay_and_compare import replay_and_compare
from acp_trace.replay.drive.run import _fill
from acp_trace.replay.drive.secret_files import is_likely_secret
from acp_trace.replay.drive.snapshot import Unpacked, find, unpack
from acp_trace.replay.drive.snapshot_file import SnapshotFile
from acp_trace.replay.drive.take_snapshot import opened_in
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.workspace_files import is_too_much
from acp_trace.replay.settings import Settings, Snapshot
from acp_trace.trace import inflate, lock
from acp_trace.trace.capture_layout import CLIENT, RECORDER, block, new_mark, preamble
from acp_trace.trace.names import snapshot_at_home, snapshot_beside
from acp_trace.trace.parse import Parser
from tests.posix import named_pipe
from tests.replay.facing import recording
from tests.support import request, result, trace

ID = "20261120T130501Z-7f3a9c"


@pytest.fixture
def stop() -> Iterator[Stop]:
    with closing(Stop()) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Files of all kinds, with a list of those that git ignores."""
    made = tmp_path / "project"
    (made / "in").mkdir(parents=True)
    (made / "in" / "a.txt").write_text("a")
    (made / "run.sh").write_text("echo")
    (made / "run.sh").chmod(0o755)
    (made / "large").write_bytes(b"x" * 5000)
    (made / "link").symlink_to("in/a.txt")
    (made / "out").symlink_to("/etc/passwd")
    (made / ".env").write_text("SECRET")
    (made / ".gitignore").write_text(".env\n")
    named_pipe(made / "pipe")
    return made


def take(project: Path, target: Path, limit: int = 1_000_000, *, secrets: bool = True) -> None:
    """A snapshot of one directory."""
    with closing(SnapshotFile(target, ID, limit, secrets=secrets)) as made:
        made.add(str(project), time.time_ns() + 1_000_000_000)


def kept(project: Path, stop: Stop, limit: int = 1_000_000) -> dict[str, str]:
    """What comes out of a snapshot: names, and texts or where links lead to."""
    target, again = project.parent / f"x{limit}.workspace.tar.gz", project.parent / f"again{limit}"
    again.mkdir()
    take(project, target, limit)
    assert target.stat().st_mode & 0o777 == 0o600
    unpack(target, again, stop)
    return {
        str(path.relative_to(again)): os.readlink(path) if path.is_symlink() else path.read_text()
        for path in again.rglob("*")
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_what_git_ignores_is_not_kept(project: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what is git's own; a file that git does not know yet is. So in a directory of a repository."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # a recorder that a hook of git started
    without = {name: text for name, text in os.environ.items() if name != "GIT_DIR"}
    subprocess.run(["git", "init", "-q"], cwd=project, check=True, env=without)
    subprocess.run(["git", "add", "in"], cwd=project, check=True, env=without)
    files = kept(project, stop)
    assert sorted(files) == [".gitignore", "in/a.txt", "large", "link", "run.sh"]
    assert files["link"] == "in/a.txt"
    assert (project.parent / "again1000000" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert kept(project / "in", stop, 999_999) == {"a.txt": "a"}


def test_without_git_all_is_kept(project: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for links that lead out, which are not made again."""
    monkeypatch.setenv("PATH", "/nowhere")
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text("x")
    assert sorted(kept(project, stop)) == [".env", ".gitignore", "in/a.txt", "large", "link", "run.sh"]
    monkeypatch.setattr(workspace_files, "_MOST", 2)
    assert len(kept(project, stop, 2_000_000)) <= 2


def test_the_smallest_files_are_kept(project: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the limit; how many are missing is said."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert "large" not in kept(project, stop, 1000)
    path = project.parent / "x1000.workspace.tar.gz"
    found = find(project.parent / "x1000.jsonl", ID)
    assert found is not None
    assert (found.path, found.left_out) == (path, 1)


def test_a_home_directory_is_not_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what is around it: there are keys in it."""
    monkeypatch.setenv("HOME", str(project / "in"))
    assert [is_too_much(str(each)) for each in ("/", project.parent, project, project / "in")] == [True] * 4
    assert not is_too_much(str(project / "in" / "x"))
    assert not is_too_much(str(project / "i"))


def test_where_a_snapshot_is(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Next to the file, else at home; and only that of this recording."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path / "home"))
    file = tmp_path / "a.jsonl"
    at_home = snapshot_at_home(str(tmp_path / "home"), ID)
    assert at_home is not None
    assert find(file, ID) is None
    take(project, Path(at_home), 10)
    assert (found := find(file, ID)) is not None
    assert found.path == Path(at_home)
    beside = Path(snapshot_beside(str(file)))
    take(project, beside, 10)
    assert (found := find(file, ID)) is not None
    assert found.path == beside
    assert find(file, "20261120T130501Z-000000") is None
    assert find(file, "") is None
    Path(at_home).unlink()
    beside.write_bytes(b"\x1f\x8bnothing")
    assert find(file, ID) is None


@pytest.mark.parametrize(
    "odd", ["", "..", "../../../../../etc/passwd-x", "a/b", "x" * 23 + "/", "\ud800" * 23, "é" * 23]
)
def test_an_id_of_a_file_is_no_name(odd: str) -> None:
    """It is any text."""
    assert snapshot_at_home("/h", odd) is None


def archive(path: Path, *members: tuple[str, Any]) -> Path:
    """A hostile one: names with their content, or with where a link leads to."""
    with tarfile.open(path, "w:gz") as made:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                member.size, member.mode = len(content), 0o7777
                made.addfile(member, io.BytesIO(content))
            else:
                member.type, member.linkname = tarfile.SYMTYPE, content
                made.addfile(member)
    return path


def test_nothing_is_unpacked_elsewhere(tmp_path: Path, stop: Stop) -> None:
    """Not by its name, nor through links, however they are piled up."""
    target = tmp_path / "a" / "b" / "target"
    target.mkdir(parents=True)
    path = archive(
        tmp_path / "x.tar.gz",
        ("../up", b"x"), ("/abs", b"x"), ("in/../../up", b"x"), ("", b"x"), ("ok/file", b"ok"), ("ok/file", b"twice"),
        ("up", "../"), ("abs", "/etc"), ("p/q/r", "../../z"), ("p/q/r/s/t", "../../../../w"), ("good", "ok/file"),
        ("dir", "ok"), ("dir/made", b"x"), ("good", "ok"),
    )  # fmt: skip
    unpack(path, target, stop)
    assert sorted(each.name for each in tmp_path.rglob("*")) == sorted(
        ["a", "b", "target", "x.tar.gz", "ok", "file", "good", "p", "q", "r", "dir", "made"]
    )
    assert (target / "ok" / "file").read_bytes() == b"ok"
    assert (target / "ok" / "file").stat().st_mode & 0o7000 == 0
    assert os.readlink(target / "good") == "ok/file"


def test_no_link_leads_out_through_other_links(tmp_path: Path, stop: Stop) -> None:
    """Each of these is inside as a name, in any order; the agent would read or write what they lead to."""
    target = tmp_path / "target"
    target.mkdir()
    path = archive(
        tmp_path / "x.tar.gz",
        ("first", "a/b/c/up/../../../x"), ("a/b/c/up", "../.."), ("out", "a/b/c/up/../../../etc/passwd"),
        ("out2", "./a/b/c/up/./../.."), ("a/b/c/file", b"x"), ("in", "a/b/c/up/b"), ("a/b/c/near", ".././../x//y/."),
    )  # fmt: skip
    said = unpack(path, target, stop).left_out
    assert said == "3 outside of the directory (first, out, out2)"
    assert os.path.realpath(target / "in") == str(target / "a" / "b")
    assert os.path.realpath(target / "a" / "b" / "c" / "near") == str(target / "a" / "x" / "y")


def test_no_link_is_made_through_another(tmp_path: Path, stop: Stop) -> None:
    """It would stand somewhere else than its name says, and lead from there."""
    target = tmp_path / "target"
    target.mkdir()
    path = archive(tmp_path / "x.tar.gz", ("in/a/file", b"x"), ("d", "in/a"), ("d/up", "../file"))
    assert unpack(path, target, stop).left_out == "1 outside of the directory (d/up)"
    assert os.listdir(target / "in" / "a") == ["file"]


def test_directories_count(tmp_path: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short name can make a hundred of them, and each takes a block of a disk."""
    target = tmp_path / "target"
    target.mkdir()
    monkeypatch.setattr(snapshot, "_MOST", 20)
    names = [(f"{number}/" + "d/" * 8 + "x", b"") for number in range(5)]
    said = unpack(archive(tmp_path / "x.tar.gz", *names, ("y/link", "z")), target, stop).left_out
    assert said == "1 with everything after it, because the total is too large"
    assert sum(each.is_dir() for each in target.rglob("*")) == 18


def test_thousands_of_links_in_a_row(tmp_path: Path, stop: Stop) -> None:
    """None is followed, so they take no time, and no error comes of them."""
    target = tmp_path / "target"
    target.mkdir()
    links = [(f"l{number}", f"l{number + 1}") for number in range(1200)]
    unpack(archive(tmp_path / "x.tar.gz", *links, ("l0/x/y", "good"), ("good", b"x")), target, stop)
    assert (target / "good").read_bytes() == b"x"


def test_what_is_too_much_is_left_out(tmp_path: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file alone, if what is behind it has room; all that is behind too many members, or too much to read."""
    path = archive(tmp_path / "x.tar.gz", ("a", b"12345"), ("b", b"1" * 100), ("c", b"1"))
    monkeypatch.setattr(snapshot, "_RATIO", 0)
    monkeypatch.setattr(inflate, "PIECE", 512)
    for number, (limits, names, why) in enumerate(
        [
            ({"_LEAST": 6}, ["a", "c"], "1 too large (b)"),
            ({"_LARGEST": 5}, ["a"], "2 too large (b, c)"),
            ({"_MOST": 1}, ["a"], "1 with everything after it, because the total is too large"),
            (
                {"_BESIDE": 1024, "_LEAST": 500},
                ["a"],
                "1 with everything after it, because the total is too large",
            ),
        ]
    ):
        target = tmp_path / str(number)
        target.mkdir()
        with monkeypatch.context() as patch:
            for name, most in limits.items():
                patch.setattr(snapshot, name, most)
            assert unpack(path, target, stop).left_out == why
        assert sorted(os.listdir(target)) == names


def test_the_limit_is_for_all_directories_of_a_run(
    tmp_path: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recording can open as many as it likes."""
    path = archive(tmp_path / "x.tar.gz", ("0/a", b"12345"), ("1/b", b"12345"))
    monkeypatch.setattr(snapshot, "_RATIO", 0)
    monkeypatch.setattr(snapshot, "_LEAST", 9)
    unpacked = Unpacked()
    for number in (0, 1):
        unpack(path, tmp_path, stop, f"{number}/", unpacked)
    assert (unpacked.size, unpacked.left_out) == (5, "1 too large (b)")


def test_a_run_of_many_directories_reads_a_bomb_a_few_times(
    tmp_path: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each directory has its pass through the file, and all of them have a limit together."""
    path = archive(tmp_path / "x.tar.gz", ("0/big", bytes(1 << 20)), ("9/b", b"12345"))
    for name, limit in (("_RATIO", 0), ("_LEAST", 1000), ("_BESIDE", 3 << 20), ("_PASSES", 2)):
        monkeypatch.setattr(snapshot, name, limit)
    unpacked, reads = Unpacked(), list[int]()
    for number in range(5):
        unpack(path, tmp_path, stop, f"{number}/", unpacked)
        reads.append(unpacked.read)
    assert reads[0] > 1 << 20
    assert reads[0] < reads[3] == reads[4] < 6 << 20
    assert unpacked.left_out.endswith("because the total is too large")


def test_a_bomb_is_read_in_pieces(tmp_path: Path, stop: Stop) -> None:
    """A file of a gigabyte of nothing is passed over, and what is behind it is unpacked; a header is never long."""
    path, target = tmp_path / "x.tar.gz", tmp_path / "target"
    target.mkdir()
    nothing = gzip.compress(bytes(1 << 20), 1)

    def member(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
        info = tarfile.TarInfo(name)
        info.size, info.type = size, kind
        return gzip.compress(info.tobuf(tarfile.USTAR_FORMAT))

    small = gzip.compress(b"ok".ljust(512, b"\0"))
    end = gzip.compress(bytes(1024))
    path.write_bytes(member("big", 200 << 20) + nothing * 200 + member("ok", 2) + small + end)
    tracemalloc.start()
    try:
        assert unpack(path, target, stop).left_out == "1 too large (big)"
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert os.listdir(target) == ["ok"]
    path.write_bytes(member("x", 200 << 20, tarfile.XHDTYPE) + nothing * 10)
    with pytest.raises(OSError, match="a header is too long"):
        unpack(path, target, stop)
    assert find(tmp_path / "x.jsonl", ID) is None


def test_names_and_kinds_that_cannot_be_unpacked(tmp_path: Path, stop: Stop) -> None:
    """They are left out and counted, and the rest is unpacked. What is git's own no recorder keeps."""
    path, target = tmp_path / "x.tar.gz", tmp_path / "target"
    target.mkdir()
    names = (
        "x" * 300,
        "ok.txt",
        "ok.txt/x",
        "ok.txt",
        "/".join("d" * 101),
        ".git/config",
        "in/.GIT",
        "ok.txt/y/z",
    )
    archive(
        path, *((name, b"x") for name in names), ("l" * 300, "ok.txt"), ("link", "x" * 5000), ("good", b"x")
    )
    said = unpack(path, target, stop).left_out
    assert said == f"9 with an unusable name ({'x' * 60}…, ok.txt/x, ok.txt)"
    assert sorted(os.listdir(target)) == ["good", "ok.txt"]
    with tarfile.open(path, "w:gz") as made:
        for kind in (tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            member = tarfile.TarInfo(f"k{kind.decode()}")
            member.type, member.linkname = kind, "good"
            made.addfile(member)
        sparse = tarfile.TarInfo("sparse")
        sparse.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 60)}
        sparse.size = 1
        made.addfile(sparse, io.BytesIO(b"x"))
    assert unpack(path, target, stop).left_out == "5 that are not plain files (k1, k3, k4)"
    assert sorted(os.listdir(target)) == ["good", "ok.txt"]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    """In the run's report, as a note."""
    path = archive(tmp_path / "x.tar.gz", ("x" * 300, b"x"), ("a", b"x"))
    session = ("client", request(1, "session/new", cwd="/w")), ("agent", result(1, sessionId="s"))
    settings = Settings(snapshot=Snapshot(path, 0))
    entries = list(Parser().feed(trace(*session)))
    made = replay_and_compare(entries, [sys.executable, "-c", "pass"], settings)
    (note,) = (each.message for each in made.played.incidents if each.code == "files-missing")
    assert note.startswith("the recording's workspace snapshot has members that were not unpacked: 1 with an")


@pytest.mark.parametrize("size", ["1", "-1024", "513", "100", "-3"])
def test_a_wrong_size_does_not_end_an_archive_in_silence(tmp_path: Path, stop: Stop, size: str) -> None:
    """A header of pax may say any size: then what follows is no member. That is counted, or it is an error."""
    path = tmp_path / "x.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as made:
        for name, headers in (("first", {}), ("wrong", {"size": size}), ("behind", {})):
            member = tarfile.TarInfo(name)
            member.size, member.pax_headers = 1500, headers
            made.addfile(member, io.BytesIO(b"x" * 1500))
    (tmp_path / "there").mkdir()
    try:
        left_out = snapshot.unpack(path, tmp_path / "there", stop).left_out
    except OSError as error:
        left_out = str(error)
    assert "damaged" in left_out or "is not a workspace snapshot" in left_out
    assert (tmp_path / "there/first").read_text() == "x" * 1500


def test_what_is_broken(tmp_path: Path, stop: Stop) -> None:
    """One line, with the file's name."""
    path, target = archive(tmp_path / "x.tar.gz", ("a", os.urandom(5000))), tmp_path / "target"
    target.mkdir()
    for content in (path.read_bytes()[:2500], path.read_bytes()[:100], b"nothing", b"\x1f\x8bnothing"):
        path.write_bytes(content)
        with pytest.raises(OSError, match="not a workspace snapshot") as error:
            unpack(path, target, stop)
        assert error.value.filename == str(path)
    stop.set()
    with pytest.raises(Stopped):
        unpack(archive(path, ("c", b"1")), target, stop)


def test_the_first_session_says_where() -> None:
    """Whoever opens it, by any method."""
    opens = request(1, "session/load", cwd="/w", sessionId="s")
    frames = [request(0, "initialize"), request(1, "session/new", cwd=3), opens, {"cwd": "/w"}]
    lines = [json.dumps(frame).encode() for frame in frames]
    assert list(opened_in(enumerate([b"cwd", *lines]))) == [("/w", 3)]


def test_each_session_has_its_directory(project: Path, stop: Stop) -> None:
    """One in another one is kept with it, one that was kept is not kept again, and the limit is for all of them."""
    other, target = project.parent / "other", project.parent / "x.workspace.tar.gz"
    other.mkdir()
    (other / "b.txt").write_text("b" * 50)
    now = time.time_ns() + 1_000_000_000
    with closing(SnapshotFile(target, ID, 200, secrets=True)) as made:
        made.add("/no/such/directory", now)
        for directory in (project, project / "in", project, other):
            made.add(str(directory), now)
    found = find(project.parent / "x.jsonl", ID)
    assert found is not None
    assert (found.left_out, found.is_of_several) == (1, True)
    for number, names in {
        1: [".env", ".gitignore", "in/a.txt", "link", "run.sh"],
        2: [],
        3: ["b.txt"],
    }.items():
        again = project.parent / f"again{number}"
        again.mkdir()
        unpack(target, again, stop, f"{number}/")
        files = [path for path in again.rglob("*") if path.is_file() or path.is_symlink()]
        assert sorted(str(path.relative_to(again)) for path in files) == names


def test_a_run_has_the_files_of_each_directory(project: Path, stop: Stop) -> None:
    """By their numbers: a run that became the recording has other names. With one of an older format: the first."""
    other, target = project.parent / "other", project.parent / "x.workspace.tar.gz"
    other.mkdir()
    (other / "b.txt").write_text("b")
    of = recording(
        trace(
            ("client", request(1, "session/new", cwd="/a")), ("client", request(2, "session/new", cwd="/b"))
        )
    )
    for several in (True, False):
        with closing(SnapshotFile(target, ID, 10**6)) as made:
            for directory in (project, other)[: 1 + several]:
                made.add(str(directory), time.time_ns() + 1_000_000_000)
        settings = Settings(snapshot=find(project.parent / "x.jsonl", ID))
        with directories(of.directories, fill=_fill(of, settings, stop), stop=stop) as actual:
            assert Path(actual["/a"], "in", "a.txt").read_text() == "a"
            assert os.listdir(actual["/b"]) == ["b.txt"] * several


def test_what_was_changed_since_is_left_out(project: Path, stop: Stop) -> None:
    """Whatever the time says that it was written at: an agent may copy a file with it."""
    target = project.parent / "x.workspace.tar.gz"
    past = max(path.lstat().st_ctime_ns for path in project.rglob("*"))
    while (project / "run.sh").stat().st_ctime_ns < past + 20_000_000:
        os.utime(project / "run.sh", (1, 1))
    (project / "in" / "new.txt").write_text("new")
    os.utime(project / "large", (2**33, 2**33))
    with closing(SnapshotFile(target, ID, 10**6, secrets=True)) as made:
        made.add(str(project), (project / "run.sh").stat().st_ctime_ns + 1)
    found = find(project.parent / "x.jsonl", ID)
    assert found is not None
    assert {"run.sh", "in/new.txt", "large"} == set(found.changed)
    assert snapshot.changed(found).endswith(", changed before it was taken")
    assert snapshot.missing(found) == ""
    with tarfile.open(target) as archive:
        assert "in/a.txt" in archive.getnames()


@pytest.fixture
def early(project: Path) -> Iterator[EarlyCopies]:
    """Copies of the project."""
    with closing(EarlyCopies(str(project), 10**6, str(project.parent))) as made:
        assert not made.go_on(time.monotonic() + 60)
        yield made


def test_what_was_changed_since_is_kept_as_it_was(project: Path, early: EarlyCopies, stop: Stop) -> None:
    """If there is a copy from before: written, deleted, grown beyond the limit. What the agent made is not kept."""
    (project / "gone").mkdir()
    assert early.is_of(str(project.parent / "project"))
    assert not early.is_of(str(project / "in"))
    opened = (project / "gone").stat().st_ctime_ns + 20_000_000
    while (project / "run.sh").stat().st_ctime_ns < opened + 10_000_000:
        (project / "run.sh").write_bytes(b"x" * 100_000)
    shutil.rmtree(project / "in")
    (project / "link").unlink()
    (project / "new.txt").write_text("new")
    target, again = project.parent / "x.workspace.tar.gz", project.parent / "again"
    with closing(SnapshotFile(target, ID, 50_000)) as made:
        made.add(str(project), opened, early)
    again.mkdir()
    unpack(target, again, stop)
    assert (again / "run.sh").read_text() == "echo"
    assert (again / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (again / "in" / "a.txt").read_text() == "a"
    assert os.readlink(again / "link") == "in/a.txt"
    assert not (again / ".env").exists()
    found = find(project.parent / "x.jsonl", ID)
    assert found is not None
    assert found.changed == ("new.txt",)


def test_what_was_changed_before_is_not_taken_from_an_early_copy(
    project: Path, early: EarlyCopies, stop: Stop
) -> None:
    """The agent finds it as the user left it: written, or deleted."""
    (project / "run.sh").write_text("other")
    (project / "large").unlink()
    target, again = project.parent / "x.workspace.tar.gz", project.parent / "again"
    with closing(SnapshotFile(target, ID, 50_000)) as made:
        made.add(str(project), time.time_ns() + 1_000_000_000, early)
    again.mkdir()
    unpack(target, again, stop)
    assert (again / "run.sh").read_text() == "other"
    assert not (again / "large").exists()


def test_the_program_copies_before_a_session_is_opened(
    project: Path, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it was started; what the agent changes at once is kept as it was. Then the recorder ends."""
    trace, target, mark = project.parent / "t", project.parent / "t.workspace.tar.gz", new_mark()
    head = json.dumps({"acp_trace": 1, "id": ID, "started_at": "1970-01-01T00:00:00Z"}).encode()
    go_on = EarlyCopies.go_on

    with open(trace, "wb", buffering=0) as stream:
        lock.hold(stream.fileno())
        stream.write(preamble(mark) + block(mark, 0, RECORDER, head))

        def then_a_session(copies: EarlyCopies, until: float) -> bool:
            assert not go_on(copies, until + 60)
            opened = (project / "run.sh").stat().st_ctime_ns + 20_000_000
            while (project / "run.sh").stat().st_ctime_ns < opened:
                (project / "run.sh").write_text("of the agent")
            message = json.dumps(request(1, "session/new", cwd=str(project))).encode() + b"\n"
            stream.write(block(mark, opened, CLIENT, message))
            stream.close()
            return False

        monkeypatch.setattr(EarlyCopies, "go_on", then_a_session)
        monkeypatch.setattr(take_snapshot, "_NICE", 0)
        monkeypatch.setattr(take_snapshot, "_LOOK_S", 0)
        monkeypatch.chdir(project)
        take_snapshot.main(str(trace), str(target), ID, "1000000")
    again = project.parent / "again"
    again.mkdir()
    unpack(target, again, stop)
    assert (again / "run.sh").read_text() == "echo"


def test_early_copies_stop_at_the_limit(project: Path) -> None:
    """Nor is anything copied of a home directory."""
    with closing(EarlyCopies(str(project), 10, str(project.parent))) as made:
        assert made.go_on(time.monotonic() - 1)
        assert not made.go_on(time.monotonic() + 60)
        assert made.of("run.sh", 2**62) is not None
        assert made.of("large", 2**62) is None
        made.close()
        assert made.of("run.sh", 2**62) is None
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(EarlyCopies(str(project), 10, str(project.parent))) as made,
    ):
        patch.setenv("HOME", str(project))
        assert not made.go_on(time.monotonic() + 60)
        assert made.of("run.sh", 2**62) is None


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        (".env", True), (".env.local", True), ("in/.ENV", True), ("key.pem", True), ("a/id_ed25519", True),
        ("id_rsa.pub", True), ("id_map.py", False), (".npmrc", True), (".netrc", True), (".aws/config", True),
        ("in/.ssh/known", True), ("env.py", False), ("keys.md", False), ("credentials.ts", False), ("", False),
    ],
)  # fmt: skip
def test_files_that_may_hold_secrets(name: str, secret: bool) -> None:
    """By their names: nothing is read."""
    assert is_likely_secret(name) is secret


def test_secrets_are_left_out_unless_they_are_asked_for(project: Path) -> None:
    """Their names are said."""
    target = project.parent / "x.workspace.tar.gz"
    take(project, target, secrets=False)
    found = find(project.parent / "x.jsonl", ID)
    assert found is not None
    assert found.secrets == (".env",)
    assert snapshot.missing(found) == ".env, which may hold secrets: --workspace-snapshot-secrets"
    with tarfile.open(target) as archive:
        assert ".env" not in archive.getnames()
        assert "run.sh" in archive.getnames()
    take(project, target)
    with tarfile.open(target) as archive:
        assert ".env" in archive.getnames()
