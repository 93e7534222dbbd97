"""Paths are seen from the folders of their trace, whole strings and words of commands, and no other text."""

from __future__ import annotations

import pytest

from acp_trace.normalize.directories import Directories
from acp_trace.trace import jsontext

HERE = Directories(["/w", "/w/sub", "C:\\work", None, ""])


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("/w", "‹cwd›"),
        ("/w/", "‹cwd›"),
        ("/w/a.txt", "‹cwd›/a.txt"),
        ("/w/sub/a.txt", "‹cwd›/a.txt"),
        ("file:///w/a.txt", "file://‹cwd›/a.txt"),
        ("C:\\work\\a.txt", "‹cwd›\\a.txt"),
        ("/work/a.txt", "/work/a.txt"),
        ("see /w/a.txt", "see /w/a.txt"),
        ("", ""),
    ],
)
def test_paths(text: str, seen: str) -> None:
    """Whole strings; the longest folder that holds them."""
    assert HERE.path(text) == seen
    assert HERE.neutral({"a": [text]}) == {"a": [seen]}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("cd '/w' && ls /w/a", "cd '‹cwd›' && ls ‹cwd›/a"),
        ("ls /w.old /v/w /wx", "ls /w.old /v/w /wx"),
    ],
)
def test_commands(text: str, seen: str) -> None:
    """Wherever they stand, as words."""
    assert HERE.quoted(text) == seen
    assert HERE.quoted([text, 1]) == [seen, 1]


@pytest.mark.parametrize(
    "text",
    [b'"/w/a"', b'"\\/w\\/a"', b'"\\u002fw/a"', b'"C:\\\\work\\\\a"', b'"file:///w"'],
)
def test_no_spelling_is_overlooked(text: bytes) -> None:
    """The quick look at a JSON text finds every path that the slow one changes."""
    value = jsontext.value(text)
    assert HERE.neutral(value) != value
    assert HERE.touch(text)


def test_most_texts_are_passed_over() -> None:
    """An escape in them or not."""
    assert not HERE.touch(b'{"text":"a \\"word\\"\\n and another"}')


def test_no_folders_are_no_trouble() -> None:
    """A trace may name none."""
    none = Directories([None, "/"])
    assert (none.path("/a"), none.quoted("ls /a"), none.touch(b'"/a"')) == ("/a", "ls /a", False)


@pytest.mark.parametrize("root", ["/", "C:\\", "c:/"])
def test_a_root_names_itself_alone(root: str) -> None:
    """A session in `/` is one in its folder; not everything else is a path from there."""
    folders = Directories([root, "/w"])
    assert folders.neutral([root, f"{root}etc", "/w/a"]) == ["‹cwd›", f"{root}etc", "‹cwd›/a"]
    assert Directories([root]).quoted({"cwd": root, "text": f"in {root}"}) == {
        "cwd": "‹cwd›",
        "text": f"in {root}",
    }
    assert Directories([root]).touch(jsontext.text({"cwd": root}))
