"""Directories in which others keep files whose names no object could have."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from acp_trace.bucket import pull
from acp_trace.bucket.address import url_of
from acp_trace.bucket.objects import SharedPlace
from tests.bucket.test_places import SAMPLES, pushed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such names")


@pytest.fixture
def there(tmp_path: Path) -> SharedPlace:
    """A directory with two traces."""
    place = SharedPlace(url_of(str(tmp_path / "team"), "/"), make=True)
    pushed(place, SAMPLES[:2])
    return place


def _all_of(place: SharedPlace) -> tuple[list[tuple[str, int]], list[str]]:
    objects = sorted((each.name, each.size) for each in place.names("traces/"))
    return objects, sorted(place.directories("traces/"))


@pytest.mark.parametrize("name", [b"Icon\r", b"a\nb", b"\xff", b"a\x01"])
def test_what_no_object_is_called(there: SharedPlace, tmp_path: Path, name: bytes) -> None:
    """Files and directories of such a name are passed over; all others are listed, each once."""
    found = _all_of(there)
    for above in (tmp_path / "team/traces", (tmp_path / "team" / found[0][0][0]).parent):
        for file in (name, b"d" + name):
            try:
                (os.mkdir if file[:1] == b"d" else _touch)(os.path.join(os.fsencode(above), file))
            except OSError:  # macOS has no names that are not UTF-8
                pytest.skip("no such names here")
    assert _all_of(there) == found
    assert len(pull.kept_in(there)) == 2
    assert len(pull.days_in(there)) == len({each.day for each in pull.kept_in(there)})


def test_links(there: SharedPlace, tmp_path: Path) -> None:
    """One in a circle, one to nowhere, a pipe: they end no list, and no trace is there twice by them."""
    found = sorted(place.name for place in there.names("traces/"))
    traces = tmp_path / "team/traces"
    (traces / "circle").symlink_to("..")
    (traces / "nowhere").symlink_to("/nonexistent/x")
    os.mkfifo(traces / "pipe")
    assert sorted(each.id for each in pull.kept_in(there)) == sorted(
        {each.id for each in pull.kept_in(there)}
    )
    assert [name for name in found if name not in {each.name for each in there.names("traces/")}] == []


def _touch(path: bytes) -> None:
    Path(os.fsdecode(path)).touch()
