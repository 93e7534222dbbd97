"""Directories in which others keep files whose names no object could have."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_trace.places import pull
from acp_trace.places.address import url_of
from acp_trace.places.opening import open_place
from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.team.bucket.unfinished import unfinished
from tests.bucket.test_places import SAMPLES, pushed

assert sys.platform != "win32", pytest.skip("has no such names", allow_module_level=True)


@pytest.fixture
def there(tmp_path: Path) -> SharedPlace:
    """A directory with two traces."""
    place = open_place(url_of(str(tmp_path / "team"), "/"), make=True)
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


def _secret(tmp_path: Path) -> Path:
    """A file that only the user can read, beside the place."""
    file = tmp_path / "secret"
    file.write_bytes(b"of the user")
    return file


def test_a_link_leads_nowhere_else(tmp_path: Path) -> None:
    """Whoever made the place cannot have files read, listed, put or removed elsewhere. One line says why."""
    place = open_place(url_of(str(tmp_path / "team"), "/"), make=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "old").touch()
    (tmp_path / "team/x").symlink_to(_secret(tmp_path))
    (tmp_path / "team/there").symlink_to("../elsewhere")
    (tmp_path / "team/y").symlink_to(tmp_path / "team/x")
    for touched in (
        lambda: place.read("x"),
        lambda: place.read("y"),
        lambda: place.part("x", 0, 1),
        lambda: place.has("there/old"),
        lambda: place.put("there/new", b""),
        lambda: place.remove(["there/old"]),
        lambda: list(place.names("there/")),
        lambda: list(place.names("")),
        lambda: place.directories(""),
        lambda: unfinished(place, "there/", lambda _: True, datetime.now(UTC)),
    ):
        with pytest.raises(PlaceError, match=r"is a link that leads out of the place: remove it"):
            touched()
    assert os.listdir(elsewhere) == ["old"]


def test_links_inside_a_place(there: SharedPlace, tmp_path: Path) -> None:
    """They are followed; and the place may be a link itself."""
    (tmp_path / "shared").symlink_to("team")
    linked = open_place(url_of(str(tmp_path / "shared"), "/"))
    assert _all_of(linked) == _all_of(there)
    name = _all_of(there)[0][0][0]
    (tmp_path / "team/copy").symlink_to(tmp_path / "team" / name)
    assert linked.read("copy") == there.read(name)
    assert linked.put("more/x", b"1")
    assert [each.name for each in there.names("more/")] == ["more/x"]


def test_a_directory_that_is_not_there(there: SharedPlace) -> None:
    """As in a bucket, it is empty."""
    assert list(there.names("nowhere/")) == []
    assert there.directories("nowhere/") == []
