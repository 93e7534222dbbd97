"""`replay --watch`: woken by everything but what the command writes itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from acp_trace.cli import pending
from acp_trace.cli.watching import OwnFiles, watching
from tests.support import Home

#: So many looks without a change, and nothing more comes; so many if something has to come.
_QUIET, _LONGEST = 2, 200


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


def _woken(
    watched: _Watched, monkeypatch: pytest.MonkeyPatch, *changes: tuple[bool, Callable[[], object]]
) -> list[bool]:
    """Whether there was a run after each change, once all is quiet; each is given with what is expected.

    A run that is expected is waited for: a change may be told late. One change may also be told in two parts.
    """
    plain, seen, left = watchfiles.watch, list[bool](), list(changes)

    def watch(*paths: Any, **more: Any) -> Iterator[Any]:
        quiet, before, expected = 0, 0, True
        for found in plain(*paths, **more, debounce=50, step=10):
            quiet = 0 if found else quiet + 1
            assert watched.runs <= (2 * len(seen) or 1), "a run woke the next one"
            if quiet > (_QUIET if watched.runs > before or not expected else _LONGEST):
                seen.append(watched.runs > before)
                if not left:
                    raise KeyboardInterrupt
                quiet, before = 0, watched.runs
                expected, change = left.pop(0)
                change()
            yield found

    monkeypatch.setattr(watchfiles, "watch", watch)
    with pytest.raises(KeyboardInterrupt):
        watching([str(watched.folder)], watched.run, watched.own)
    return seen


@pytest.mark.slow
def test_what_wakes_it(watched: _Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not its own files, and not recordings that it rewrites; other files do, and recordings that others write."""
    folder = watched.folder
    changes = [
        (True, lambda: (folder / "sub" / "agent.py").write_text("x")),
        (True, lambda: watched.traces[0].write_text("by somebody else")),
        (True, lambda: pending.put(watched.traces[1], b"by somebody else")),
        (True, lambda: (folder / "other.jsonl.new").write_text("x")),
        (True, (folder / "acp-trace-0123456_").mkdir),
        (False, lambda: (folder / "a.jsonl.new").write_text("its own")),
        (False, (folder / "junit.xml").unlink),
    ]
    assert _woken(watched, monkeypatch, *changes) == [True, *(expected for expected, _ in changes)]


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
    change = (watched.folder / "x").touch
    assert _woken(watched, monkeypatch, (True, change)) == [True, True]
    said = capsys.readouterr().err
    assert said.count("watching for changes; press Ctrl-C to end") == watched.runs
    assert ("a.jsonl: gone" in said) == isinstance(error, OSError)
