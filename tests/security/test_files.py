"""Who can read what is written, and links in the places where it is written."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_trace.record import place
from acp_trace.record.descriptor import write_all
from acp_trace.store.connect import writing
from acp_trace.store.private import private_files
from acp_trace.store.sweep import sweep
from acp_trace.trace import spool
from acp_trace.trace.capture_layout import MAGIC
from acp_trace.trace.home import Home as Folder
from tests.commands import Commands
from tests.posix import named_pipe
from tests.support import REPOSITORY, Home, agent, frames_in, trace

SAMPLE = REPOSITORY / "sample_traces" / "opencode-cancel-acpx.jsonl"
#: An agent that says nothing and goes.
GONE = [sys.executable, "-IS", "-c", "pass"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def lax() -> Iterator[None]:
    """The mask under which whatever is not made private can be read, and written, by everybody."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def test_home_spool_and_trace_files(home: Home, tmp_path: Path) -> None:
    """Made for their owner only, whatever the mask is; so are the lines that --out becomes."""
    with lax():
        with home.start(agent("pass")) as recording:
            recording.finish()
        (path,) = home.spooled()
        assert [mode(one) for one in (home.path, home.spool, path)] == [0o700, 0o700, 0o600]
        home.run("ls")
        out = tmp_path / "out.jsonl"
        with home.start(agent("for line in lines: say(line)"), "--out", str(out)) as recording:
            recording.say(b"{}\n")
            assert recording.hear() == b"{}\n"
            assert out.read_bytes().startswith(MAGIC)
            assert mode(out) == 0o600
            recording.finish()
        assert out.read_bytes().startswith(b'{"acp_trace":1')
        assert mode(out) == 0o600
    assert mode(home.store) == 0o600


def test_files_of_the_store_in_a_folder_that_others_may_enter(home: Home) -> None:
    """Also the write-ahead log, which DuckDB makes by itself, and the store in the moment it is made."""
    with lax():
        home.path.mkdir(mode=0o755)
        with writing(home.store) as connection:
            connection.execute("BEGIN; CREATE TABLE x AS SELECT * FROM range(100000); COMMIT")
            made = {path.name: mode(path) for path in home.path.iterdir()}
        assert made == {"store.duckdb": 0o600, "store.duckdb.wal": 0o600}
        assert os.umask(0) == 0


def test_the_mask_is_put_back_by_the_last() -> None:
    """It is the process's, and two threads may write at once."""
    with lax():
        first, second = private_files(), private_files()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert os.umask(0o077) == 0o077
        second.__exit__(None, None, None)
        assert os.umask(0) == 0


def test_copies_of_traces(commands: Commands, tmp_path: Path) -> None:
    """`--out`, `--save`, and what a replay leaves for review or puts in a recording's place."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(SAMPLE.read_bytes())
    path.chmod(0o644)
    out, redacted, saved = tmp_path / "out.jsonl", tmp_path / "redacted.jsonl", tmp_path / "saved.jsonl"
    with lax():
        commands("export", path, "--out", out)
        commands("redact", path, "--out", redacted)
        commands("replay", path, "--save", saved, "--timeout", "0.1", "--", "/no/such/agent")
        assert [mode(one) for one in (out, redacted, saved)] == [0o600] * 3
        differs = "import sys\nfor _ in sys.stdin: print('{}', flush=True)"
        given = ["--match", "outcome", "--timeout", "0.1", "--", sys.executable, "-IS", "-c", differs]
        commands("replay", path, *given)
    live = sorted(commands.home.spool.iterdir())
    assert live
    assert {mode(one) for one in live} == {0o600}


def test_pending_runs(tmp_path: Path) -> None:
    """They hold what traces hold."""
    from acp_trace.cli import pending

    with lax():
        run = trace(replay_of="x")
        assert pending.leave(tmp_path / "a.jsonl", run)
        assert mode(tmp_path / "a.jsonl.new") == 0o600
        pending.accept(tmp_path / "a.jsonl", pending.digest(run))
    assert mode(tmp_path / "a.jsonl") == 0o600


# -- links


def test_links_in_the_spool_are_left_alone(home: Home, tmp_path: Path) -> None:
    """Neither read, nor loaded, nor removed, nor anything that they lead to; nor pipes and folders."""
    home.spool.mkdir(parents=True)
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(trace(("client", {"secret": 1}), id="secret"))
    (home.spool / "link.jsonl").symlink_to(secret)
    (home.spool / "dangling.jsonl").symlink_to(tmp_path / "nothing")
    (home.spool / "folder.jsonl").mkdir()
    named_pipe(home.spool / "pipe.jsonl")
    (home.spool / ".old.new").symlink_to(secret)
    (home.spool / ".gone.new").symlink_to(tmp_path / "nothing")
    os.utime(secret, (0, 0))
    (home.spool / ".older.new").write_bytes(b"")
    os.utime(home.spool / ".older.new", (0, 0))
    before = {path.name for path in home.spool.iterdir()}
    found = sweep(Folder(home.path))
    assert (found.loaded, found.failed) == ([], [])
    assert spool.spooled(home.spool) == []
    assert {path.name for path in home.spool.iterdir()} == before - {".older.new"}
    assert secret.exists()


def test_links_where_a_file_is_to_be_written(commands: Commands, tmp_path: Path) -> None:
    """A link in the place of a file is in the way; what it leads to stays as it is, and so does the link."""
    path, target = tmp_path / "a.jsonl", tmp_path / "target"
    path.write_bytes(SAMPLE.read_bytes())
    target.write_text("mine")
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "nothing")
    for file in (link, dangling):
        for words in (
            ["export", path, "--out", file],
            ["redact", path, "--out", file],
            ["check", path, "--junit", file],
            ["check", path, "--sarif", file],
            ["diff", path, path, "--junit", file],
            ["replay", path, "--junit", file, "--", "/no/such/agent"],
            ["replay", path, "--save", file, "--", "/no/such/agent"],
            ["mock", path, "--save", file],
        ):
            said = commands(*map(str, words))
            assert said.code == 2, words
            assert "is a link: name the file itself" in " ".join(said.err.split()), said
    (tmp_path / "a.jsonl.new").symlink_to(target)
    commands("replay", path, "--timeout", "0.1", "--", *GONE)
    assert (link.readlink(), dangling.readlink()) == (target, tmp_path / "nothing")
    assert target.read_text() == "mine"
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("dangling", [False, True])
def test_links_in_the_place_of_a_recording(tmp_path: Path, dangling: bool) -> None:
    """One that comes when the recording has begun is kept under a number, the link itself.

    (One that is there before is refused: tests/record/test_place.py.)
    """
    target, out = tmp_path / "target.jsonl", tmp_path / "out.jsonl"
    if not dangling:
        target.write_text("mine")
    out.symlink_to(target)
    fd, path = place.in_file(str(out), "some-id", lambda fd: write_all(fd, b"ours"))
    os.close(fd)
    assert (path, out.is_symlink(), out.read_bytes()) == (str(out), False, b"ours")
    assert (tmp_path / "out.1.jsonl").readlink() == target
    assert target.exists() is not dangling
    assert [one.read_text() for one in (target,) if one.exists()] == ([] if dangling else ["mine"])


def test_a_link_in_the_place_of_the_file_that_is_being_written(home: Home, tmp_path: Path) -> None:
    """The link stays as it is; the recorder puts its file back under a number."""
    target = tmp_path / "target"
    target.write_text("mine")
    code = "for line in lines: say(line)"
    with home.start(agent(code)) as recording:
        recording.say(b'{"a":1}\n')
        recording.hear()
        (path,) = home.spooled()
        path.unlink()
        path.symlink_to(target)
        recording.finish(b'{"a":2}\n')
    assert target.read_text() == "mine"
    assert path.readlink() == target
    assert [one["frame"] for one in frames_in(path.with_stem(f"{path.stem}.1"))] == [{"a": 1}] * 2 + [
        {"a": 2}
    ] * 2


def test_nobody_waits_for_a_pipe_in_the_spool(home: Home) -> None:
    """A command that looks there does not open it."""
    home.spool.mkdir(parents=True)
    named_pipe(home.spool / "pipe.jsonl")
    assert home.run("ls", "--json").strip() == "[]"
