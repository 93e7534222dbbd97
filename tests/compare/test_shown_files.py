"""A permission shows which file is read or written, and what it will hold: told where that no longer agrees."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import Match
from acp_trace.compare.requests.agreement import Permissions
from acp_trace.compare.requests.shown_files import ShownFiles, same_file
from acp_trace.compare.result import Comparison
from tests.compare.conversation import codes, compared, reader
from tests.reading.talk import Said, hello, opened, prompt, reply, stop
from tests.replay.lines import asks, gone, may, now, picks, reads, tool
from tests.support import trace

_FILE, _OTHER = "/w/a.txt", "/etc/passwd"
_BEGIN = [*hello(), *opened(), prompt(1)]


def _diff(path: str = _FILE, text: str = "new", old: Any = "old") -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": text}


def _writes(path: str = _FILE, text: str = "new") -> Said:
    return asks(8, "fs/write_text_file", path=path, content=text)


def _file(*said: Said) -> bytes:
    return trace(*_BEGIN, *said, stop(1))


def _turn(asked: dict[str, Any], *ran: Said, answer: Said | None = None) -> bytes:
    return _file(tool(), may(7, **asked), answer or picks(7), *ran, now("c", "completed"))


def _shows(*diffs: dict[str, Any]) -> Said:
    return now("c", "completed", content=[*diffs])


_DIFF: dict[str, Any] = {"content": [_diff()]}
_PLACE: dict[str, Any] = {"locations": [{"path": _FILE}]}
_RAW = {"rawInput": {"path": _FILE, "content": "new text"}}

#: What is asked for and what then runs, in the recording; the same in the run; where they disagree, how.
_MISLEADING: dict[str, Any] = {
    "another file in a diff": (
        (_DIFF, _writes()), ({"content": [_diff(_OTHER)]}, _writes()),
        f'shows "{_OTHER}", and writes "{_FILE}"'),
    "another file in one of the diffs": (
        ({"content": [_diff(), _diff("/w/b")]}, _writes(), _writes("/w/b")),
        ({"content": [_diff(), _diff(_OTHER)]}, _writes(), _writes("/w/b")),
        f'shows "{_OTHER}", and writes "{_FILE}"'),
    "another text in a diff": (
        (_DIFF, _writes()), ({"content": [_diff(text="harmless")]}, _writes()),
        'shows "harmless", and writes "new"'),
    "a text of which more is written": (
        ({"content": [_diff(old=None)]}, _writes()), ({"content": [_diff(old=None)]}, _writes(text="new\nbad")),
        'shows "new", and writes "new\nbad"'),
    "another text that is written": (
        (_DIFF, _writes()), (_DIFF, _writes(text="newer")), 'shows "new", and writes "newer"'),
    "another file in the diff of a tool that writes by itself": (
        (_DIFF, _shows(_diff())), ({"content": [_diff(_OTHER)]}, _shows(_diff())),
        f'shows "{_OTHER}", and changes "{_FILE}"'),
    "another text in the diff of a tool that writes by itself": (
        (_DIFF, _shows(_diff())), (_DIFF, _shows(_diff(text="bad"))), 'shows "new", and changes "bad"'),
    "another text in the diff of the tool call": (
        ({}, _writes(), _shows(_diff())), ({}, _writes(), _shows(_diff(text="harmless"))),
        'shows "harmless", and writes "new"'),
    "another location of what is written": (
        (_PLACE, _writes()), ({"locations": [{"path": _OTHER}]}, _writes()),
        f'shows "{_OTHER}", and writes "{_FILE}"'),
    "another location of what is read": (
        (_PLACE, reads(8, _FILE)), (_PLACE, reads(8, _OTHER)), f'shows "{_FILE}", and reads "{_OTHER}"'),
    "another location of the tool call": (
        ({}, now("c", "in_progress", **_PLACE), reads(8, _FILE)),
        ({}, now("c", "in_progress", locations=[{"path": _OTHER}]), reads(8, _FILE)),
        f'shows "{_OTHER}", and reads "{_FILE}"'),
    "another location than the tool call names": (
        (_PLACE, now("c", "in_progress", **_PLACE)), ({"locations": [{"path": _OTHER}]}, now("c", "in_progress", **_PLACE)),
        f'shows "{_OTHER}", and its tool call names "{_FILE}"'),
    "another path in the raw input": (
        (_RAW, _writes(text="new text")), (_RAW, _writes(_OTHER, "new text")),
        f'shows "{_FILE}", and writes "{_OTHER}"'),
    "another text in the raw input": (
        (_RAW, _writes(text="new text")), (_RAW, _writes(text="new textile")),
        'shows "new text", and writes "new textile"'),
}  # fmt: skip

#: What is asked for and what then runs: nothing of it misleads, whatever was recorded.
_HONEST: dict[str, Any] = {
    "another file": ({"content": [_diff("/w/b")]}, _writes("/w/b")),
    "another text": ({"content": [_diff(text="newer")]}, _writes(text="newer")),
    "a file by its name alone": (
        {"content": [_diff("a.txt")], "locations": [{"path": "./a.txt"}]},
        _writes(),
    ),
    "a file as seen from elsewhere": ({"content": [_diff("../../w/a.txt")]}, _writes()),
    "a file as a URI": ({"content": [_diff(f"file://{_FILE}")]}, _writes()),
    "a part of a file": ({"content": [_diff()]}, _writes(text="one\nnew\ntwo")),
    "a newline at the end": ({"content": [_diff()]}, _writes(text="new\n")),
    "another end of its lines": ({"content": [_diff(text="a\r\nb")]}, _writes(text="a\nb\n")),
    "a part of a part": ({"content": [_diff()]}, _shows(_diff(text="one\nnew"))),
    "a file that is read first": (_PLACE, reads(9, "/w/b"), _writes()),
    "the directory of a file": ({"locations": [{"path": "/w"}]}, _writes()),
    "more files": ({"locations": [{"path": _OTHER}, {"path": _FILE}]}, _writes()),
    "two files, of which one is not written any more": ({"content": [_diff(), _diff("/w/b")]}, _writes()),
    "a diff that only takes away": ({"content": [_diff(text="")]}, _writes(text="rest")),
    "nothing": ({}, _writes(_OTHER)),
    "nothing that runs": (_DIFF,),
}


@pytest.mark.parametrize("name", _MISLEADING)
@pytest.mark.parametrize("match", ["semantic", "content", "exact"])
def test_another_file_than_is_shown_is_told(name: str, match: Match) -> None:
    """Once, whatever of it differs from the recording; the same in both traces is not told."""
    was, is_now, says = _MISLEADING[name]
    expected, actual = (_turn(asked, *ran) for asked, *ran in (was, is_now))
    comparison = compared(expected, actual, match)
    (cause, *others) = causes(comparison.failing)
    assert (cause.first.code, cause.first.got) == ("permission-misleads", says)
    assert [other.first.code for other in others if match != "exact"] == []
    assert compared(actual, actual, match).equal


@pytest.mark.parametrize("name", _HONEST)
@pytest.mark.parametrize("was", ["another file in a diff", "another location of what is written"])
def test_another_file_that_is_shown_is_not_told(name: str, was: str) -> None:
    """Another model reads and writes other files."""
    (asked, *ran), (recorded, *recorded_ran) = _HONEST[name], _MISLEADING[was][0]
    comparison = compared(_turn(recorded, *recorded_ran), _turn(asked, *ran))
    assert "permission-misleads" not in codes(comparison), comparison.failing


def test_what_is_written_but_not_shown_is_a_consequence() -> None:
    """That another file than recorded is written says no more."""
    comparison = compared(_turn(_DIFF, _writes()), _turn(_DIFF, _writes(_OTHER)))
    assert _consequences(comparison) == [("permission-misleads", ["request-params"])]


@pytest.mark.parametrize(
    ("read", "limit", "told"), [("old", None, True), ("old\nmore", None, False), ("old", 1, False)]
)
def test_more_than_is_shown_of_a_file_that_was_read(read: str, limit: int | None, told: bool) -> None:
    """Where the old text is all that was read of the file, the new one is all of it."""
    expected, actual = (
        _file(
            asks(5, "fs/read_text_file", path=_FILE, limit=limit),
            reply(5, content=read),
            *(tool(), may(7, **_DIFF), picks(7), _writes(text=text), now("c", "completed")),
        )
        for text in ("new", "new\nbad")
    )
    assert codes(compared(expected, actual)) == ["permission-misleads"] * told


def test_what_was_not_allowed_is_not_written() -> None:
    """The sentence says so: a tool call shows its diff whether it runs or not."""
    expected, actual = (
        _turn({"content": [_diff(text=text)]}, _shows(_diff()), answer=gone(7)) for text in ("new", "x")
    )
    (found,) = compared(expected, actual).failing
    assert (found.expected, found.got) == ("shows what it is about", 'shows "x", and is about "new"')


def _consequences(comparison: Comparison) -> list[tuple[str, list[str]]]:
    return [
        (cause.first.code, [each.code for each in cause.consequences]) for cause in causes(comparison.failing)
    ]


@pytest.mark.parametrize(
    ("path", "other", "same"),
    [
        ("/w/a", "/w/./a", True), ("a", "/w/a", True), ("/w/a", "./w/a", True), ("C:\\w\\a", "C:/w/a", True),
        ("c:\\W\\a", "C:/w/a", True), ("file:///c%3A/w/a", "C:\\w\\a", True), ("w\\a", "C:\\w\\a", True),
        ("D:\\w\\a", "C:\\w\\a", False), ("/W/a", "/w/a", False), ("\\\\s\\w\\a", "//S/w/a", True),
        ("b", "/w/ab", False), ("/a", "/w/a", False), ("a/b", "b", True), ("", "/w", False), ("..", "/w", False),
    ],
)  # fmt: skip
def test_paths_that_name_the_same_file(path: str, other: str, same: bool) -> None:
    """As far as one can tell."""
    assert same_file(path, other) is same_file(other, path) is same


@pytest.mark.parametrize(
    "odd", [None, 5, [5], [{}], [{"type": "diff"}], [{"type": "diff", "path": 5, "newText": 5}]]
)
def test_odd_files(odd: Any) -> None:
    """They are compared as far as it goes."""
    odd_write = asks(8, "fs/write_text_file", path=odd, content=odd)
    file = _turn({"content": odd, "locations": odd, "rawInput": odd}, odd_write, _shows(odd))
    assert compared(file, file).equal
    story = reader(file).story()
    (permission, _) = story.sessions["s"].requests["agent"]
    assert ShownFiles(story, Permissions(story)).places(permission) == {}
