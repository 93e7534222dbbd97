"""Who may not read or write, and what cannot be reached: one line each, with the exit code for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_trace.places import layout, pull
from acp_trace.places.place import PlaceError
from acp_trace.team.bucket import reasons
from tests import rights
from tests.bucket.test_places import SAMPLES, opened, pushed

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def anybody(tmp_path: Path) -> Command:
    """Runs a command as somebody for whom the modes of files count."""
    before = rights.limited(tmp_path)
    if before is None:
        pytest.skip("root may write everywhere, and nothing here can change that")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*before, sys.executable, "-m", "acp_trace", *words],
            env={**os.environ, "ACP_TRACE_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def _modes(directory: Path, mode: int) -> None:
    """Gives all directories below one, and itself, a mode."""
    for path in [*(path for path in directory.rglob("*") if path.is_dir()), directory]:
        path.chmod(mode)


@pytest.mark.slow
def test_a_directory_that_may_only_be_read(anybody: Command, tmp_path: Path) -> None:
    """All questions are answered; what would write says in one line what is denied, and nothing is lost."""
    team = tmp_path / "team"
    place = opened(str(team))
    pushed(place, SAMPLES[:1])
    assert anybody("lake", "build", str(team)).returncode == 0
    pushed(place, SAMPLES[:2])
    there = {path: path.read_bytes() for path in team.rglob("*") if path.is_file()}
    _modes(team, 0o555)
    try:
        for words in (
            ("query", "--at", str(team), "SELECT count(*) FROM frames"),
            ("ls", "--at", str(team)),
            ("stats", "--at", str(team)),
            ("check", "--at", str(team), "--fail-on", "never"),
            ("show", f"file://{team}/{pull.kept_in(place)[0].id}"),
            ("push", str(team), *map(str, SAMPLES[:2]), "--as-is"),
        ):
            done = anybody(*words)
            assert (done.returncode, done.stderr) == (0, ""), words
        for words in (
            ("lake", "build", str(team)),
            ("push", str(team), *map(str, SAMPLES), "--as-is"),
            ("prune", "--at", str(team), "--keep", "1"),
        ):
            done = anybody(*words)
            assert (done.returncode, done.stderr.count("\n")) == (3, 1), done
            assert f"{team} cannot be read or written by this user: permission denied for /" in done.stderr
    finally:
        _modes(team, 0o755)
    assert {path: path.read_bytes() for path in team.rglob("*") if path.is_file()} == there


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("query", "SELECT 1"), ("ls",), ("stats",), ("check",), ("prune", "--keep", "1")]
)
def test_a_directory_that_may_not_be_read(anybody: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    """One line, and no word of credentials."""
    team = tmp_path / "team"
    pushed(opened(str(team)), SAMPLES[:1])
    _modes(team, 0)
    try:
        done = anybody(words[0], "--at", str(team), *words[1:])
    finally:
        _modes(team, 0o755)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "permission denied" in done.stderr
    assert "credentials" not in done.stderr


def test_what_a_directory_denies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no credentials: the file is named, without what is added to its name while it is written."""
    obstore = pytest.importorskip("obstore")
    place = opened(str(tmp_path))
    file = tmp_path / "traces/day=x/y.zst"
    for said, named in (
        (f"Unable to open file {file}#1: Permission denied (os error 13)\n\nkind: PermissionDenied", file),
        (f"Unable to canonicalize filesystem root: {tmp_path}\n\nkind: PermissionDenied", tmp_path),
    ):

        def denied(*_: object, said: str = said, **__: object) -> None:
            raise obstore.exceptions.GenericError(f"Generic LocalFileSystem error: {said}")

        monkeypatch.setattr(obstore, "put", denied)
        with pytest.raises(PlaceError) as raised:
            place.put(layout.MARKER, b"")
        assert str(raised.value) == (
            f"{place.url} cannot be read or written by this user: permission denied for {named}"
        )
    assert reasons.why("s3://x", PermissionError("Permission denied (os error 13)")) != ""
