"""What people type for a place, and for a trace in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.bucket.address import BadAddress, trace_at, url_of


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


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    """Is a place, or refused with one line."""
    trace_at(text)
    try:
        said = url_of(text, "/here")
    except BadAddress as error:
        said = f"refused://{error}"
    assert "://" in said
