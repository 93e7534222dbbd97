"""`replay --watch`: woken by everything but what the command writes itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from acp_trace.cli import pending
from acp_trace.cli.watching import OwnFiles, watching
from tests.support import Home

#: So many looks without a change are the end of a test.
_QUIET = 2


class _Watched:
    """A directory with recordings that is watched, by runs that write what a replay writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.traces = [folder / "a.jsonl", folder / "sub" / "b.jsonl"]
        for trace in self.traces:
            trace.parent.mkdir(parents=True, exist_ok=True)
            trace.write_text("recorded")
        outputs = [str(folder / "junit.xml"), str(folder / "saved.jsonl")]
        self.own = OwnFiles(outputs, self.traces, rewrites=True)
        self.runs = 0

    def run(self) -> None:
        """What a replay writes; in the end all of it is another file than before."""
        self.runs += 1
        for trace in self.traces:
            pending.leave(trace, b"live")
            pending.put(trace, b"live %d" % self.runs)
        (self.folder / "junit.xml").write_text("xml")
        pending.put(self.folder / "saved.jsonl", b"live")
        spool = self.folder / "home" / "spool"
        spool.mkdir(parents=True, exist_ok=True)
        (spool / f"{self.runs}.jsonl").write_text("live")
        (self.folder / "home" / "store.duckdb").write_text("stored")
        for name in (".acp-trace-0123456_", "acp-trace-0123456_"):
            scratch = self.folder / "tmp" / name / "work"
            scratch.mkdir(parents=True, exist_ok=True)
            (scratch / str(self.runs)).write_text("x")


@pytest.fixture
def watched(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Watched:
    """The home directory and that for temporary files are watched, too."""
    assert home.path.parent == tmp_path
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return _Watched(tmp_path)


def _runs(watched: _Watched, monkeypatch: pytest.MonkeyPatch, *changes: Any) -> list[int]:
    """How many runs there were after each change, once all is quiet."""
    plain, seen, left = watchfiles.watch, list[int](), list(changes)

    def watch(*paths: Any, **more: Any) -> Iterator[Any]:
        quiet = 0
        for found in plain(*paths, **more, debounce=50, step=10):
            quiet = 0 if found else quiet + 1
            if quiet > _QUIET:
                seen.append(watched.runs)
                if not left:
                    raise KeyboardInterrupt
                left.pop(0)()
                quiet = 0
            yield found

    monkeypatch.setattr(watchfiles, "watch", watch)
    with pytest.raises(KeyboardInterrupt):
        watching([str(watched.folder)], watched.run, watched.own)
    return seen


def test_what_wakes_it(watched: _Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not its own files, and not recordings that it rewrites; other files do, and recordings that others write."""
    folder = watched.folder
    changes = [
        lambda: (folder / "sub" / "agent.py").write_text("x"),
        lambda: watched.traces[0].write_text("by somebody else"),
        lambda: pending.put(watched.traces[1], b"by somebody else"),
        lambda: (folder / "other.jsonl.new").write_text("x"),
        (folder / "acp-trace-0123456_").mkdir,
        lambda: (folder / "a.jsonl.new").write_text("its own"),
        (folder / "junit.xml").unlink,
    ]
    assert _runs(watched, monkeypatch, *changes) == [1, 2, 3, 4, 5, 6, 6, 6]


@pytest.mark.usefixtures("home")
def test_own_files_by_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path, one through a link to a directory, and one with dots are the same file."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    monkeypatch.chdir(tmp_path)
    own = OwnFiles([], [Path("link/../link/a.jsonl")], rewrites=False)
    for path in ("real/a.jsonl.new", "link/a.jsonl.new", str(real / "a.jsonl.new"), "real/.acp-trace-0a1b2c"):
        assert own.has(path), path
        assert own.has(os.path.abspath(path)), path
    for path in (
        "real/a.jsonl",
        "a.jsonl.new",
        "real/b.jsonl.new",
        "real/.a.jsonl",
        "elsewhere/.acp-trace-0a1b2c",
    ):
        assert not own.has(path), path


@pytest.mark.usefixtures("home")
def test_the_file_that_standard_output_is(tmp_path: Path) -> None:
    """`replay --watch . > log`: what a run prints is no change."""
    log, before = tmp_path / "log", os.dup(1)
    try:
        with log.open("wb") as stream:
            os.dup2(stream.fileno(), 1)
            own = OwnFiles([], [], rewrites=False)
    finally:
        os.dup2(before, 1)
        os.close(before)
    assert own.has(str(log))
    assert not own.has(str(tmp_path / "other"))


@pytest.mark.parametrize("error", [OSError(2, "gone", "a.jsonl"), SystemExit(3)])
def test_a_run_that_fails(
    watched: _Watched,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
) -> None:
    """Ends itself and not the watch: a recording may be half written."""

    def fails() -> None:
        watched.runs += 1
        raise error

    monkeypatch.setattr(watched, "run", fails)
    assert _runs(watched, monkeypatch, lambda: (watched.folder / "x").write_text("x")) == [1, 2]
    said = capsys.readouterr().err
    assert said.count("watching for changes; press Ctrl-C to end") == 2
    assert ("a.jsonl: gone" in said) == isinstance(error, OSError)
