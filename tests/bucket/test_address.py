"""What people type for a place, and for a trace in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.places.address import BadAddress, address_of, trace_at, url_of


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("team", "file:///here/team"),
        ("../team/", "file:///team"),
        ("/mnt/a b", "file:///mnt/a%20b"),
        ("file:///mnt/team/", "file:///mnt/team"),
        ("s3://traces", "s3://traces"),
        ("gs://traces/team/", "gs://traces/team"),
        ("az://box/team", "az://box/team"),
        ("./s3:/team", "file:///here/s3%3A/team"),
        ("s3team", "file:///here/s3team"),
        ("~x", "file:///here/~x"),
    ],
)
def test_places(text: str, url: str) -> None:
    """A path is a directory; a URL stays, without its last slash."""
    assert url_of(text, "/here") == url


@pytest.mark.parametrize(
    "text",
    ["", "http://host/x", "s3://", "s3:///team", "s3://key:secret@bucket", "s3://b?x=1", "file://mnt/team"],
)
def test_what_names_no_place(text: str) -> None:
    """One line says what would."""
    with pytest.raises(BadAddress) as raised:
        url_of(text, "/here")
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("s3://traces/team/7f3a9c", ("s3://traces/team", "7f3a9c")),
        ("s3://traces/7f3a9c", ("s3://traces", "7f3a9c")),
        ("file:///mnt/team/7f3a9c", ("file:///mnt/team", "7f3a9c")),
        ("s3://traces", None),
        ("/mnt/team/7f3a9c", None),
        ("7f3a9c", None),
        ("http://host/7f3a9c", None),
    ],
)
def test_traces(text: str, named: tuple[str, str] | None) -> None:
    """A trace is the last part of an address."""
    assert trace_at(text) == named


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("s3:/traces/team", "s3:/traces/team is mistyped: an address begins with s3://"),
        ("s3:traces/team", "begins with s3://"),
        ("S3:/traces", "begins with s3://"),
        ("file:/mnt/team", "begins with file:///"),
        ("~/team", "~ is not expanded here: write the whole path"),
        ("~", "write the whole path"),
        ("/mnt/a\nb", "contains a line break, or another character"),
        ("s3://traces/a\x1bb", "another character"),
        ("/mnt/\udcff", "another character"),
        ("s3://traces//team", "has a part without a name: write s3://traces/team"),
        ("s3://traces/a//team/", "write s3://traces/a/team"),
    ],
)
def test_what_was_meant_otherwise(text: str, why: str) -> None:
    """Makes no directory of that name: it is told what to write."""
    with pytest.raises(BadAddress) as raised:
        url_of(text, "/here")
    assert why in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_trace_of_a_directory(tmp_path: Path) -> None:
    """`DIR/ID` names a trace if the directory is a place, and no file is there."""
    file = tmp_path / "7f3a9c"
    assert address_of(str(file)) is None
    (tmp_path / "acp-trace.json").touch()
    assert address_of(str(file)) == f"file://{tmp_path}/7f3a9c"
    assert address_of(f"{tmp_path}/") is None
    assert address_of("7f3a9c") is None
    assert address_of("s3://traces/7f3a9c") == "s3://traces/7f3a9c"
    file.touch()
    assert address_of(str(file)) is None


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    """Is a place, or refused with one line."""
    trace_at(text)
    try:
        said = url_of(text, "/here")
    except BadAddress as error:
        said = f"refused://{error}"
    assert "://" in said
