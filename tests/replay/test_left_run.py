"""The files at the end, from the directory where they were recorded to the verdict of a replay."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from acp_trace.replay.drive import left_scan, workspace_files
from acp_trace.replay.drive.directories import directories
from acp_trace.replay.drive.early_names import names_below
from acp_trace.replay.drive.left_run import LeftRun
from acp_trace.replay.drive.left_scan import LeftScan
from acp_trace.replay.drive.replay_and_compare import replay_and_compare
from acp_trace.replay.drive.run import _fill
from acp_trace.replay.drive.snapshot import find
from acp_trace.replay.drive.snapshot_file import SnapshotFile
from acp_trace.replay.drive.take_snapshot import RecorderFiles
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.workspace_files import all_files_in, copied, listing_of, not_ignored
from acp_trace.replay.left_files import LeftBoth, LeftDirectory
from acp_trace.replay.settings import Settings, Snapshot
from acp_trace.trace.names import SNAPSHOT, is_unfinished, new_id, unfinished
from tests.posix import named_pipe
from tests.replay.facing import entries, recording
from tests.support import agent, request, result, trace

ID = "20261120T130501Z-7f3a9c"
_AFTER_NS = 10**9
#: Time between two frames, and one in the prompt, which is the third.
_STEP_NS, _AT_WORK_NS = 1000 * 10**9, 3500 * 10**9
_SESSION = (
    ("client", request(1, "session/new", cwd="/w")),
    ("agent", result(1, sessionId="s")),
    ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
    ("agent", result(2, stopReason="end_turn")),
)
#: Writes its second argument into out.txt, if there is one, and says nothing of it.
_WRITES = agent(
    "import json\n"
    "for line in lines:\n"
    "    asked = json.loads(line)\n"
    "    if asked['method'] == 'session/prompt':\n"
    "        for name, text in zip(sys.argv[1::2], sys.argv[2::2]):\n"
    "            open(name, 'w').write(text)\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'],\n"
    "          'result': {'sessionId': 's', 'stopReason': 'end_turn'}}), flush=True)\n"
)


@pytest.fixture
def stop() -> Iterator[Stop]:
    with closing(Stop()) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is no repository, whoever's it lies in."""
    monkeypatch.setenv("PATH", "/nowhere")
    made = tmp_path / "project"
    made.mkdir()
    (made / "mine.txt").write_text("mine")
    (made / "old.txt").write_text("old")
    return made


def change(path: Path, text: str) -> None:
    """Writes a file, with another time than it has."""
    before = path.stat().st_ctime_ns if path.exists() else 0
    path.write_text(text)
    while path.stat().st_ctime_ns == before:
        path.write_text(text)


def kept(
    project: Path, work: dict[str, str | None], limit: int = 10**6, *, is_waited: bool = True
) -> Snapshot:
    """A snapshot of a directory in which an agent then did this: texts, or None for a file that it deletes."""
    target = project.parent / f"x{SNAPSHOT}"
    with closing(SnapshotFile(target, ID, limit)) as made:
        made.add(str(project), time.time_ns() + _AFTER_NS)
        for name, text in work.items():
            if text is None:
                (project / name).unlink()
            else:
                change(project / name, text)
        made.end(time.time_ns() - _AT_WORK_NS, lambda _: False, lambda: is_waited)
    found = find(project.parent / "x.jsonl", ID)
    assert found is not None
    return found


def test_a_replay_says_what_the_agent_did_not_write(project: Path) -> None:
    """A file that is missing, has another text, or is new, though not a word was said of it."""
    settings = Settings(match="content", snapshot=kept(project, {"out.txt": "hello", ".cache": "x"}))
    recorded = entries(trace(*_SESSION, id=ID, step=_STEP_NS))
    for words, told in (
        (("out.txt", "hello", "run.log", "x", "mine.txt", "mine"), []),
        ((), ["file-missing: out.txt is missing at the end"]),
        (("out.txt", "goodbye"), ["file-differs: out.txt has different content at the end"]),
        (("else.txt", "hello"), ["file-missing: out.txt is missing at the end: its content is in else.txt"]),
    ):
        verdict = replay_and_compare(recorded, [*_WRITES, *words], settings).verdict
        failing = verdict.comparison.failing
        assert [f"{each.code}: {each.message}" for each in failing] == told
        assert verdict.passed == (not told)


def test_a_replay_says_that_too_much_was_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files at the end are not compared then: a run that passes says so."""
    settings = Settings(match="content", snapshot=kept(project, {"out.txt": "hello"}))
    monkeypatch.setattr(left_scan, "MOST_FILES", 2)
    recorded = entries(trace(*_SESSION, id=ID, step=_STEP_NS))
    words = ["out.txt", "goodbye", "a.txt", "a", "b.txt", "b"]
    done = replay_and_compare(recorded, [*_WRITES, *words], settings)
    (note,) = [each for each in done.played.incidents if each.code == "files-not-compared"]
    assert "more than 1,000 files" in note.message
    assert done.verdict.passed


def compared(
    snapshot: Snapshot,
    stop: Stop,
    work: dict[str, str | None],
    *,
    id_: str = ID,
    cwds: tuple[str, ...] = ("/w",),
) -> LeftBoth | None:
    """What is compared after a run in which this was done in its directory."""
    opened = [("client", request(number, "session/new", cwd=cwd)) for number, cwd in enumerate(cwds)]
    of, settings = recording(trace(*opened, id=id_)), Settings(snapshot=snapshot)
    with directories(of.directories, fill=_fill(of, settings, stop), stop=stop) as own:
        run = LeftRun(of, settings, own, stop)
        for name, text in work.items():
            path = Path(own[cwds[0]], name)
            path.parent.mkdir(exist_ok=True)
            if text is None:
                path.unlink()
            else:
                change(path, text)
        return run.left(0)


def test_only_what_was_changed_is_compared(project: Path, stop: Stop) -> None:
    """A file that is written again with its content was not; of one that was, both texts are known."""
    snapshot = kept(project, {"mine.txt": "changed", "new.txt": "new", "old.txt": None})
    both = compared(snapshot, stop, {"mine.txt": "other", "in/x.txt": "x", "old.txt": "old"})
    assert both is not None
    expected, actual = both.expected.directories[0], both.actual.directories[0]
    assert {name: file.text for name, file in expected.files.items()} == {
        "mine.txt": "changed",
        "new.txt": "new",
    }
    assert expected.deleted == {"old.txt"}
    assert {name: file.text for name, file in actual.files.items()} == {
        "mine.txt": "other",
        "in/x.txt": "x",
        "old.txt": "old",
    }
    assert (actual.deleted, actual.before["mine.txt"].text) == (frozenset(), "mine")
    again = compared(kept(project, {"mine.txt": "changed"}), stop, {"mine.txt": "changed", "new.txt": None})
    assert again is not None
    assert (again.expected.directories[0].files, again.actual.directories[0].files) == ({}, {})
    assert again.actual.directories[0].deleted == {"new.txt"}


def test_when_a_recording_has_no_end(project: Path, stop: Stop) -> None:
    """Of a recorder that did not wait; of another trace; of one that is older than this; and an invalid one."""
    assert kept(project, {"out.txt": "x"}, is_waited=False).end is None
    snapshot = kept(project, {"out.txt": "y"})
    assert snapshot.end is not None
    assert compared(snapshot, stop, {}) is not None
    assert compared(snapshot, stop, {}, id_="20261120T130501Z-000000") is None, (
        "the run that became the recording"
    )
    assert compared(replace(snapshot, end=None), stop, {}) is None
    stop.set()
    of = recording(trace(*_SESSION, id=ID))
    assert LeftRun(of, Settings(snapshot=snapshot), {"/w": str(project)}, stop).left(0) is None


def about(path: Path, end: object) -> Snapshot:
    """A snapshot with a list that anyone may have written."""
    said = {"acp_trace_workspace": 2, "trace": ID, "directories": ["/w"], "end": end}
    with tarfile.open(
        path, "w:gz", format=tarfile.PAX_FORMAT, pax_headers={"comment": json.dumps(said)}
    ) as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    found = find(path.parent / "x.jsonl", ID)
    assert found is not None
    return found


def test_a_list_from_anyone_opens_nothing(tmp_path: Path, stop: Stop) -> None:
    """An invalid one is not used, and a replay says so; a name is only looked for among the run's."""
    path = tmp_path / f"x{SNAPSHOT}"
    one = {"name": "../../etc/passwd", "size": 1, "sha256": "0" * 64, "text": True}
    end = [{"directory": 0, "listing": "all", "files": [one], "deleted": [], "unknown": []}]
    snapshot = about(path, end)
    assert (snapshot.end, snapshot.is_end_valid) == (None, False)
    played = replay_and_compare(
        entries(trace(*_SESSION, id=ID)), [sys.executable, "-c", "pass"], Settings(snapshot=snapshot)
    ).played
    assert [each.message for each in played.incidents if each.code == "files-missing"] == [
        "the recording's workspace snapshot has an unusable list of the files at the end"
    ]
    end[0]["files"] = [{**one, "name": "etc/passwd"}]
    end += [{**end[0], "directory": 900}]
    valid = about(path, end)
    assert valid.is_end_valid
    both = compared(valid, stop, {"etc": "no directory"})
    assert both is not None
    assert list(both.expected.directories) == [0]
    assert list(both.actual.directories[0].files) == ["etc"]


def test_a_directory_in_another_one(project: Path, stop: Stop) -> None:
    """Which was opened before it has a place of its own in a run: the outer one does not have its files."""
    (project / "in").mkdir()
    target = project.parent / f"x{SNAPSHOT}"
    link = project.parent / "link"
    link.symlink_to(project)
    for directory, numbers in ((project, {0, 1}), (link, {0})):
        with closing(SnapshotFile(target, ID, 10**6)) as made:
            for each in (project / "in", directory):
                made.add(str(each), time.time_ns() + _AFTER_NS)
            change(project / "in" / "x.txt", str(directory))
            made.end(0, lambda _: False, lambda: True)
        found = find(project.parent / "x.jsonl", ID)
        assert found is not None
        assert set(found.end or {}) == (numbers if directory == project else set()), (
            "two names of one directory"
        )
        if directory == project:
            both = compared(found, stop, {}, cwds=("/w/in", "/w"))
            assert both is not None
            assert [list(each.files) for each in both.expected.directories.values()] == [["x.txt"], []]


def test_what_is_acp_traces_own_is_nobodys_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace that is recorded into the directory, older ones, snapshots, and the home directory."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path / "home"))
    for name, content in (
        ("t.jsonl", '{"acp_trace":1}'), ("mine.jsonl", '{"x":1}'), ("c.capture", "\x89ACPTRC"), ("a.txt", "a"),
    ):  # fmt: skip
        (tmp_path / name).write_text(content)
    named_pipe(tmp_path / "pipe")
    (tmp_path / "link.jsonl").symlink_to("pipe")
    own = RecorderFiles(str(tmp_path / "now"))
    names = [
        "t.jsonl",
        "mine.jsonl",
        "a.txt",
        "now",
        f"x{SNAPSHOT}",
        "home/x",
        "homes",
        "link.jsonl",
        "gone.jsonl",
    ]
    assert [name for name in names if own.has(str(tmp_path / name))] == [
        "t.jsonl",
        "now",
        f"x{SNAPSHOT}",
        "home/x",
    ]


def test_a_recorders_unfinished_file_is_nobodys_work(project: Path) -> None:
    """It is there for a moment while a trace gets its name: another file with such an end is the agent's."""
    before = {file.name for file in all_files_in(str(project))}
    for name in (
        Path(unfinished(str(project / "t.jsonl"), new_id())).name,
        ".mine.new",
        ".20261120T130501Z-7f3a9c",
    ):
        (project / name).write_text("x")
    (project / "sub").mkdir()
    (project / "sub" / Path(unfinished("t.jsonl", new_id())).name).write_text("x")
    assert {file.name for file in all_files_in(str(project))} - before == {
        ".mine.new",
        ".20261120T130501Z-7f3a9c",
    }


def test_a_snapshot_is_unfinished_in_the_same_form(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So another recorder, whose session is in the same directory, does not list it either."""
    names: list[str] = []
    monkeypatch.setattr(os, "replace", lambda hidden, _: names.append(os.path.basename(hidden)))
    with closing(SnapshotFile(project / "t.workspace.tar.gz", new_id(), 1000)) as made:
        made.add(str(project), 0)
    assert [is_unfinished(name) for name in names] == [True]


def test_a_scan_has_limits(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of bytes that are read and of files; links and files that are larger are not read, and nothing is guessed."""
    (project / "link").symlink_to("/etc/passwd")
    (project / "large").write_text("x" * 50)
    (project / "sub").mkdir()
    files = [*all_files_in(str(project))]
    left = LeftScan(20).directory(str(project), files, {"was": 1}, unknown={"old.txt"})
    assert left is not None
    assert ([*left.files], [*left.deleted], sorted(left.unknown)) == (
        ["mine.txt"],
        ["was"],
        ["large", "old.txt"],
    )
    monkeypatch.setattr(left_scan, "MOST_FILES", 3)
    assert LeftScan(20).directory(str(project), files, {}) is None
    assert LeftScan(20).directory(str(project), [], dict.fromkeys("abcd", 1)) is None
    assert LeftScan(20).directory(str(project / "gone"), [], {"a": 1}) is None
    assert LeftScan(20).directory(str(project), files[:1], {}, goes_on=lambda: False) is None


def test_early_names_tell_what_is_new(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was made before the snapshot was taken: it is new if it was not there when the recorder started."""
    names = names_below(str(project))
    assert sorted(names or ()) == ["mine.txt", "old.txt"]
    (project / "in").mkdir()
    (project / "in" / "new.txt").write_text("new")
    target = project.parent / f"x{SNAPSHOT}"
    with closing(SnapshotFile(target, ID, 10**6)) as made:
        made.add(str(project), 0, names=names)
        made.end(0, lambda _: False, lambda: True)
    found = find(project.parent / "x.jsonl", ID)
    assert found is not None
    assert found.end is not None
    assert [*found.end[0].files] == ["in/new.txt"]
    assert sorted(found.end[0].unknown) == ["mine.txt", "old.txt"]
    monkeypatch.setattr("acp_trace.replay.drive.early_names._MOST", 1)
    assert names_below(str(project)) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_what_git_ignored_is_not_new(tmp_path: Path, stop: Stop) -> None:
    """A run's directory is no repository, and what its lists ignore is ignored all the same."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    for name, text in (("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n")):
        (project / ".git" / name).write_text(text)
    for name in ("objects", "refs"):
        (project / ".git" / name).mkdir()
    (project / ".gitignore").write_text("*.out\n")
    assert listing_of(str(project)) == "git"
    snapshot = kept(project, {"a.txt": "a", "x.out": "x"})
    assert snapshot.end is not None
    assert set(snapshot.end[0].files) == {"a.txt"}
    both = compared(snapshot, stop, {"a.txt": "a", "y.out": "y", "b.txt": "b"})
    assert both is not None
    assert set(both.actual.directories[0].files) == {"a.txt", "b.txt"}
    (project / "in").mkdir()
    assert listing_of(str(project / "in")) == "git-above"


def test_files_that_were_left_out_are_unknown_only_if_they_were_changed(project: Path) -> None:
    """A project may have thousands of them."""
    for number in range(5):
        (project / f"large{number}").write_text("x" * 200)
    snapshot = kept(project, {"large0": "changed", "large1": None}, limit=100)
    assert snapshot.left_out == 5
    assert snapshot.end is not None
    assert (sorted(snapshot.end[0].unknown), [*snapshot.end[0].files]) == (["large0", "large1"], [])


def test_an_empty_directory_is_kept_too(tmp_path: Path, stop: Stop) -> None:
    """What an agent makes there is new, and if it made nothing, nothing may be there."""
    project = tmp_path / "project"
    project.mkdir()
    both = compared(kept(project, {}), stop, {"a.txt": "a"})
    assert both is not None
    assert (both.expected.directories[0].files, set(both.actual.directories[0].files)) == ({}, {"a.txt"})


@pytest.mark.parametrize("link", [".", "in"])
def test_nothing_behind_a_link_is_read(project: Path, stop: Stop, link: str) -> None:
    """An agent may put a link to the user's files in the place of the directory, or of one in it."""
    (project / "in").mkdir()
    snapshot = kept(project, {"in/out.txt": "hello"})
    users = project.parent / "users"
    (users / "in").mkdir(parents=True)
    for each in (users, users / "in"):
        (each / "out.txt").write_text("secret")
    of, settings = recording(trace(*_SESSION, id=ID)), Settings(snapshot=snapshot)
    with directories(of.directories, fill=_fill(of, settings, stop), stop=stop) as own:
        run = LeftRun(of, settings, own, stop)
        swapped = Path(os.path.normpath(f"{own['/w']}/{link}"))
        shutil.rmtree(swapped, ignore_errors=True)
        swapped.symlink_to(users / link)
        both = run.left(1)
        swapped.unlink()
    assert "secret" not in repr(both)
    assert both is None or "in/out.txt" not in both.actual.directories[0].files


def test_an_agent_that_removes_its_directory(project: Path, stop: Stop) -> None:
    """All that was in it is gone then."""
    snapshot = kept(project, {"out.txt": "hello"})
    of, settings = recording(trace(*_SESSION, id=ID)), Settings(snapshot=snapshot)
    with directories(of.directories, fill=_fill(of, settings, stop), stop=stop) as own:
        run = LeftRun(of, settings, own, stop)
        shutil.rmtree(own["/w"])
        both = run.left(0)
    assert both is not None
    assert both.actual.directories[0] == LeftDirectory(deleted=frozenset({"mine.txt", "old.txt"}))
    assert set(both.expected.directories[0].files) == {"out.txt"}


def test_a_copy_is_of_what_was_looked_at(project: Path) -> None:
    """A directory on the way may become a link after its files were listed."""
    root = os.path.realpath(project)
    (project / "in").mkdir()
    (project / "in" / "out.txt").write_text("mine")
    assert copied(root, "in/out.txt", 100) is not None
    (project / "in").rename(project.parent / "users")
    (project / "in").symlink_to(project.parent / "users")
    assert copied(root, "in/out.txt", 100) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_git_that_waits_for_a_pipe_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent may make one in the place of a file that git reads."""
    monkeypatch.setattr(workspace_files, "_GIT_S", 0.3)
    for name in ("project", "scratch"):
        (tmp_path / name).mkdir()
    named_pipe(tmp_path / "project" / ".gitignore")
    assert not_ignored(str(tmp_path / "project"), str(tmp_path / "scratch")) is None
