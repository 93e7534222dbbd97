"""A directory for each build: whole, or not taken for one."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from acp_trace.builds import cached
from acp_trace.builds.tools import Cancelled, Unavailable
from acp_trace.trace import lock


def make(directory: Path) -> dict[str, object]:
    (directory / "program").write_text("new")
    return {"programs": {"x": str(directory / "program")}}


def test_a_build_is_made_once(tmp_path: Path) -> None:
    """The second time it is there."""
    place = cached.place(tmp_path, "npm", "@a/b", "1.0.0")
    noted = cached.made(place, threading.Event(), make)
    again = cached.made(place, threading.Event(), lambda _: pytest.fail("it is there"))
    assert noted == again == cached.marker(place)


@pytest.mark.parametrize("error", [KeyboardInterrupt, Cancelled, OSError])
def test_a_build_that_was_broken_off_is_not_taken_for_one(tmp_path: Path, error: type[BaseException]) -> None:
    """Nothing of it is left."""
    place = cached.place(tmp_path, "npm", "a", "1.0.0")

    def broken(directory: Path) -> dict[str, object]:
        make(directory)
        raise error

    with pytest.raises((error, Unavailable)):
        cached.made(place, threading.Event(), broken)
    assert not place.exists()
    assert cached.marker(place) is None


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """There is no marker, so it is not whole."""
    place = cached.place(tmp_path, "npm", "a", "1.0.0")
    place.mkdir(parents=True)
    (place / "program").write_text("half")
    (place / "other").touch()
    cached.made(place, threading.Event(), make)
    assert sorted(path.name for path in place.iterdir()) == ["build.json", "program"]


def test_two_do_not_fill_one_directory(tmp_path: Path) -> None:
    """The second waits until it is stopped, or the first is done."""
    place = cached.place(tmp_path, "npm", "a", "1.0.0")
    place.parent.mkdir(parents=True)
    stop = threading.Event()
    stop.set()
    with place.with_name("1.0.0.lock").open("w") as other:
        lock.hold(other.fileno())
        with pytest.raises(Cancelled):
            cached.made(place, stop, make)
    cached.made(place, stop, make)


@pytest.mark.parametrize("name", ["..", ".", "../../etc", "a/b", "", "\0", "a\nb"])
def test_no_name_leads_elsewhere(tmp_path: Path, name: str) -> None:
    """Each is one directory below its place."""
    place = cached.place(tmp_path, "npm", name)
    assert place.parent == tmp_path / "builds" / "npm"
    assert place.name not in ("", ".", "..")
    assert "\0" not in place.name
