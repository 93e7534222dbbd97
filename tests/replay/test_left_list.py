"""The list of the files at the end, as a snapshot has it: what a recorder writes is read, and nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from acp_trace.replay.drive import left_list
from acp_trace.replay.drive.left_list import is_listed, read, written
from acp_trace.replay.left_files import LeftDirectory, LeftFile

_DIGEST = "0" * 64
_FILE = {"name": "a.txt", "size": 1, "sha256": _DIGEST, "text": True, "t": 5}
_ONE = {"directory": 0, "listing": "all", "files": [_FILE], "deleted": ["b"], "unknown": ["c"]}


def test_what_is_written_is_read() -> None:
    """But for the texts, which are elsewhere in the archive."""
    left = {
        0: LeftDirectory(
            {"in/a.txt": LeftFile(1, _DIGEST, True, "x", -3), "é": LeftFile(0, _DIGEST)},
            frozenset({"old"}),
            frozenset({"large"}),
            "git-above",
        ),
        3: LeftDirectory(),
    }
    found = read(written(left))
    assert found is not None
    assert found[3] == LeftDirectory()
    assert found[0].files["in/a.txt"] == LeftFile(1, _DIGEST, True, None, -3)
    assert ([*found[0].deleted], [*found[0].unknown], found[0].listing) == (["old"], ["large"], "git-above")
    assert read([{**_ONE, "later": 1}]) is not None


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../a", "a/../../b", "/etc/passwd", "a//b", "./a", "a/", "x" * 256, "a/" * 600 + "b", "a\0b",
     "a\nb", "\ud800", "a\x1b[2Jb", "\u202ea", ".git/config", "in/HEAD", ".env", "id_rsa", "/".join("d" * 101), 5, None,
     ["a"]],
)  # fmt: skip
def test_names_that_no_recorder_writes(name: Any) -> None:
    """One of them makes the whole list invalid, wherever it stands."""
    if isinstance(name, str):
        assert not is_listed(name)
    for key, value in (("files", [{**_FILE, "name": name}]), ("deleted", [name]), ("unknown", [name])):
        assert read([{**_ONE, key: value}]) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [("size", -1), ("size", True), ("size", 1.0), ("size", 1 << 62), ("sha256", "0" * 63), ("sha256", "G" * 64),
     ("sha256", 5), ("sha256", "٠" * 64), ("text", 1), ("text", None), ("t", "now"), ("t", 1 << 70), ("t", None)],
)  # fmt: skip
def test_values_that_no_recorder_writes(key: str, value: Any) -> None:
    """Of one file."""
    assert read([{**_ONE, "files": [{**_FILE, key: value}]}]) is None


def test_forms_that_no_recorder_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other types, names and directories twice, and more than a directory of an agent's work has."""
    monkeypatch.setattr(left_list, "MOST_FILES", 3)
    monkeypatch.setattr(left_list, "_MOST_DIRECTORIES", 2)
    assert read([_ONE]) is not None
    invalid: Any
    several = [{**_FILE, "name": str(number)} for number in range(4)]
    for invalid in (
        None, {}, "end", [1], [[]], [_ONE, _ONE], [{**_ONE, "directory": -1}], [{**_ONE, "directory": 2}],
        [{**_ONE, "directory": True}], [{**_ONE, "listing": "none"}], [{**_ONE, "listing": []}], [{}],
        [{**_ONE, "files": {}}], [{**_ONE, "files": ["a"]}], [{**_ONE, "files": [_FILE, _FILE]}],
        [{**_ONE, "deleted": ["a.txt"]}], [{**_ONE, "unknown": ["b"]}], [{**_ONE, "deleted": ["b", "b"]}],
        [{**_ONE, "files": several}], [{**_ONE, "deleted": list("wxyz")}], [{**_ONE, "deleted": "b"}],
        [{**_ONE, "directory": number} for number in (0, 1, 0)],
    ):  # fmt: skip
        assert read(copy.deepcopy(invalid)) is None, invalid


def test_a_million_entries_are_not_looked_at() -> None:
    """Their number is enough."""
    assert read([{**_ONE, "files": [_FILE] * 10**6}]) is None
    assert read([{**_ONE, "unknown": ["x"] * 10**6}]) is None
    assert read([_ONE] * 10**6) is None
