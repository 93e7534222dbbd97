"""Files, lines and names, as CI systems want them."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.report.ci.places import Place, lines_of, relative
from tests.support import header, line

_FILE = b"".join(
    [
        header(),
        line(t=1, **{"from": "client"}, frame={"id": 1, "method": "a"}),
        line(t=2, log="a line of stderr"),
        line(t=3, **{"from": "agent"}, text="no JSON"),
        b"damaged\n",
        line(t=4, gap={"frames": 1, "bytes": 2, "reason": "x"}),
        line(t=5, **{"from": "agent"}, base64="/w=="),
        line(t=6, **{"from": "agent"}, frame={"id": 1, "result": {}}).rstrip(b"\n"),
    ]
)


@given(st.integers(1, 400))
def test_lines_of_frames(size: int) -> None:
    """Frames are numbered among themselves, lines are those of the file, in whatever pieces it comes."""
    pieces = [_FILE[at : at + size] for at in range(0, len(_FILE), size)]
    assert lines_of(pieces, {1, 2, 3, 4}) == {1: 2, 2: 4, 3: 7, 4: 8}
    assert lines_of(pieces, {2}) == {2: 4}
    assert lines_of(pieces, {9}) == {}
    assert lines_of(pieces, set()) == {}


def test_no_more_is_read_than_needed() -> None:
    """A finding at the beginning of a long trace is located at once."""
    lines = _FILE.splitlines(keepends=True)
    pieces = iter(lines)
    assert lines_of(pieces, {1}) == {1: 2}
    assert next(pieces) == lines[2]


def test_paths_are_seen_from_the_working_folder() -> None:
    """What is not in there stays absolute."""
    root = os.path.abspath(os.sep)
    here = os.path.join(root, "work", "project")
    assert relative(os.path.join(here, "traces", "a.jsonl"), here) == "traces/a.jsonl"
    assert relative(os.path.join(here, "..b.jsonl"), here) == "..b.jsonl"
    outside = os.path.join(root, "work", "a.jsonl")
    assert relative(outside, here) == outside


def test_uris(tmp_path: Path) -> None:
    """Of a file its path, of a trace without one the file that it can be exported to."""
    assert Place("x", "traces/a b#1.jsonl").uri("id") == "traces/a%20b%231.jsonl"
    assert Place("x", str(tmp_path / "a.jsonl")).uri("id") == (tmp_path / "a.jsonl").as_uri()
    assert Place("last").uri("20261120T130501Z-7f3a9c") == "20261120T130501Z-7f3a9c.jsonl"
    assert Place("-").uri("") == "-.jsonl"


def test_the_command_that_shows_a_frame() -> None:
    """It can be pasted; standard input cannot be read again."""
    assert Place("last").opens("20261120T130501Z-7f3a9c", 7) == (
        "acp-trace frames 20261120T130501Z-7f3a9c --around 7"
    )
    assert Place("a b").opens("a b", 7) == "acp-trace frames 'a b' --around 7"
    assert Place("-").opens("standard input", 7) == ""


def test_an_id_is_one_segment() -> None:
    """Whatever an id is, its URI names a file here: a viewer of SARIF follows it to no other place."""
    for id_ in (
        "//evil.example/x",
        "../../etc/passwd",
        "/etc/passwd",
        "javascript:x",
        "C:\\x",
        "a?b#c",
        "\ud800",
    ):
        uri = Place("-").uri(id_)
        assert not set(uri) & set("/:\\?#"), uri
    assert Place("-").uri("20261120T130501Z-7f3a9c") == "20261120T130501Z-7f3a9c.jsonl"


def test_a_file_whose_name_is_not_utf8() -> None:
    """Its bytes are in the URI."""
    assert Place("x", os.fsdecode(b"d/\xff.jsonl")).uri("") == "d/%FF.jsonl"
