"""Paths are seen from the folders of their trace, whole strings and words of commands, and no other text."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.normalize.directories import Directories
from acp_trace.normalize.normalizer import COMMANDS, PATHS, Level, Normalizer
from acp_trace.trace import jsontext

HERE = Directories(["/w", "/w/sub", "C:\\work", None, ""])


def _seen(directories: Directories, value: Any, level: Level = PATHS) -> Any:
    return Normalizer("expected", directories).value(value, level)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("/w", "‹cwd›"),
        ("/w/", "‹cwd›"),
        ("/w/a.txt", "‹cwd›/a.txt"),
        ("/w/sub/a.txt", "‹cwd›/a.txt"),
        ("file:///w/a.txt", "file://‹cwd›/a.txt"),
        ("C:\\work\\a.txt", "‹cwd›/a.txt"),
        ("/work/a.txt", "/work/a.txt"),
        ("see /w/a.txt", "see /w/a.txt"),
        ("", ""),
    ],
)
def test_paths(text: str, seen: str) -> None:
    """Whole strings; the longest folder that holds them."""
    assert HERE.path(text) == seen
    assert _seen(HERE, {"a": [text]}) == {"a": [seen]}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("cd '/w' && ls /w/a", "cd '‹cwd›' && ls ‹cwd›/a"),
        ("ls /w.old /v/w /wx", "ls /w.old /v/w /wx"),
    ],
)
def test_commands(text: str, seen: str) -> None:
    """Wherever they stand, as words."""
    assert _seen(HERE, text, COMMANDS) == seen
    assert _seen(HERE, [text, 1], COMMANDS) == [seen, 1]


@pytest.mark.parametrize(
    "text",
    [b'"/w/a"', b'"\\/w\\/a"', b'"\\u002fw/a"', b'"C:\\\\work\\\\a"', b'"file:///w"'],
)
def test_no_spelling_is_overlooked(text: bytes) -> None:
    """The quick look at a JSON text finds every path that the slow one changes."""
    value = jsontext.value(text)
    assert _seen(HERE, value) != value
    assert HERE.touch(text)


def test_most_texts_are_passed_over() -> None:
    """An escape in them or not."""
    assert not HERE.touch(b'{"text":"a \\"word\\"\\n and another"}')


def test_no_folders_are_no_trouble() -> None:
    """A trace may name none."""
    none = Directories([None, "/"])
    assert (none.path("/a"), _seen(none, "ls /a", COMMANDS), none.touch(b'"/a"')) == ("/a", "ls /a", False)


@pytest.mark.parametrize("root", ["/", "C:\\", "c:/"])
def test_a_root_names_itself_alone(root: str) -> None:
    """A session in `/` is one in its folder; not everything else is a path from there."""
    folders = Directories([root, "/w"])
    assert _seen(folders, [root, f"{root}etc", "/w/a"]) == ["‹cwd›", f"{root}etc", "‹cwd›/a"]
    assert _seen(Directories([root]), {"cwd": root, "text": f"in {root}"}, COMMANDS) == {
        "cwd": "‹cwd›",
        "text": f"in {root}",
    }
    assert Directories([root]).touch(jsontext.text({"cwd": root}))


@pytest.mark.parametrize("level", [PATHS, COMMANDS])
def test_a_directory_with_a_blank_is_the_same_in_a_uri(level: Level) -> None:
    """There it is written with escapes; one that lies around it is not taken for it."""
    folders = Directories({"/w": "‹home›", "/w/My Shop": "‹shop›"})
    assert _seen(folders, "file:///w/My%20Shop/a.txt", level) == "file://‹shop›/a.txt"
    assert _seen(folders, "/w/My Shop/a.txt", level) == "‹shop›/a.txt"
    assert _seen(folders, "file:///w/My/a.txt", level) == "file://‹home›/My/a.txt"
