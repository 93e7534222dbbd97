"""Files served from a directory: by line, as editors count them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive.workspace import Workspace

_TEXT = "one\x0cstill one\u2028still one\r\ntwo\rstill two\x85\n\nfour"


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ({}, _TEXT),
        ({"line": 1, "limit": 1}, "one\x0cstill one\u2028still one\r\n"),
        ({"line": 2, "limit": 1}, "two\rstill two\x85\n"),
        ({"line": 3}, "\nfour"),
        ({"line": 4}, "four"),
        ({"line": 5}, ""),
        ({"limit": 0}, ""),
    ],
)
def test_a_line_ends_at_a_newline_alone(tmp_path: Path, asked: dict[str, int], content: str) -> None:
    """Not at a form feed, at U+2028, or at a carriage return: no editor counts those."""
    path = tmp_path / "file"
    path.write_bytes(_TEXT.encode())
    served = Workspace([str(tmp_path)]).serve("fs/read_text_file", {"path": str(path), **asked})
    assert served == {"content": content}


def test_a_file_is_written_or_it_is_said_why_not(tmp_path: Path) -> None:
    """In the directory, with those that lead to it. What is asked for elsewhere is told by another note."""
    run = tmp_path / "run"
    (run / "made").mkdir(parents=True)
    (run / "out").symlink_to(tmp_path / "out.txt")
    write = Workspace([str(run)]).write
    assert write({"path": f"{run}/new/notes.txt", "content": "Eggs"}) is None
    assert (run / "new" / "notes.txt").read_text() == "Eggs"
    assert write({"path": f"{run}/made", "content": "Eggs"}) == "Is a directory"
    assert write({"path": f"{run}/out", "content": "Eggs"}) == "it leads out of the run's directory"
    assert write({"path": f"{run}/none"}) == "its content is not a text"
    assert write({"path": f"{tmp_path}/elsewhere", "content": "Eggs"}) is None
    assert write({"path": "relative", "content": "Eggs"}) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_directory_that_is_swapped_for_a_link_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent may do so between the look at a path and its use."""
    run, users = tmp_path / "run", tmp_path / "users"
    for each in (run / "in", users):
        each.mkdir(parents=True)
        (each / "file").write_text(each.name)
    looked = Workspace._inside

    def swapped(self: Workspace, named: Any) -> Path | None:
        found = looked(self, named)
        (run / "in").rename(run / "away")
        (run / "in").symlink_to(users)
        return found

    for method, params in (("fs/read_text_file", {}), ("fs/write_text_file", {"content": "agent's"})):
        for name in ("file", "new", "more/new"):
            with monkeypatch.context() as patch:
                patch.setattr(Workspace, "_inside", swapped)
                asked = {"path": str(run / "in" / name), **params}
                assert Workspace([str(run)]).serve(method, asked) is None
            (run / "in").unlink()
            (run / "away").rename(run / "in")
    assert [(path.name, path.read_text()) for path in users.iterdir()] == [("file", "users")]


def test_a_file_of_the_user_with_a_name_in_the_directory_is_not_written(tmp_path: Path) -> None:
    """A hard link leads out as well, and the note says why the file was not written."""
    (tmp_path / "run").mkdir()
    (tmp_path / "users").write_text("users")
    (tmp_path / "run" / "same").hardlink_to(tmp_path / "users")
    params = {"path": str(tmp_path / "run" / "same"), "content": "agent's"}
    assert Workspace([str(tmp_path / "run")]).write(params) == "It has another name (a hard link)"
    assert (tmp_path / "users").read_text() == "users"
